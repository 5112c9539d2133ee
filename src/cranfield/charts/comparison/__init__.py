"""Charts of comparisons: outcomes, p-values, and robustness of a result."""
