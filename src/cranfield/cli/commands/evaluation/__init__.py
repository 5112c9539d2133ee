"""Commands that evaluate and compare runs."""
