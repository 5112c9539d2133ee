"""Output that several commands share: tables, text, files."""
