"""Compact layout of the tables in a report."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from cranfield.core import Table
from cranfield.core.rendering import shown

CENTRES = ("difference", "mean", "value", "share", "tau")  # what a low and a high lie around
OPTIONAL = ("group", "date", "letters", "note", "flip", "warning")  # what a row need not have
KEPT = 2  # columns that are left, however alike their cells
LONG = 24  # letters from which a text that comes again stands below the table
FEW = 9  # texts below a table


@dataclass(frozen=True, slots=True)
class Laid:
    """A table with room to spare: what its columns said throughout, and what its rows refer to by number."""

    table: Table
    same: tuple[tuple[str, str], ...]  # column, word
    below: tuple[str, ...]  # "note 1: …"

    def on_paper(self) -> Table:
        """The table with these words in its caption and its notes, where there is no page around it."""
        told = "; ".join(f"{column}: {word}" for column, word in self.same)
        caption = " ".join(filter(None, [self.table.caption, f"({told})" if told else ""]))
        return replace(self.table, caption=caption, notes=(*self.below, *self.table.notes))


def lay(table: Table, columns: Sequence[str] = ()) -> Laid:
    """The table, or some of its columns, laid out for people."""
    names = list(columns) or [name for name in table.columns if not _says_nothing(table, name)]
    same = [name for name in names if _says_one_thing(table, name)][: max(0, len(names) - KEPT)]
    data = {name: table.column(name) for name in names if name not in same}
    below: list[str] = []
    for name in data:
        texts = list(dict.fromkeys(table.cells(name)))
        if _comes_again(texts, len(table)):
            below += [f"{name} {number}: {shown(text)}" for number, text in enumerate(texts, 1)]
            data[name] = tuple(str(texts.index(text) + 1) for text in table.cells(name))
    taken = {column for pair in table.ends.values() for column in pair}  # a table knows best what its ends are of
    guessed = {centre: pair for centre, pair in _ends(list(data)).items() if not taken & set(pair)}
    ends = {**guessed, **table.ends}
    ends = {centre: pair for centre, pair in ends.items() if {centre, *pair} <= set(data)}
    best = frozenset((row, name) for row, name in table.best if name in data)
    words = tuple((name, shown(table.cells(name)[0], name)) for name in same)
    return Laid(replace(table, data=data, best=best, ends=ends), words, tuple(below))


def first_rows(table: Table, count: int) -> Table:
    """The table down to a row."""
    if len(table) <= count:
        return table
    data = {name: table.column(name)[:count] for name in table.columns}
    return replace(table, data=data, best=frozenset(mark for mark in table.best if mark[0] < count))


def _says_nothing(table: Table, name: str) -> bool:
    """Whether nobody wrote anything where nobody need; a number that does not exist is another matter."""
    return name in OPTIONAL and len(table) > 0 and set(table.cells(name)) <= {None, ""}


def _says_one_thing(table: Table, name: str) -> bool:
    cells = set(table.cells(name))
    return len(cells) == 1 and all(isinstance(cell, str) and cell for cell in cells)


def _comes_again(texts: Sequence[object], rows: int) -> bool:
    """Whether these are the few long texts of a column with many rows."""
    long = all(isinstance(text, str) and len(text) > LONG for text in texts)
    return bool(texts) and long and len(texts) <= FEW and 2 * len(texts) <= rows


def _ends(names: list[str]) -> dict[str, tuple[str, str]]:
    """The columns that hold the ends of an interval around another: side by side, as tables of ours have them."""
    found = {}
    for low, high in pairwise(names):
        stem = low.removesuffix("low")
        if low != stem and high == f"{stem}high":
            before = names[: names.index(low)]
            named = stem.rstrip("_") or next((name for name in reversed(before) if name in CENTRES), "")
            if named in before:
                found[named] = (low, high)
    return found
