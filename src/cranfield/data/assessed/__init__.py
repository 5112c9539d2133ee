"""Assessed runs: the rank of every judged document in every run, as arrays."""
