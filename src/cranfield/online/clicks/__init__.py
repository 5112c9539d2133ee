"""Click models: cascades, examination models, click rates, and their predictions."""
