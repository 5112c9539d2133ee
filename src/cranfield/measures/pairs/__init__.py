"""Comparison of two rankings: overlap, dominance, near-duplicates."""
