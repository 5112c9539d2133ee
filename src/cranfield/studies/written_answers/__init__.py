"""How much of the required content do written answers contain, and is it supported?"""
