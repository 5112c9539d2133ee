"""Shared tasks: settings, topics, documents, label versions and the organisers' pages."""
