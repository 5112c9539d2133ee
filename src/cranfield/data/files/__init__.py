"""Files and frames: columns, rows, formats, limits, and what is wrong with an input."""
