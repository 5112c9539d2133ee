"""Page access rules, error pages and the health check."""
