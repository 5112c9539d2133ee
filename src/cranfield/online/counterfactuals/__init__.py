"""Counterfactual estimates of a policy from the log of another."""
