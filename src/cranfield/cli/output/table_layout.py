"""Layout of the tables of a study for the terminal."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

from cranfield.core import Study, Table
from cranfield.data import Values

Cells = dict[str, Any]


def lay_out(
    study: Study,
    rows: Mapping[str, int | None],
    *,
    usual: int | None = None,
    adapt: Callable[[str, Cells], Cells] = lambda _, cells: cells,
) -> dict[str, Table]:
    """The tables of a study with few rows, no empty columns and no notes; ``adapt`` changes the columns of some.

    ``rows`` says how many a table has, ``usual`` those that it does not name; None: all.
    """
    tables = {name: table for name, table in study.tables.items() if len(table)}
    return {name: _short(table, name, rows.get(name, usual), adapt) for name, table in tables.items()}


def _short(table: Table, name: str, rows: int | None, adapt: Callable[[str, Cells], Cells]) -> Table:
    kept = len(table) if rows is None else rows
    cells = {column: table.cells(column, slice(0, kept)) for column in table.columns}
    data = adapt(name, {column: each for column, each in cells.items() if any(cell is not None for cell in each)})
    more = f": the first {kept} of {len(table):,}; --table {name} has all" if len(table) > kept else ""
    ends = {middle: sides for middle, sides in table.ends.items() if {middle, *sides} <= set(data)}
    return replace(table, data=data, caption=f"{table.caption}{more}", notes=(), ends=ends)


def notes_on(study: Study, tables: Collection[str] | None = None) -> tuple[str, ...]:
    """The notes of all tables, or of some, each once."""
    chosen = study.tables if tables is None else [name for name in tables if name in study.tables]
    return tuple(dict.fromkeys(note for name in chosen for note in study[name].notes))


def by_topic(rows: Table, values: Values, of: str) -> Table:
    """One row per run and topic, one column per measure: what people compare topics in."""
    n = len(values.measures)
    columns: dict[str, Any] = {"run": rows["run"][::n], "topic": rows["topic"][::n]}
    ends = {}
    for i, measure in enumerate(values.measures):
        shown = {of: str(measure)}
        if of == "value" and "low" in rows.columns:
            ends[str(measure)] = (f"{measure} low", f"{measure} high")
            shown |= dict(zip(("low", "high"), ends[str(measure)], strict=True))
        for name, header in shown.items():
            column: Any = rows[name][i::n]
            columns[header] = column.astype(int) if measure.aggregate == "sum" else column
    return Table(columns, rows.caption, rows.made_by, ends=ends)
