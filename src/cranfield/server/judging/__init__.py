"""Relevance judging: pools, assessors, adjudication, preferences, crowd labels and LLM judges."""
