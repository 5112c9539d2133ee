"""How many nuggets do written answers contain, and do their citations support them?"""
