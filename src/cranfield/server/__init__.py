"""Web server for shared tasks: submissions, leaderboards, private topics and relevance judging."""
