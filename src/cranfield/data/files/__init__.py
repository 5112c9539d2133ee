"""Columns, rows, formats and size limits of files and frames, and the problems found in them."""
