"""Interleaving: pages made of several rankings, credit for clicks, verdicts."""
