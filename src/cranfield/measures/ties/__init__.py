"""Values of rankings with tied scores."""
