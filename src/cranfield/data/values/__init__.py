"""Values: the cube run × topic × measure, and score tables computed elsewhere."""
