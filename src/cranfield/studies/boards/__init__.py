"""Which run leads a leaderboard, and how certain is its rank?"""
