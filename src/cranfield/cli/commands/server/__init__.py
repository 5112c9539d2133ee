"""Commands of the operator of a server."""
