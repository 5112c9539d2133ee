"""Output to a pipe whose reader has closed it, as `| head` does."""

import os
import sys


def discard_stdout() -> None:
    """Send further output to the null device, so that the command can finish and Python can close stdout."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
