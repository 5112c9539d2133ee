"""Commands that run in a pseudo-terminal."""

import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

CRANFIELD = [sys.executable, "-c", "from cranfield.cli import main; main()"]


def at_terminal(
    *words: str,
    cwd: Path,
    stdout: int | None = None,
    react: Callable[[subprocess.Popen[bytes], bytes], None] | None = None,
) -> tuple[int, str]:
    """Run a command at a terminal, calling ``react`` with what it has shown so far; its exit code and all it showed."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*CRANFIELD, *words],
        cwd=cwd,
        stdin=theirs,
        stdout=theirs if stdout is None else stdout,
        stderr=theirs,
        start_new_session=True,
    ) as process:
        os.close(theirs)
        shown = b""
        try:
            while part := os.read(ours, 4096):
                shown += part
                if react:
                    react(process, shown)
        except OSError:  # Linux says so where nobody holds the other end any more
            pass
        os.close(ours)
        return process.wait(timeout=60), shown.decode().replace("\r\n", "\n")
