"""Interval-scale measures, all rankings of a given length, bounds from unjudged documents."""
