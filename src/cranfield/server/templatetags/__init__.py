"""How things look in templates."""
