"""Charts of pools, workers, labels and LLM judges."""
