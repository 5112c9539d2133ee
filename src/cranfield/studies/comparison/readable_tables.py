"""Tables of a comparison for readers: evidence with run names as columns, and verdicts on several pairs."""

from typing import Any

from cranfield.core import Study, Table
from cranfield.core.rendering import visible

PAIR_COLUMNS = ("a", "b", "verdict", "measure", "n", "value_a", "value_b", "difference", "low", "high", "p_adjusted")
MAX_NAME = 24  # characters of a run name in the heading of a column
EVIDENCE_COLUMNS = ("line", "status", "n", "difference", "low", "high", "p_adjusted", "test")  # and the two runs
ONLY_P = "* significant by p, though the interval contains 0"
RESERVED = {*EVIDENCE_COLUMNS, "topic"}


def readable_evidence(study: Study) -> Table:
    """Return the lines of evidence on one pair, the two runs as columns.

    Parameters
    ----------
    study : Study
        A comparison of one pair.

    Returns
    -------
    Table
        One row for each line: what it compares, status, topics, the value of each run, difference, p and test.
    """
    table = study["evidence"]
    rows = table.rows()
    a, b = column_names(str(rows[0]["a"]), str(rows[0]["b"]))
    laid: list[dict[str, Any]] = []
    for row in rows:
        status = f"{row['status']}*" if only_p(row["status"], row["low"], row["high"]) else row["status"]
        values = {"line": line_name(row), "status": status, a: row["value_a"], b: row["value_b"]}
        laid.append({name: row[name] for name in EVIDENCE_COLUMNS} | values)
    columns = (*EVIDENCE_COLUMNS[:3], a, b, *EVIDENCE_COLUMNS[3:])
    readable = Table.from_rows(laid, columns, caption=f"differences are {rows[0]['b']} − {rows[0]['a']}")
    marked = any(row["status"].endswith("*") for row in laid)
    notes = (*table.notes, ONLY_P) if marked else table.notes
    return Table(readable.data, readable.caption, table.made_by, notes, ends={"difference": ("low", "high")})


def only_p(kind: Any, low: Any, high: Any) -> bool:
    """Return whether a result is significant by its p-value although the interval contains 0."""
    return kind in ("better", "worse", "mixed") and low is not None and high is not None and low <= 0 <= high


def line_name(row: dict[str, Any]) -> str:
    """Return what a line of evidence compares: a measure, topics answered, first relevant document, dominance."""
    measure = str(row["measure"])
    return {
        "measure": measure,
        "answered": f"answered within {measure.partition('@')[2]}",
        "first relevant": f"first relevant ({measure.replace('(', ', ').rstrip(')')})",
    }.get(str(row["line"]), str(row["line"]))


def summary_of_values(study: Study) -> str:
    """Return the values of the primary measure: of both runs, or of a baseline and the range of the other runs."""
    rows = study["verdicts"].rows()
    first: dict[str, Any] = rows[0]
    if first["value_a"] is None or first["value_b"] is None:
        return ""
    if len(rows) == 1:
        topics = f"{first['n']:,} topic{'s' * (first['n'] != 1)}"
        return f"{first['measure']} over {topics}: {_valued(first, 'b')}, {_valued(first, 'a')}."
    values: list[Any] = [row["value_b"] for row in rows if row["value_b"] is not None]
    if len({row["a"] for row in rows}) > 1 or not values:
        return ""
    span = f"{min(values):.4f} to {max(values):.4f}"
    return f"{first['measure']}: {_valued(first, 'a')} (baseline), the other {len(rows):,} runs {span}."


def _valued(row: dict[str, Any], side: str) -> str:
    return f"{row[side]} {row[f'value_{side}']:.4f}"


def column_names(*runs: str) -> list[str]:
    """Return names of runs for headings: short, different from each other, and not those of other columns."""
    names = list(map(visible, runs))
    for head in (MAX_NAME - 1, MAX_NAME // 2, 0):  # characters before the omission; names often differ at the end
        tail = MAX_NAME - 1 - head
        short = [n if len(n) <= MAX_NAME else f"{n[:head]}…{n[len(n) - tail :]}" for n in names]
        if len(set(short)) == len(runs):
            names = short
            break
    return [f"run {name}" if name in RESERVED else name for name in names]
