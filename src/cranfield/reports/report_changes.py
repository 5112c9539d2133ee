"""Differences between two versions of a report: program, inputs, verdicts and table cells."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from cranfield.core import Table, listed

from .embedded_data import Kept

Row: TypeAlias = Mapping[str, Any]
Key: TypeAlias = tuple[Any, ...]

COLUMNS = ("study", "table", "row", "column", "before", "after")
NAMING = ("a", "b", "run", "topic", "measure", "test")  # columns that say what a row is about
MISSING, ADDED = "rows missing", "rows added"
NAMED = 3  # rows that are named where some came or went


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One thing that is not the same; None where it was or is not there at all."""

    study: str = ""
    table: str = ""
    row: str = ""
    column: str = ""
    before: str | None = None
    after: str | None = None


def changes(before: Kept, after: Kept) -> Table:
    """One row for everything that differs: program, inputs, verdicts, rows that came or went, cells to the last digit.

    Rows are the same where the columns agree that say what they are about: a, b, run, topic, measure, test, and as many
    others from the left as it takes to tell the rows of a table apart.
    """
    found = [*_made_by(before.made_by, after.made_by), *_studies(_by_name(before), _by_name(after))]
    return Table({name: [getattr(change, name) for change in found] for name in COLUMNS}, "what changed")


def changes_sentence(found: Table) -> str:
    """What changed, in words."""
    if not len(found):
        return "Nothing changed: every number is the same to the last digit."
    rows: list[dict[str, Any]] = found.rows()
    made = [row for row in rows if row["table"] == "made_by"]
    inputs = [row["row"] for row in made if row["row"]]
    settings = [row["column"] for row in made if not row["row"]]
    verdicts = list(dict.fromkeys(row["study"] for row in rows if row["table"] == "verdict"))
    moved = [_moved(row) for row in rows if _counts_rows(row)]
    parts = [f"the {row['column']} {row['table'] or row['study']}" for row in rows if _is_part(row)]
    cells = [row for row in rows if row["table"] not in ("made_by", "verdict") and not _counts_rows(row)]
    cells = [row for row in cells if not _is_part(row)]
    tables = {(row["study"], row["table"]) for row in cells}
    said = [
        f"the verdict of {listed(verdicts)} changed" if verdicts else "",
        f"{_counted(inputs, 'input')} changed ({_few(inputs)})" if inputs else "",
        f"{listed(settings)} changed" if settings else "",
        f"{_counted(cells, 'cell')} in {_counted(tables, 'table')} changed" if cells else "",
        ", ".join(moved),
        f"{listed(parts)} came or went" if parts else "",
    ]
    text = "; ".join(filter(None, said))
    return f"{text[:1].upper()}{text[1:]}."


def _counts_rows(row: Row) -> bool:
    return row["column"] in (MISSING, ADDED)


def _moved(row: Row) -> str:
    count = row["before"] or row["after"]
    return f"{count} row{'s' * (count != '1')} {'went from' if row['before'] else 'came to'} {row['table']}"


def _is_part(row: Row) -> bool:
    return row["column"] in ("study", "table") and not row["row"]


def _counted(things: Sequence[Any] | set[Any], what: str) -> str:
    return f"{len(things):,} {what}{'s' * (len(things) != 1)}"


def _made_by(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Change]:
    """Inputs by name, then the rest; the command is how the two were made, and may differ in where it writes."""
    digests = [{one["name"]: one["digest"] for one in made.get("inputs", ())} for made in (before, after)]
    for name in dict.fromkeys([*digests[0], *digests[1]]):
        yield from _cell(Change(table="made_by", row=name, column="digest"), *(known.get(name) for known in digests))
    for name in ("version", "measures", "seed"):
        yield from _cell(Change(table="made_by", column=name), before.get(name), after.get(name))


