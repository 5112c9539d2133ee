"""Commands for files of runs and judgments."""
