"""Backups of servers as they were when a version was released: every later version must take them."""
