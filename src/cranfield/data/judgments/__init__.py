"""Judgments: grades, subtopics, aspects, attributes and the other tables that describe documents."""
