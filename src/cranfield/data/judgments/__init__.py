"""Grades, subtopics, aspects, attributes and other tables that describe documents."""