def _by_name(kept: Kept) -> dict[str, Row]:
    """Studies by name; the second of one name is numbered."""
    found: dict[str, Row] = {}
    for study in kept.studies:
        name, times = str(study["study"]), sum(known["study"] == study["study"] for known in found.values())
        found[f"{name} {times + 1}" if times else name] = study
    return found


def _studies(before: Mapping[str, Row], after: Mapping[str, Row]) -> Iterator[Change]:
    for name in dict.fromkeys([*before, *after]):
        if name not in before or name not in after:
            yield _there(Change(study=name, column="study"), before=name in before)
            continue
        old, new = before[name], after[name]
        verdicts = old.get("verdict") or {}, new.get("verdict") or {}
        for key in dict.fromkeys([*verdicts[0], *verdicts[1]]):
            yield from _cell(Change(study=name, table="verdict", column=key), *(told.get(key) for told in verdicts))
        for table in dict.fromkeys([*old["tables"], *new["tables"]]):
            where = Change(study=name, table=table)
            if table in old["tables"] and table in new["tables"]:
                yield from _table(where, old["tables"][table], new["tables"][table])
            else:
                yield _there(replace(where, column="table"), before=table in old["tables"])


def _there(what: Change, *, before: bool) -> Change:
    return replace(what, before="there", after=None) if before else replace(what, before=None, after="there")


def _table(where: Change, before: Sequence[Row], after: Sequence[Row]) -> Iterator[Change]:
    naming = _naming(before, after)
    old, new = _keyed(before, naming), _keyed(after, naming)
    for key in (key for key in old if key in new and old[key] != new[key]):
        for column in dict.fromkeys([*old[key], *new[key]]):
            cell = replace(where, row=_told(key), column=column)
            yield from _cell(cell, old[key].get(column), new[key].get(column))
    missing, added = [key for key in old if key not in new], [key for key in new if key not in old]
    if missing:
        yield replace(where, row=_few([*map(_told, missing)], "; "), column=MISSING, before=f"{len(missing):,}")
    if added:
        yield replace(where, row=_few([*map(_told, added)], "; "), column=ADDED, after=f"{len(added):,}")


def _naming(*tables: Sequence[Row]) -> list[str]:
    """The columns that tell the rows of each table apart, as far as columns can."""
    columns = list(next((rows[0] for rows in tables if rows), ()))
    chosen = [name for name in NAMING if name in columns]
    apart = _distinct(tables, chosen)
    for name in columns:
        if all(count == len(rows) for count, rows in zip(apart, tables, strict=True)):
            break
        more = _distinct(tables, [*chosen, name])
        if more != apart:
            chosen, apart = [*chosen, name], more
    return chosen


def _distinct(tables: Sequence[Sequence[Row]], names: Sequence[str]) -> list[int]:
    return [len({tuple(row.get(name) for name in names) for row in rows}) for rows in tables]


def _keyed(rows: Sequence[Row], naming: Sequence[str]) -> dict[Key, Row]:
    """Rows by what they are about; those that nothing tells apart are numbered."""
    found: dict[Key, Row] = {}
    times: dict[Key, int] = {}
    for row in rows:
        key = tuple(row.get(name) for name in naming)
        times[key] = times.get(key, 0) + 1
        found[(*key, times[key])] = row
    return found


def _told(key: Key) -> str:
    """What a row is about, in words: its number only where it is not the first of its kind."""
    *names, time = key
    words = ["" if name is None else str(name) for name in names]
    return ", ".join(words) + (f" ({time})" if time > 1 else "")


def _few(names: Sequence[str], between: str = ", ") -> str:
    more = len(names) - NAMED
    return between.join(names[:NAMED]) + (f" and {more:,} more" if more > 0 else "")


def _cell(where: Change, before: Any, after: Any) -> Iterator[Change]:
    """A cell that is not the same, with every digit."""
    if before != after:
        yield replace(where, before=_exact(before), after=_exact(after))


def _exact(value: Any) -> str | None:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return (
        value
        if value is None or isinstance(value, str)
        else str(value).lower()
        if isinstance(value, bool)
        else repr(value)
    )
