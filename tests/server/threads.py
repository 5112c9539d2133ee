"""Doing something many times at once."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def together(work: Callable[[], object], times: int) -> None:
    """Do something in so many threads, all at once."""
    gate = threading.Barrier(times)

    def one() -> None:
        gate.wait()
        work()

    threads = [threading.Thread(target=one) for _ in range(times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
