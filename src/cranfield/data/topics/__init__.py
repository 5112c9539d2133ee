"""Topics and the text of documents."""
