"""Measures of one judged ranking."""
