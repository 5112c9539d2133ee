"""How good is each run?"""
