"""Pages of leaderboards and their panels."""
