"""Logs as click models read them: counts, clicked pages, reading times."""
