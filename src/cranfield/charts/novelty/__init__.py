"""Charts of what runs add to others."""
