"""Measures of the contribution of a run beyond other runs."""
