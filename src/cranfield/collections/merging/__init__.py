"""Methods that merge the labels of several workers into one."""
