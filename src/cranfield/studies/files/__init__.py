"""Are these files correct, and how are they converted or fused?"""
