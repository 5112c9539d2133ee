"""``python -m cranfield``: the command, where its script is not on the path."""

from cranfield.cli import run

run()
