"""Pages for submitting, managing and viewing runs."""
