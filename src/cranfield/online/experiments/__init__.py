"""Experiments with arms: assignment, effects, checks, sequential tests, planning."""
