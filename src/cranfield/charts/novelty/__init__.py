"""Charts of the contribution of runs beyond other runs."""
