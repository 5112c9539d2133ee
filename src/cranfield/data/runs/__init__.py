"""Runs: rankings, who submitted them, their metadata and factors."""
