"""Charts of comparisons: outcomes, p-values, what a result survives."""
