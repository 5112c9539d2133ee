"""Reliability of an order of runs: rank correlation, split halves, discriminative power."""
