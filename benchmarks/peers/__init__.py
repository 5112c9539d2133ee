"""Each peer does the same work in a process of its own: read two files, print the means of five measures."""
