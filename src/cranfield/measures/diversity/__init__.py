"""Measures of topics with several subtopics or intents."""
