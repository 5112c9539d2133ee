"""The cube of values by run, topic and measure, and score tables computed elsewhere."""
