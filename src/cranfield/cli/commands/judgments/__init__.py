"""Commands that make judgments: topics, pools, crowds."""
