"""Tables of a comparison as papers print them: one row for each pair of runs."""

from collections.abc import Mapping
from typing import Any

from cranfield.core import Study, Table, Verdict

Pair = tuple[Any, Any]


def wide_outcomes(study: Study) -> Table:
    """Outcomes of every pair in one row (lin2021, Table 2): shares, then ESL and RR where both answer."""
    rows: dict[Pair, dict[str, Any]] = {}
    for row in study["outcomes"].rows():
        rows.setdefault(_pair(row), {"a": row["a"], "b": row["b"]})[str(row["outcome"])] = row["share"]
    for row in study["both"].rows():
        kept = rows[_pair(row)]
        kept |= {f"{row['measure']} a": row["value_a"], f"{row['measure']} b": row["value_b"]}
        kept[f"{row['measure']} p {row['test']}"] = row["p"]
    for row in study["answered"].rows():
        rows[_pair(row)]["p binomial"] = row["p"]
    for row in study["verdicts"].rows():
        rows[_pair(row)] |= {name: _named(row, name) for name in ("do_no_harm", "strict")}
    columns = ["a", "b", "neither", "only_a", "only_b", "p binomial", "both"]
    columns += [f"{measure} {what}" for measure in ("ESL", "RR") for what in ("a", "b", "p signed-rank", "p t")]
    caption = f"outcomes in the first {(study.verdict or Verdict()).get('cutoff')}; p-values are raw"
    return Table.from_rows(list(rows.values()), [*columns, "do_no_harm", "strict"], caption=caption)


def wide_overall(study: Study) -> Table:
    """The whole measure, every test of a pair in one row (lin2021, Table 1)."""
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    tests: dict[str, None] = {}
    for row in study["overall"].rows():
        kept = rows.setdefault(
            (*_pair(row), row["measure"]),
            {name: row[name] for name in ("a", "b", "measure", "n", "value_a", "value_b", "difference")},
        )
        kept[f"p {row['test']}"] = row["p"]
        tests[f"p {row['test']}"] = None
    columns = ["a", "b", "measure", "n", "value_a", "value_b", "difference", *tests]
    caption = "tests of the whole measure; p-values are not corrected"
    return Table.from_rows(list(rows.values()), columns, caption=caption)


def wide_dominance(study: Study) -> Table:
    """Which ranking dominates, every outcome of a pair and level in one row."""
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in study["dominance"].rows():
        kept = rows.setdefault((*_pair(row), row["level"]), {name: row[name] for name in ("a", "b", "level")})
        kept[str(row["outcome"])] = row["topics"]
    for row in study["dominance_test"].rows():
        rows[*_pair(row), row["level"]]["p sign"] = row["p"]
    names = {"a": "a ahead", "b": "b ahead", "equal": "equal", "incomparable": "incomparable"}
    told = [{**_ids(row), **{shown: row[name] for name, shown in names.items()}} for row in _apart(rows)]
    columns = ["a", "b", "level", *names.values(), "p sign"]
    return Table.from_rows(
        told, columns, caption="topics in which one ranking dominates the other, whatever the measure"
    )


def _apart(rows: Mapping[tuple[Any, ...], dict[str, Any]]) -> list[dict[str, Any]]:
    """Runs under names of their own: a and b are outcomes too."""
    return [{"runs": key[:2], **row} for key, row in rows.items()]


def _ids(row: Mapping[str, Any]) -> dict[str, Any]:
    a, b = row["runs"]
    return {"a": a, "b": b, "level": row["level"], "p sign": row["p sign"]}


def _pair(row: Mapping[str, Any]) -> Pair:
    return row["a"], row["b"]


def _named(row: Mapping[str, Any], verdict: str) -> Any:
    """The run that a verdict speaks for."""
    return row[row[verdict]] if row[verdict] in ("a", "b") else row[verdict]
