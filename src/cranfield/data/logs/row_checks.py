"""Check the rows of a log: which are invalid, for which reason, and how doubtful cells are read."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cranfield.core import ParameterError
from cranfield.data.files.input_problems import problem

from .cell_types import convert, has_zone, is_empty
from .excluded_rows import ExcludedRows
from .impression_log import KEPT, Field
from .query_engines import Engine

if TYPE_CHECKING:
    from ibis.expr.types import Table as Expression

TIMES = ("time", "click_time")
EARLIEST, LATEST = 631_152_000.0, 4_102_444_800.0  # 1990 and 2100, in seconds since 1970
CLOCK_ERROR = 1.0  # seconds by which a click may precede its page: clocks are rounded
NO_DATE = "time before 1990 or after 2100"


def typed_rows(table: "Expression", fields: Mapping[str, Field]) -> "Expression":
    """Return every column in its type, with columns on the cells that :func:`checked_rows` needs."""
    cells: dict[str, Any] = {name: convert(table[name], fields[name]) for name in table.columns}
    cells["_empty"] = is_empty(table["clicked"])
    zoned = [name for name in TIMES if name in table.columns and table[name].type().is_string()]
    return table.select(**cells, **{f"_zoned_{name}": has_zone(table[name]) for name in zoned})


def count_cells(engine: Engine, rows: "Expression", ranks_from: int) -> dict[str, int]:
    """Return the counts that decide how doubtful cells are read.

    The first pass finds whether a cell is doubtful at all, by extremes, which are fast. Only then a second one counts.
    """
    extremes: dict[str, Any] = {
        "rank": rows["rank"].min(),
        "clicked": rows.clicked.min(),
        "known": rows.clicked.count(),
    }
    zones = [name for name in rows.columns if name.startswith("_zoned_")]
    times = [name for name in TIMES if name in rows.columns]
    for name in times:
        extremes |= {f"first_{name}": rows[name].min(), f"last_{name}": rows[name].max()}
    found = engine.fetch(rows.aggregate(rows=rows.count(), **extremes)).to_pylist()[0]
    doubtful = [
        ranks_from == 0 or (found["rank"] is not None and found["rank"] < 1),
        found["known"] < found["rows"] and found["clicked"],
        *(found[f"first_{name}"] is not None and found[f"first_{name}"] < EARLIEST for name in times),
        *(found[f"last_{name}"] is not None and found[f"last_{name}"] >= LATEST for name in times),
    ]
    if not zones and not any(doubtful):
        return {"rows": found["rows"]}
    return {"rows": found["rows"], **_exact_counts(engine, rows, zones)}


def _exact_counts(engine: Engine, rows: "Expression", zones: Sequence[str]) -> dict[str, int]:
    rank = rows["rank"]
    shown = rank.notnull() | rows.document.notnull()
    wanted: dict[str, Any] = {"clicked": rows.clicked, "unclicked": ~rows.clicked, "empty": rows._empty & shown}
    wanted |= {"rank_0": rank == 0, "rank_1": rank == 1}
    for name in TIMES:
        if name in rows.columns:
            wanted |= {f"{name}_dated": _is_dated(rows[name]), f"{name}_undated": ~_is_dated(rows[name])}
    for name in zones:
        time = name.removeprefix("_zoned_")
        wanted |= {f"{time}_zoned": rows[name], f"{time}_unzoned": ~rows[name]}
    counts: dict[str, Any] = {name: is_so.cast("int64").sum() for name, is_so in wanted.items()}
    return {name: int(count or 0) for name, count in engine.fetch(rows.aggregate(**counts)).to_pylist()[0].items()}


def check_ranks_from(ranks_from: int) -> None:
    """Refuse a first rank that is neither 0 nor 1."""
    if ranks_from not in (0, 1):
        raise ParameterError(f"ranks cannot start at {ranks_from}", hint="give 0 or 1")


def check_ranks(counts: Mapping[str, int], ranks_from: int, name: str) -> None:
    """Refuse ranks that start at 0 where they should start at 1, and the other way round."""
    check_ranks_from(ranks_from)
    zero, one = counts.get("rank_0", 0), counts.get("rank_1", 0)
    if ranks_from == 1 and zero and 2 * zero >= one:
        message = f"the ranks start at 0: {zero:,} rows have rank 0, {one:,} have rank 1"
        raise problem(name, "E-RANKS", message, "read them as 1, 2, 3, … with --ranks-from 0 (ranks_from=0)")
    if ranks_from == 0 and not zero:
        raise problem(name, "E-RANKS", "no row has rank 0", "read the ranks without --ranks-from 0")


def checked_rows(rows: "Expression", counts: Mapping[str, int], ranks_from: int) -> tuple["Expression", list[str]]:
    """Return the rows with the reason for their exclusion in ``_why``, and notes on how doubtful cells were read."""
    import ibis

    notes = []
    if ranks_from == 0:
        rows = rows.mutate(rank=rows["rank"] + 1)
    if counts.get("empty") and counts["clicked"] and not counts["unclicked"]:
        rows = rows.mutate(clicked=rows._empty.ifelse(False, rows.clicked))
        notes.append(f"{counts['empty']:,} empty cells of clicked are read as no click: the column has no 0")
    notes += _zone_notes(counts)
    why = ibis.cases(*_page_reasons(rows), *_time_reasons(rows, counts), else_=KEPT)
    helpers = [name for name in rows.columns if name == "_empty" or name.startswith("_zoned_")]
    return rows.mutate(clicked=rows.clicked.fill_null(False), _why=why).drop(*helpers), notes


def _page_reasons(rows: "Expression") -> list[tuple[Any, str]]:
    empty = rows["rank"].isnull() & rows.document.isnull()  # a page without results
    reasons = [
        (rows.impression.isnull(), "no impression"),
        (rows.topic.isnull(), "no topic"),
        (~empty & rows["rank"].isnull(), "no rank"),
        (rows["rank"] < 1, "rank below 1"),
        (~empty & rows.document.isnull(), "no document"),
        (~empty & rows.clicked.isnull(), "neither clicked nor not"),
    ]
    return reasons + [(rows[name].isnull(), f"no {name}") for name in ("user", "time") if name in rows.columns]


def _time_reasons(rows: "Expression", counts: Mapping[str, int]) -> list[tuple[Any, str]]:
    """Return the tests of impossible times. Times of a clock without a date (0, 1, 2, … seconds) are possible."""
    reasons: list[tuple[Any, str]] = []
    for name in TIMES:
        zoned, unzoned = counts.get(f"{name}_zoned", 0), counts.get(f"{name}_unzoned", 0)
        if zoned and unzoned:
            has = rows[f"_zoned_{name}"]
            reasons.append(
                (~has, f"{name} without a time zone") if zoned >= unzoned else (has, f"{name} with a time zone")
            )
        if counts.get(f"{name}_dated", 0) > counts.get(f"{name}_undated", 0) > 0:
            reasons.append((~_is_dated(rows[name]), NO_DATE if name == "time" else f"click {NO_DATE}"))
    if set(TIMES) <= set(rows.columns):
        reasons.append(
            (rows.clicked & (rows.click_time < rows.time - CLOCK_ERROR), "clicked before the page was shown")
        )
    if "dwell" in rows.columns:
        reasons.append((rows.clicked & (rows.dwell < 0), "negative dwell"))
    return reasons


def _zone_notes(counts: Mapping[str, int]) -> list[str]:
    """Return a note where pages and clicks differ in whether their times name a zone."""
    zoned = [counts.get(f"{name}_zoned", 0) > counts.get(f"{name}_unzoned", 0) for name in TIMES]
    known = all(counts.get(f"{name}_zoned", 0) + counts.get(f"{name}_unzoned", 0) for name in TIMES)
    if not known or zoned[0] == zoned[1]:
        return []
    return [f"{TIMES[zoned[0]]} has no time zone, and is read as UTC; {TIMES[not zoned[0]]} has one"]


def _is_dated(time: Any) -> Any:
    return (time >= EARLIEST) & (time < LATEST)


def count_excluded(engine: Engine, rows: "Expression", name: str) -> ExcludedRows:
    """Count the rows by the reason for their exclusion, and by arm (or team); refuse a log without valid rows."""
    arm = next((column for column in ("arm", "team") if column in rows.columns), None)
    groups = rows.group_by(["_why", *([arm] if arm else [])])
    rank = rows["rank"].cast("float64")
    cells = engine.fetch(groups.aggregate(rows=rows.count(), ranks=rank.sum(), ranked=rank.count())).to_pylist()
    arms: dict[str, int] = {}
    for cell in cells:
        if arm and cell[arm] is not None:
            arms[cell[arm]] = arms.get(cell[arm], 0) + cell["rows"]
    counts = [(cell["_why"], cell[arm] if arm else None, cell["rows"]) for cell in cells if cell["_why"] != KEPT]
    valid = [cell for cell in cells if cell["_why"] == KEPT]
    counts.sort(key=lambda one: (one[0], one[1] or ""))  # engines return groups in any order
    total = sum(cell["rows"] for cell in cells)
    excluded = ExcludedRows(total, tuple(counts), dict(sorted(arms.items())), _rows_per_page(valid))
    if not valid:
        reason = next(iter(excluded.reasons))
        raise problem(name, "E-EMPTY", f"no row can be used: {reason}", "look at the columns: --column WHAT=NAME")
    return excluded


def _rows_per_page(cells: Sequence[Mapping[str, Any]]) -> float:
    """Return the usual length of a page: n where ranks are 1 to n, whose mean is (n + 1) / 2."""
    ranked = sum(cell["ranked"] for cell in cells)
    return max(1.0, 2 * sum(cell["ranks"] or 0.0 for cell in cells) / ranked - 1) if ranked else 1.0
