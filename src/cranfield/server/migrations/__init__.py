"""Database migrations of the server."""
