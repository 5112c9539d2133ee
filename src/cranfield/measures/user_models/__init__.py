"""Measures with an explicit model of the user, and their calibration from logs."""
