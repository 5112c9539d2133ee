"""REST API, its client, and webhooks."""
