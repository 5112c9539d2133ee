"""Crowds of workers: agreement, quality, stopping rules, LLM judges."""
