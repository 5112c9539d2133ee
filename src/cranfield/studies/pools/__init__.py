"""Which documents should be judged, and is a pool fair to every run?"""
