"""Forms: what people may write, and what is said of a wrong entry."""
