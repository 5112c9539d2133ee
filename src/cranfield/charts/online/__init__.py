"""Charts of click models, interleaving, experiments and policies."""
