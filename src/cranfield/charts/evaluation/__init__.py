"""Charts of values: distributions, curves, topics, written answers."""
