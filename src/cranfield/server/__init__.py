"""The server: tasks, submissions, private topics and a leaderboard, over the same studies as the command line."""
