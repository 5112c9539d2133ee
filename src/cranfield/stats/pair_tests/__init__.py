"""Tests of the difference between two runs."""
