"""What do the topics ask, and which of them are hard?"""
