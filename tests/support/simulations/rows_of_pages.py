"""Logs written cell by cell: pages of a few documents, with the checks of such a log."""

from collections.abc import Callable
from typing import Any

from cranfield.data import read_log
from cranfield.online import Check, log_checks


def never_lost(page: int, rank: int) -> bool:
    return False


def rows_of_pages(
    pages: int, length: int, cells: dict[str, Any], lost: Callable[[int, int], Any] = never_lost
) -> dict[str, list[Any]]:
    """Return the columns of a log, without the rows for which ``lost`` is true.

    A cell is one value for all rows, or a function of page and rank. Pages and documents have names and ranks if
    ``cells`` does not say otherwise.
    """
    usual: dict[str, Any] = {"impression": lambda page, _: f"i{page}", "topic": "q"}
    usual |= {"rank": lambda _, rank: rank, "document": lambda _, rank: f"d{rank}"}
    where = [(page, rank) for page in range(pages) for rank in range(1, length + 1) if not lost(page, rank)]
    return {
        name: [cell(page, rank) if callable(cell) else cell for page, rank in where]
        for name, cell in (usual | cells).items()
    }


def checks(data: Any) -> dict[str, Check]:
    """Return the trust checks of a log by name."""
    return {check.check: check for check in log_checks(read_log(data))}


def failed(data: Any) -> set[str]:
    """Return the names of the trust checks that fail."""
    return {name for name, check in checks(data).items() if not check.passed}
