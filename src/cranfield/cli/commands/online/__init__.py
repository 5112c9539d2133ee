"""Commands for logs and experiments with live users."""
