"""Analysis of variance of values by topic, run and factor."""
