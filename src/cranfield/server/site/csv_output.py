"""CSV output in which no cell can be interpreted as a spreadsheet formula."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from cranfield.data import flatten_metadata

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

BOARD = (
    "run group key letters rank rank_low rank_high value low high difference p_adjusted p_first answered unjudged "
    "released kind date runs anonymous_until badges"
).split()
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a cell that starts so is computed, not shown
GUARD = "'"


def board_to_csv(rows: Iterable[Mapping[str, Any]]) -> str:
    """The rows of a board; what a run's header says stands in one cell."""
    cells = ([*(row[name] for name in BOARD), _in_one_cell(row["metadata"])] for row in rows)
    return to_csv([*BOARD, "metadata"], cells)


def _in_one_cell(metadata: Mapping[str, Any]) -> str:
    return "; ".join(f"{path}: {text}" for path, text in flatten_metadata(metadata))


def to_csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Comma-separated text: numbers as they are, text that a spreadsheet would compute behind a quote."""
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\r\n")
    writer.writerow([guarded(name) for name in columns])
    writer.writerows([guarded(cell) for cell in row] for row in rows)
    return made.getvalue()


def guarded(cell: Any) -> Any:
    """A cell that a spreadsheet shows as it is."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, int | float):
        return cell
    if isinstance(cell, list | tuple):
        cell = " ".join(map(str, cell))
    text = str(cell)
    return f"{GUARD}{text}" if text.startswith(FORMULA) else text
