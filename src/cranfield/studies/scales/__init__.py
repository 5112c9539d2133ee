"""On which scale are a measure's values, and what does that permit?"""
