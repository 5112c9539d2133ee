"""Labels of several workers, and votes between two documents."""
