"""Effect sizes, confidence intervals, power, risk and transforms of values."""
