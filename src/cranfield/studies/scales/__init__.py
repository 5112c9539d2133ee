"""On which scale are a measure's values, and which conclusions does the scale permit?"""
