"""Run code in several threads with separate database connections, and wait for a condition."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

from django.db import connection

from cranfield.server.jobs import job_queue

if TYPE_CHECKING:
    from collections.abc import Callable


def in_threads(count: int, work: Callable[[int], object]) -> list[BaseException]:
    """Run the same in several threads at once, each with a connection of its own; what was raised."""
    errors: list[BaseException] = []
    together = threading.Barrier(count)

    def one(number: int) -> None:
        try:
            together.wait(10)
            work(number)
        except BaseException as error:
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=one, args=[number]) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return errors


def worker(**how: Any) -> threading.Thread:
    """A worker in a thread of its own, not yet started."""

    def run() -> None:
        job_queue.work(**how)
        connection.close()

    return threading.Thread(target=run)


def wait_for(happened: Callable[[], object], seconds: float = 20) -> None:
    """Wait until something has happened."""
    until = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < until, "it never happened"
        time.sleep(0.02)
