"""Commands that test differences and plan experiments."""
