"""Pages for assessors and for the organisers of pools."""
