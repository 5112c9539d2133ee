"""Which relevant documents does a run find that other runs miss?"""
