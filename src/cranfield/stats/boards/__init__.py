"""Statistics of leaderboards: ranks, letters, state of the art, changes of labels."""
