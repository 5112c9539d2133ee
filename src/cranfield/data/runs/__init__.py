"""Rankings, with the group, date, costs, metadata and factors of each run."""
