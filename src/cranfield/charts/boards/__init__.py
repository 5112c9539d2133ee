"""Charts of leaderboards: ranks, history, private topics, changed labels."""
