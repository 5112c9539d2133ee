"""Check the rows of a log: which are invalid, for which reason, and how doubtful cells are read."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cranfield.core import ParameterError
from cranfield.data.files.input_problems import problem

from .cell_types import convert, has_clock, has_zone, is_empty, is_unreadable
from .excluded_rows import ExcludedRows
from .impression_log import KEPT, Field
from .query_engines import Engine

if TYPE_CHECKING:
    from ibis.expr.types import Table as Expression

TIMES = ("time", "click_time")
OF_CLICKS = ("click_time", "dwell")  # what they hold on a document without a click does not matter
OF_PAGES = ("answered", "converted", "revenue", "satisfaction")
EARLIEST, LATEST = 631_152_000.0, 4_102_444_800.0  # 1990 and 2100, in seconds since 1970
CLOCK_ERROR = 1.0  # seconds by which a click may precede its page: clocks are rounded
MIXED = 1.25  # rows with rank 1 for each with rank 0, above which not all pages start at rank 0
PARTS = {"zoned": has_zone, "clocked": has_clock}  # parts that the text of a time may have
NO = {"answered": "no", "converted": "no", "revenue": "0"}  # what an empty cell is read as
MAX_UNREAD = 0.01  # proportion of the clicks that may lack a dwell without a note
NO_DATE = "time before 1990 or after 2100"


def typed_rows(engine: Engine, table: "Expression", fields: Mapping[str, Field]) -> "Expression":
    """Return every column in its type, with columns on the cells that :func:`checked_rows` needs."""
    cells: dict[str, Any] = {name: convert(table[name], fields[name]) for name in table.columns}
    for name in (*OF_CLICKS, *OF_PAGES):
        if name in cells and (unreadable := is_unreadable(table[name], cells[name])) is not None:
            cells[f"_unreadable_{name}"] = unreadable
    cells["_empty"] = is_empty(table["clicked"])
    return table.select(**cells, **_parts_of_times(engine, table, cells))


def _parts_of_times(engine: Engine, table: "Expression", cells: Mapping[str, Any]) -> dict[str, Any]:
    """Return whether each time has a zone, and in text a time of day, in columns to count.

    There are none where types say that all times have a zone or none has. A text that is no time has neither.
    """
    types = {name: table[name].type() for name in TIMES if name in table.columns}
    zones = engine.zones(table, [name for name, kind in types.items() if kind.is_temporal()])
    text = [name for name, kind in types.items() if kind.is_string()]
    if not text and len(set(zones.values())) < 2:
        return {}
    typed = {f"_zoned_{name}": table[name].notnull().ifelse(zone, None) for name, zone in zones.items()}
    tests = [(f"_{part}_{name}", name, test) for name in text for part, test in PARTS.items()]
    return {column: cells[name].isnull().ifelse(None, test(table[name])) for column, name, test in tests} | typed


def count_cells(engine: Engine, rows: "Expression", ranks_from: int) -> dict[str, int]:
    """Return the counts that decide how doubtful cells are read.

    The first pass finds whether a cell is doubtful at all, by extremes, which are fast. Only then a second one counts.
    """
    extremes: dict[str, Any] = {
        "rank": rows["rank"].min(),
        "clicked": rows.clicked.min(),
        "known": rows.clicked.count(),
    }
    zones = [name for name in rows.columns if name.startswith(tuple(f"_{part}_" for part in PARTS))]
    times = [name for name in TIMES if name in rows.columns]
    for name in times:
        time = rows.clicked.ifelse(rows[name], None) if name in OF_CLICKS else rows[name]
        extremes |= {f"first_{name}": time.min(), f"last_{name}": time.max()}
    outcomes = [name for name in NO if name in rows.columns]
    for name in outcomes:
        extremes |= {f"least_{name}": rows[name].min(), f"known_{name}": rows[name].count()}
    if "dwell" in rows.columns:
        extremes |= {"clicks": rows.clicked.cast("int64").sum(), "dwells": rows.dwell.count(where=rows.clicked)}
    found = engine.fetch(rows.aggregate(rows=rows.count(), **extremes)).to_pylist()[0]
    doubtful = [
        *(found[f"known_{name}"] < found["rows"] and found[f"least_{name}"] == 0 for name in outcomes),
        (found.get("clicks") or 0) > (found.get("dwells") or 0),
        ranks_from == 0 or (found["rank"] is not None and found["rank"] < 1),
        found["known"] < found["rows"] and found["clicked"],
        *(found[f"first_{name}"] is not None and found[f"first_{name}"] < EARLIEST for name in times),
        *(found[f"last_{name}"] is not None and found[f"last_{name}"] >= LATEST for name in times),
    ]
    if not zones and not any(doubtful):
        return {"rows": found["rows"]}
    return {"rows": found["rows"], **_exact_counts(engine, rows, ranks_from, zones)}


def _exact_counts(engine: Engine, rows: "Expression", ranks_from: int, zones: Sequence[str]) -> dict[str, int]:
    rank = rows["rank"]
    shown = rank.notnull() | rows.document.notnull()
    wanted: dict[str, Any] = {"clicked": rows.clicked, "unclicked": ~rows.clicked, "empty": rows._empty & shown}
    if "dwell" in rows.columns:
        wanted["no_dwell"] = rows.clicked & rows.dwell.isnull() & ~_unreadable(rows, "dwell")
    for name in NO:
        if name in rows.columns:
            wanted |= {f"{name}_no": rows[name].cast("float64") == 0}
            wanted |= {f"{name}_empty": shown & rows[name].isnull() & ~_unreadable(rows, name)}
    wanted |= {"rank_0": rank == 0, "rank_1": rank == 1, "too_low": rank < ranks_from}
    for name in TIMES:
        if name in rows.columns:
            counted, dated = _is_counted(rows, name), _is_dated(rows[name])
            wanted |= {f"{name}_dated": counted & dated, f"{name}_undated": counted & ~dated}
    for name in zones:
        _, part, time = name.split("_", 2)
        counted = _is_counted(rows, time)
        wanted |= {f"{time}_{part}": counted & rows[name], f"{time}_un{part}": counted & ~rows[name]}
    counts: dict[str, Any] = {name: is_so.cast("int64").sum() for name, is_so in wanted.items()}
    return {name: int(count or 0) for name, count in engine.fetch(rows.aggregate(**counts)).to_pylist()[0].items()}


def _unreadable(rows: "Expression", name: str) -> Any:
    """Return whether a cell is neither empty nor of the type of its column."""
    import ibis

    return (
        rows[f"_unreadable_{name}"].fill_null(False) if f"_unreadable_{name}" in rows.columns else ibis.literal(False)
    )


def check_ranks_from(ranks_from: int) -> None:
    """Refuse a first rank that is neither 0 nor 1."""
    if ranks_from not in (0, 1):
        raise ParameterError(f"ranks cannot start at {ranks_from}", hint="give 0 or 1")


def check_ranks(counts: Mapping[str, int], ranks_from: int, name: str) -> None:
    """Refuse ranks that start at 0 where they should start at 1, and the other way round."""
    check_ranks_from(ranks_from)
    zero, one = counts.get("rank_0", 0), counts.get("rank_1", 0)
    if ranks_from == 1 and one > MIXED * zero and 4 * zero >= one:
        message = f"some pages start at rank 0 and others at rank 1: {zero:,} rows have rank 0, {one:,} have rank 1"
        raise problem(name, "E-RANKS", message, "give the first document of every page rank 1")
    if ranks_from == 1 and zero and 4 * zero >= one:
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
    if counts.get("too_low"):
        rows = _with_shifted_pages(rows)
    if counts.get("empty") and counts["clicked"] and not counts["unclicked"]:
        rows = rows.mutate(clicked=rows._empty.ifelse(False, rows.clicked))
        notes.append(f"{counts['empty']:,} empty cells of clicked are read as no click: the column has no 0")
    notes += _empty_notes(counts) + _time_notes(counts)
    why = ibis.cases(*_page_reasons(rows), *_time_reasons(rows, counts), else_=KEPT)
    begins = ("_empty", "_shifted", "_zoned_", "_clocked_", "_unreadable_")
    helpers = [name for name in rows.columns if name.startswith(begins)]
    return rows.mutate(clicked=rows.clicked.fill_null(False), _why=why).drop(*helpers), notes


def _with_shifted_pages(rows: "Expression") -> "Expression":
    """Return the rows with ``_shifted``: whether the ranks of their page are 0 to n - 1, so that all are 1 too low."""
    low = rows.filter(rows["rank"] < 1).select("impression").distinct()
    there = rows.semi_join(low, "impression")
    ranks: dict[str, Any] = {"n": there["rank"].nunique(), "least": there["rank"].min(), "most": there["rank"].max()}
    pages = there.group_by("impression").aggregate(**ranks)
    shifted = pages.filter((pages.least == 0) & (pages.most == pages.n - 1)).select("impression").mutate(_shifted=True)
    joined = rows.left_join(shifted, "impression").drop("impression_right")
    return joined.mutate(_shifted=joined._shifted.fill_null(False))


def _page_reasons(rows: "Expression") -> list[tuple[Any, str]]:
    empty = rows["rank"].isnull() & rows.document.isnull()  # a page without results
    reasons = [
        (rows.impression.isnull(), "no impression"),
        (rows.topic.isnull(), "no topic"),
        (~empty & rows["rank"].isnull(), "no rank"),
        (rows["rank"] < 1, "rank below 1"),
        *([(rows._shifted, "ranks of a page from 0")] if "_shifted" in rows.columns else []),
        (~empty & rows.document.isnull(), "no document"),
        (~empty & rows.clicked.isnull(), "neither clicked nor not"),
    ]
    return reasons + [(rows[name].isnull(), f"no {name}") for name in ("user", "time") if name in rows.columns]


def _time_reasons(rows: "Expression", counts: Mapping[str, int]) -> list[tuple[Any, str]]:
    """Return the tests of unreadable cells and impossible times.

    Times of a clock without a date (0, 1, 2, … seconds) are possible.
    """
    reasons = [
        ((rows.clicked if name in OF_CLICKS else True) & rows[f"_unreadable_{name}"], f"unreadable {name}")
        for name in (*OF_CLICKS, *OF_PAGES)
        if f"_unreadable_{name}" in rows.columns
    ]
    for name in TIMES:
        for part, words in (("clocked", "a time of day"), ("zoned", "a time zone")):
            having, lacking = counts.get(f"{name}_{part}", 0), counts.get(f"{name}_un{part}", 0)
            if having and lacking:
                has, counted = rows[f"_{part}_{name}"], _is_counted(rows, name)
                odd = (~has, f"{name} without {words}") if having >= lacking else (has, f"{name} with {words}")
                reasons.append((counted & odd[0], odd[1]))
        if counts.get(f"{name}_dated", 0) > counts.get(f"{name}_undated", 0) > 0:
            undated = _is_counted(rows, name) & ~_is_dated(rows[name])
            reasons.append((undated, NO_DATE if name == "time" else f"click {NO_DATE}"))
    if set(TIMES) <= set(rows.columns):
        reasons.append(
            (rows.clicked & (rows.click_time < rows.time - CLOCK_ERROR), "clicked before the page was shown")
        )
    if "dwell" in rows.columns:
        reasons.append((rows.clicked & (rows.dwell < 0), "negative dwell"))
    return reasons


def _empty_notes(counts: Mapping[str, int]) -> list[str]:
    """Return notes on empty cells that are read as no or 0 next to cells that say so, and on clicks without dwell."""
    notes = [
        f"{counts[f'{name}_empty']:,} empty cells of {name} are read as {word}: other cells say {word}"
        for name, word in NO.items()
        if counts.get(f"{name}_no") and counts.get(f"{name}_empty")
    ]
    lacking, clicks = counts.get("no_dwell", 0), counts.get("clicked", 0)
    if lacking > MAX_UNREAD * clicks:
        notes.append(f"{lacking:,} of {clicks:,} clicks have no dwell: they do not count as satisfied")
    return notes


def _time_notes(counts: Mapping[str, int]) -> list[str]:
    """Return notes where pages and clicks differ in whether their times name a zone or have a time of day."""
    clocked = [counts.get(f"{name}_clocked", 0) > counts.get(f"{name}_unclocked", 0) for name in TIMES]
    undated = [counts.get(f"{name}_unclocked", 0) > 0 for name in TIMES]
    return _zone_notes(counts) + [
        f"{TIMES[i]} has dates without a time of day, read as midnight; {TIMES[1 - i]} has times of day"
        for i in (0, 1)
        if undated[i] and not clocked[i] and clocked[1 - i]
    ]


def _zone_notes(counts: Mapping[str, int]) -> list[str]:
    """Return a note where pages and clicks differ in whether their times name a zone."""
    zoned = [counts.get(f"{name}_zoned", 0) > counts.get(f"{name}_unzoned", 0) for name in TIMES]
    known = all(counts.get(f"{name}_zoned", 0) + counts.get(f"{name}_unzoned", 0) for name in TIMES)
    if not known or zoned[0] == zoned[1]:
        return []
    return [f"{TIMES[zoned[0]]} has no time zone, and is read as UTC; {TIMES[not zoned[0]]} has one"]


def _is_counted(rows: "Expression", name: str) -> Any:
    """Return whether a cell matters: what documents without a click have in the columns of clicks does not."""
    import ibis

    return rows.clicked if name in OF_CLICKS else ibis.literal(True)


def _is_dated(time: Any) -> Any:
    return (time >= EARLIEST) & (time < LATEST)


def count_excluded(engine: Engine, rows: "Expression", name: str) -> ExcludedRows:
    """Count the rows by the reason for their exclusion, and by arm (or team); refuse a log without valid rows."""
    arm = next((column for column in ("arm", "team") if column in rows.columns), None)
    groups = rows.group_by(["_why", *([arm] if arm else [])])
    cells = engine.fetch(groups.aggregate(rows=rows.count())).to_pylist()
    arms: dict[str, int] = {}
    for cell in cells:
        if arm and cell[arm] is not None:
            arms[cell[arm]] = arms.get(cell[arm], 0) + cell["rows"]
    counts = [(cell["_why"], cell[arm] if arm else None, cell["rows"]) for cell in cells if cell["_why"] != KEPT]
    counts.sort(key=lambda one: (one[0], one[1] or ""))  # engines return groups in any order
    total = sum(cell["rows"] for cell in cells)
    excluded = ExcludedRows(total, tuple(counts), dict(sorted(arms.items())))
    if excluded.rows == total:
        reason = next(iter(excluded.reasons))
        raise problem(name, "E-EMPTY", f"no row can be used: {reason}", "look at the columns: --column WHAT=NAME")
    together = rows_together(engine, rows.filter(rows._why != KEPT)) if excluded.rows and len(arms) > 1 else 1.0
    return replace(excluded, rows_together=together)


def exclude_rows(engine: Engine, excluded: ExcludedRows, rows: "Expression", reason: str) -> ExcludedRows:
    """Return the count of excluded rows with these rows of arms added."""
    counts = engine.fetch(rows.group_by("arm").aggregate(rows=rows.count())).to_pylist()
    more = excluded.add(reason, {row["arm"]: row["rows"] for row in counts})
    return replace(more, rows_together=max(excluded.rows_together, rows_together(engine, rows)))


def rows_together(engine: Engine, rows: "Expression") -> float:
    """Return how many rows come together on average: Σ r² / Σ r over the numbers of rows r of users.

    Rows without a user belong to their session or impression. This is the variance of a sum of rows relative to that
    of a sum of independent rows.
    """
    import ibis

    names = [name for name in ("user", "session", "impression") if name in rows.columns]
    owner = ibis.cases(*((rows[name].notnull(), rows[name].concat(f" {name}")) for name in names), else_=None)
    owners = rows.group_by(owner_=owner).aggregate(n=rows.count().cast("float64"))
    known = owners.filter(owners.owner_.notnull())
    found = engine.fetch(known.aggregate(squares=(known.n * known.n).sum(), rows=known.n.sum())).to_pylist()[0]
    return max(1.0, found["squares"] / found["rows"]) if found["rows"] else 1.0
