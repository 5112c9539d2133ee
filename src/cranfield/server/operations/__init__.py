"""Operation of a server: audit log, health, backups, exports and demo content."""
