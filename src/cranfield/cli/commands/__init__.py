"""One module per command, grouped as the help lists them."""
