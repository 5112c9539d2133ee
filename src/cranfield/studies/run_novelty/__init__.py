"""What does a run find that others miss?"""
