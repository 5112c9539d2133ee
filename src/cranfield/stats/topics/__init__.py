"""Difficulty of topics, its prediction, and the topics that decide a comparison."""
