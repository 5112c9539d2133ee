"""Which texts do the topics have, and which topics are hard?"""
