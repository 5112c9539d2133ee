"""How much reward would another policy have earned?"""
