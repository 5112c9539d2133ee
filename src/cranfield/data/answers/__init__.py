"""Nuggets, citations and support of written answers."""
