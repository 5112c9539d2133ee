"""Comparison of two runs: outcomes by topic, dominance, several collections, reproducibility."""
