"""Charts of the values that a measure can take."""
