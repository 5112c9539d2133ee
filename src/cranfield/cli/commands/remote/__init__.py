"""Commands of a participant who talks to a server."""
