"""The rank of every judged document in every run, as arrays."""
