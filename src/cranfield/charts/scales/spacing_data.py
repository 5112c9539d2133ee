"""Data of spacing charts: the possible values of each measure, and the gaps between them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from cranfield.charts.chart_text import counted, listed, lower_is_better, number, short
from cranfield.charts.label_placement import Axis
from cranfield.core import ParameterError, Table
from cranfield.core.rendering import visible

HIGH = 310  # of a panel, in points
NAMED = 32  # up to so many values have their rankings beside them
EVEN, UNEVEN = "equal steps", "unequal steps"
SAME = 1e-12  # gaps that differ by less, for each value and unit of the largest, are the same


@dataclass(frozen=True)
class Panel:
    """The values of one measure, from the lowest up, and the rankings that have each."""

    measure: str
    values: list[float]
    gaps: list[float]
    rankings: list[str]
    whole: bool = True  # none of its values is left out of the table

    @cached_property
    def kind(self) -> str:
        """Whether all steps from one value to the next are equal."""
        room = SAME * len(self.values) * max(abs(self.values[0]), abs(self.values[-1]))
        return EVEN if not self.gaps or max(self.gaps) - min(self.gaps) <= room else UNEVEN

    @cached_property
    def axis(self) -> Axis:
        """From 0 to 1 where that holds all values, else from the lowest to the highest; the best is on top."""
        low, high = self.values[0], self.values[-1]
        ends = (0.0, 1.0) if self.common else (low, high) if low < high else (low - 1, high + 1)
        return Axis(*(ends[::-1] if lower_is_better(self.measure) else ends), HIGH)

    @property
    def common(self) -> bool:
        """Whether the values lie from 0 to 1, with more the better."""
        return self.values[0] >= 0 and self.values[-1] <= 1 and not lower_is_better(self.measure)

    @property
    def count(self) -> str:
        """How many values there are, in words."""
        return counted(len(self.values), "value") + " shown" * (not self.whole)

    @property
    def steps(self) -> str:
        """How large the steps are, in words."""
        if not self.gaps:
            return "no steps"
        if self.kind == EVEN:
            return f"steps of {_size(self.gaps[0])}"
        return f"steps {_size(min(self.gaps))} to {_size(max(self.gaps))}"


def panels_of(table: Table) -> Iterator[Panel]:
    """The rows of each measure, sorted by value; there may be a million."""
    found: dict[Any, list[tuple[Any, Any, Any]]] = {}
    cells = (table.cells(name) for name in ("measure", "value", "gap", "rankings"))
    for measure, value, gap, rankings in zip(*cells, strict=True):
        if value is not None:
            found.setdefault(measure, []).append((value, gap, rankings))
    if not found:
        hint = "draw a table with a row that has value"
        raise ParameterError("there is nothing to draw: no row has value", hint=hint)
    for measure, rows in found.items():
        rows.sort(key=lambda row: row[0])
        words = [visible(str(row[2] or "")) for row in rows] if len(rows) <= NAMED else []
        gaps = [gap for _, gap, _ in rows[:-1] if gap is not None]
        whole = not any(note.startswith(f"{measure}: of ") and note.endswith(" shown") for note in table.notes)
        yield Panel(visible(str(measure)), [value for value, *_ in rows], gaps, words, whole)


def _size(gap: float) -> str:
    """A gap as short text, however small."""
    if gap >= 0.0005 or not gap:
        return number(gap)
    return re.sub("e-0?", "e−", f"{gap:.0e}")


def equal_or_not(panels: list[Panel]) -> str:
    """Which measures have equal steps, and which have not."""
    even, uneven = ([short(panel.measure) for panel in panels if panel.kind == kind] for kind in (EVEN, UNEVEN))
    if len(panels) == 1:
        (panel,) = panels
        kind = panel.kind.split()[0] if panel.gaps else "one value and"
        return f"{short(panel.measure)} has {kind} {panel.steps}"
    if not (even and uneven):
        return f"{listed(even or uneven)} have {panels[0].kind}"
    have, not_have = ("has" if len(names) == 1 else "have" for names in (even, uneven))
    return f"{listed(even)} {have} {EVEN}; {listed(uneven)} {not_have} not"
