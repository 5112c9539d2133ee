"""Which of many runs differ, by analysis of variance?"""
