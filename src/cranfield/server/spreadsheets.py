"""Tables for spreadsheets, in which no cell becomes a formula."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a cell that starts so is computed, not shown
GUARD = "'"


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
