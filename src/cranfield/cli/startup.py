"""Entry point of the program, which avoids expensive imports until a command needs them."""

import gc
import os
import sys

from .prefetch import begin

TYPE_CHECKING = False  # typing itself takes some milliseconds
if TYPE_CHECKING:
    from collections.abc import Sequence


def run() -> None:
    """Run the command that was typed, and end the process."""
    gc.disable()  # a command is over before its garbage matters
    try:
        begin(sys.argv[1:])
        from .dispatch import run as run_typed
    except KeyboardInterrupt:  # in the middle of an import
        os.write(2, b"error: interrupted\n")
        os._exit(130)
    run_typed()


def main(arguments: "Sequence[str] | None" = None) -> None:
    """Run a command. Exit 0: done; 1: an error; 2: wrong usage; 3: a check that was asked for failed."""
    from .dispatch import main as run_typed

    run_typed(arguments)
