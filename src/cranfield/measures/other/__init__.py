"""Measures of preferences, sessions and series of rankings."""
