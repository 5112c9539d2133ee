"""Written answers: nuggets, citations and their support."""
