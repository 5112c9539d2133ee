"""What would another policy have earned?"""
