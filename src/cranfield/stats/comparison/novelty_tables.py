"""Tables and sentences on the novelty of runs: residual gain and unique relevant documents."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cranfield.core import Provenance, Table
from cranfield.data import Entries, Prior, Values
from cranfield.stats.estimates.confidence_intervals import Interval
from cranfield.stats.pair_tests.all_pairs import finite
from cranfield.stats.pair_tests.base import Asked

COLUMNS = (
    *("run", "group", "date", "measure", "value", "nrg", "low", "high", "unique", "unique_total"),
    *("tasc", "tasc_mean", "rareness", "prior", "priors", "seen_out"),
)
MEANS = ("value", "nrg", "unique", "tasc", "tasc_mean")


def novelty_table(
    values: Values,
    measure: object,
    relative: Mapping[str, object],
    rareness: Sequence[float],
    seen_out: Sequence[int],
    *,
    prior: Prior,
    entries: Entries | None = None,
    interval: Interval,
    asked: Asked,
    made_by: Provenance | None = None,
) -> Table:
    """One row per run: its value, and what it adds to what is known before it; the best value first, or by date.

    ``relative`` says which of the values is nrg, unique, tasc, tasc_mean; ``rareness`` and ``seen_out`` are of every
    run. ``low`` to ``high`` is the interval of the mean NRG.
    """
    means = values.aggregate()

    columns: dict[str, list[Any]] = {
        name: means[:, values.index(of)].tolist() for name, of in (("value", measure), *relative.items())
    }
    matrix = values.matrix(relative["nrg"])
    low, high = (finite(end).tolist() for end in interval.around(matrix, asked))
    unique = values.matrix(relative["unique"])
    rows = [
        {
            "run": run,
            "group": entries.of(run).group if entries else None,
            "date": entries.of(run).date if entries else None,
            "measure": str(measure),
            "low": low[i],
            "high": high[i],
            "unique_total": int(np.nansum(unique[:, i])),
            "rareness": float(rareness[i]),
            "prior": prior.name,
            "priors": prior.count[i],
            "seen_out": int(seen_out[i]),
            **{name: columns[name][i] if name in columns else None for name in MEANS},
        }
        for i, run in enumerate(values.runs)
    ]
    rows = _sorted(rows, by_date=prior.name == "chronological")
    caption = f"what each run adds: NRG of {measure} over {len(values.topics):,} topics, prior: {prior.name}"
    rows = [row | {"date": None if row["date"] is None else row["date"].isoformat()} for row in rows]
    made = Table.from_rows(rows, COLUMNS, caption=caption, made_by=made_by or values.made_by, notes=prior.notes)
    return replace(made, ends={"nrg": ("low", "high")})


def _sorted(rows: list[dict[str, Any]], *, by_date: bool) -> list[dict[str, Any]]:
    if by_date:
        return sorted(rows, key=lambda row: (row["date"], row["run"]))
    return sorted(rows, key=lambda row: (np.isnan(row["value"]), -row["value"], row["run"]))


def novelty_by_topic(
    values: Values, measure: object, relative: Mapping[str, object], *, made_by: Provenance | None = None
) -> Table:
    """One row per run and topic that counts for it: the value, and what it adds there."""
    run, topic = np.nonzero(values.counted)
    columns: dict[str, Any] = {
        "run": np.array(values.runs, dtype=object)[run],
        "topic": np.array(values.topics, dtype=object)[topic],
        "measure": [str(measure)] * len(run),
    }
    columns |= {name: [None] * len(run) for name in MEANS}
    for name, of in (("value", measure), *relative.items()):
        columns[name] = values.cube[run, topic, values.index(of)]
    return Table(columns, "what each run adds, topic by topic", made_by or values.made_by)


def bests_table(prior: Prior, *, made_by: Provenance | None = None) -> Table:
    """One row per group: the run that stands for it, and those that are as good."""
    rows = [
        {
            "group": best.group,
            "run": best.run,
            "value": best.value,
            "runs": best.runs,
            "tied": ", ".join(best.tied) or None,
        }
        for best in prior.bests
    ]
    return Table.from_rows(
        rows, ("group", "run", "value", "runs", "tied"), caption="who stands for a group", made_by=made_by
    )


def novelty_sentence(table: Table) -> str:
    """Who adds most, where that stands by value, and how far both orders agree."""
    from cranfield.stats.reliability.rank_correlation import kendall_tau

    every: list[dict[str, Any]] = table.rows()
    rows = [row for row in every if row["measure"] == every[0]["measure"] and row["nrg"] is not None]
    if not rows:
        return ""
    first = max(rows, key=lambda row: (row["nrg"], row["value"]))
    measure = first["measure"]
    if len(rows) == 1:
        said = f"{first['run']} has an NRG of {first['nrg']:.4f} ({measure} {first['value']:.4f})"
        against = f"against {first['prior']}" if first["priors"] else "and nothing is known before it"
        return f"{said}, {against}."
    if first["prior"] == "chronological":
        return _through_time(rows)
    above = sum(row["value"] > first["value"] for row in rows)
    top = max(rows, key=lambda row: row["value"])
    said = f"{first['run']} adds most (NRG {first['nrg']:.4f})"
    if above == 0:
        said += f", and has the best {measure} too ({first['value']:.4f})"
    else:
        said += f", though {above} of {len(rows)} runs {'has' if above == 1 else 'have'} a higher {measure};"
        said += f" {top['run']}, the best by that, adds {top['nrg']:.4f}"
    tau = kendall_tau(*(np.array([row[name] for row in rows], dtype=float) for name in ("value", "nrg")))
    agree = f" The orders by {measure} and by NRG agree by τ = {tau:.2f}." if tau == tau and len(rows) > 2 else ""
    return f"{said}.{agree}"


def _through_time(rows: Sequence[Mapping[str, Any]]) -> str:
    """How values and what was new went, from the first half of the runs to the second, in the order of their dates."""
    half = len(rows) // 2
    parts = (rows[:half], rows[half:])
    value, nrg = ([sum(row[name] for row in part) / len(part) for part in parts] for name in ("value", "nrg"))
    went = [
        f"{'rose' if after > before else 'fell'} from {before:.4f} to {after:.4f}" for before, after in (value, nrg)
    ]
    measure = rows[0]["measure"]
    return f"From the earlier half of the runs to the later, the mean {measure} {went[0]}, and what was new {went[1]}."


def ensemble_sentence(table: Table) -> str:
    """How far fusing takes runs that are chosen by what they add."""
    rows: list[dict[str, Any]] = table.rows()
    top, other = max(rows, key=lambda row: row["fused"]), max(rows, key=lambda row: row["by_value"])
    runs = "1 run" if top["step"] == 1 else f"{top['step']} runs"
    instead = f"in order of value {other['by_value']:.4f} with {other['step']}; the best run alone {top['best']:.4f}"
    said = f"Fused by what they add, {runs} reach {top['fused']:.4f} ({instead})."
    if top.get("held_out") is None:
        return said
    held = f"as many reach {top['held_out']:.4f} on the other half, by value {other['by_value_held_out']:.4f}"
    return f"{said} Chosen on half of the topics, {held}."


def pool_sentence(table: Table) -> str:
    """How much of what all runs find is found by those that are chosen."""
    last: dict[str, Any] = table.rows()[-1]
    runs = "1 run has" if last["step"] == 1 else f"{last['step']} runs have"
    said = f"{runs} {last['share']:.0%} of the relevant documents that all have together"
    return f"{said} ({last['by_value_share']:.0%} if taken by value), for {last['documents']:,} judgments."
