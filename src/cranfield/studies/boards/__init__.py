"""Who leads a leaderboard, and how certain is that?"""
