"""Commands that list measures and tests, simulate data and show the demo."""
