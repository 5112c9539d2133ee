"""Which of two runs do users prefer when both are on one page?"""
