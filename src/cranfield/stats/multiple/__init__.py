"""Many comparisons at once: corrections, omnibus tests, simultaneous tests of all pairs."""
