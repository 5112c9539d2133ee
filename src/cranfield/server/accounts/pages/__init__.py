"""Pages of a user: account, teams and webhooks."""
