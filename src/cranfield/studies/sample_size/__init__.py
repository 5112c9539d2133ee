"""How many topics does an experiment need?"""
