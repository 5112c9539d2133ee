"""Parsing of measure names, names used by other tools, and output in the format of trec_eval."""
