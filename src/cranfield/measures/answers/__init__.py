"""Measures of written answers."""
