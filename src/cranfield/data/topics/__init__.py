"""Texts of topics and documents."""
