"""Does a reproduced run match the original?"""
