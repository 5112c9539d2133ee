"""Measures of fairness towards groups of documents."""
