"""Measures of what a run adds to other runs."""
