"""Run a command and print its seconds and peak memory.

A process of its own, and a small one: the peak of a child starts at the size of whoever started it.
"""

import json
import os
import sys
import time


def main(command: list[str]) -> None:
    """Wall time and peak memory of a whole process, after what it prints."""
    started = time.perf_counter()
    child = os.posix_spawnp(command[0], command, os.environ)
    _, status, usage = os.wait4(child, 0)
    seconds = time.perf_counter() - started
    print(json.dumps({"seconds": seconds, "megabytes": usage.ru_maxrss / 1000}), file=sys.stderr)
    sys.exit(os.waitstatus_to_exitcode(status))


main(sys.argv[1:])
