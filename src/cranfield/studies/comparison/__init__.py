"""Is this run really better than that one?"""
