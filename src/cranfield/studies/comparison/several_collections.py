"""Does a difference between systems hold across several collections?"""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cranfield.core import Direction, ParameterError, Policy, Provenance, Scale, Study, Table, Ties, listed, weigh
from cranfield.data import Collection, Values, read_collections, read_scores, unjudged_notes, warning_notes
from cranfield.measures import Measure, Written, parse_measures
from cranfield.stats import LEVEL, Holm, bonferroni_width, check_level, collection_tables, exact_p
from cranfield.studies.evaluation.study import evaluate
from cranfield.studies.small_samples import FEW_TOPICS
from cranfield.studies.statistics_text import interval_text, p_text, signed

from .text import MAX_RUNS_NAMED


def across(
    collections: Any,
    measures: Written | Iterable[Written] = "nDCG@10",
    *,
    pairs: Sequence[tuple[str, str]] = (),
    baseline: str | None = None,
    ties: Ties | str | None = None,
    compat: str | None = None,
    level: float = LEVEL,
    scale: Policy = "note",
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    command: str = "",
) -> Study:
    """Compare systems on several collections: each collection, heterogeneity and the pooled difference.

    ``collections`` is a table with the columns collection, qrels, system and run, or collection and scores. All pairs
    of systems are compared, each system with a ``baseline``, or the ``pairs`` given. Systems that are missing from a
    collection are excluded. The pooled difference comes from a random-effects model, so its interval holds for other
    collections like these. The table ``verdicts`` calls each pair better, worse or inconclusive, with p-values and
    intervals corrected over the pairs.
    """
    check_level(level)
    found = read_collections(collections)
    parsed = parse_measures(measures)
    read: list[tuple[str, Values]] = []
    for done, one in enumerate(found, 1):
        read.append((one.name, _values(one, parsed, ties=ties, compat=compat, threads=threads)))
        if progress:
            progress(done, len(found))
    kinds = {tuple(map(str, values.measures)) for _, values in read}
    if len(kinds) > 1:
        raise ParameterError("scores and runs cannot be mixed", hint="give every collection in the same way")
    met = [("the mean", Scale.INTERVAL, measure) for measure in read[0][1].measures]
    notes = weigh(met, scale, safe="Friedman's test over collections is safe")
    inputs = tuple(source for _, values in read for source in values.made_by.inputs)
    made_by = Provenance(command=command, inputs=inputs, measures=read[0][1].made_by.measures)
    tables = collection_tables(read, pairs=pairs, baseline=baseline, level=level, made_by=made_by)
    tables["forest"] = _forest(tables["collections"], tables["pooled"])
    first, *_ = tables
    limits = [f"{name}: {note}" for name, values in read for note in (*warning_notes(values), *unjudged_notes(values))]
    limits += _few_topics({name: len(values.topics) for name, values in read})
    tables[first] = replace(tables[first], notes=(*tables[first].notes, *notes, *limits))
    lower = {str(measure) for measure in read[0][1].measures if measure.direction is Direction.LOWER}
    verdicts = verdicts_over_collections(tables["pooled"], level=level, lower=lower)
    verdict = _verdict(verdicts, tables, level=level, lower=lower) | {"collections": len(found), "level": level}
    return Study("compare", {"verdicts": verdicts, **tables}, verdict, made_by, charts=("forest",))


def _few_topics(topics: Mapping[str, int]) -> list[str]:
    """Return a note where collections have few topics."""
    small = [f"{name}: {number}" for name, number in topics.items() if number < FEW_TOPICS]
    if not small:
        return []
    more = f" and {len(small) - MAX_RUNS_NAMED} more" * (len(small) > MAX_RUNS_NAMED)
    named = f"{', '.join(small[:MAX_RUNS_NAMED])}{more}"
    return [
        f"{len(small)} of {len(topics)} collections have fewer than {FEW_TOPICS} topics ({named}): the standard errors "
        "of their differences are uncertain, and so are the weights"
    ]


def verdicts_over_collections(pooled: Table, *, level: float = LEVEL, lower: Container[str] = ()) -> Table:
    """Return one row for each pair and measure: verdict, pooled difference with its interval, and p.

    Parameters
    ----------
    pooled : Table
        Pooled differences with their intervals at ``level``.
    level : float, default 0.05
        Level of significance.
    lower : collection of str
        Measures of which lower values are better.

    Returns
    -------
    Table
        ``p_adjusted`` is corrected by Holm over the pairs of a measure, ``low`` and ``high`` by Bonferroni. Where all
        collections have one difference, ``p`` is that of the exact randomisation test.
    """
    rows: list[dict[str, Any]] = []
    for measure in dict.fromkeys(map(str, pooled.cells("measure"))):
        mine: list[dict[str, Any]] = [row for row in pooled.rows() if row["measure"] == measure]
        p = np.array([np.nan if row["p"] is None else max(row["p"], _bound(row)) for row in mine], dtype=float)
        sign = -1 if measure in lower else 1
        for row, raw, adjusted in zip(mine, p.tolist(), Holm().adjust(p).tolist(), strict=True):
            low, high = _widened(row, level, len(mine))
            cells = {name: row[name] for name in ("a", "b", "measure", "collections", "difference")}
            cells["p"] = None if row["p"] is None else raw
            known = row["difference"] is not None
            kind = None if not known else "inconclusive" if not adjusted <= level else _direction(sign, row)
            rows.append(cells | {"verdict": kind, "low": low, "high": high, "p_adjusted": adjusted if known else None})
    columns = ("a", "b", "verdict", "measure", "collections", "difference", "low", "high", "p", "p_adjusted")
    caption = f"verdicts at level {level:g}, random-effects model over the collections"
    table = Table.from_rows(rows, columns, caption=caption, made_by=pooled.made_by)
    return replace(table, ends={"difference": ("low", "high")})


def _bound(row: Mapping[str, Any]) -> float:
    """Return the exact p where all collections have one difference other than 0, which the model sees as certain."""
    constant = row["difference"] and row["low"] is not None and row["low"] == row["high"]
    return float(exact_p(np.array(row["collections"]))) if constant else 0.0


def _direction(sign: int, row: Mapping[str, Any]) -> str:
    return "better" if sign * row["difference"] > 0 else "worse"


def _widened(row: Mapping[str, Any], level: float, pairs: int) -> tuple[float | None, float | None]:
    """Return the interval of a pooled difference, corrected by Bonferroni over the pairs."""
    if row["low"] is None or row["high"] is None or _bound(row) > level / pairs:
        return None, None
    half = (row["high"] - row["low"]) / 2 * bonferroni_width(row["df"], pairs, level)
    return row["difference"] - half, row["difference"] + half


def _verdict(verdicts: Table, tables: Mapping[str, Table], *, level: float, lower: Container[str]) -> dict[str, Any]:
    """Return the verdict on the only pair, or how many pairs have each verdict, on the first measure."""
    rows: list[dict[str, Any]] = [row for row in verdicts.rows() if row["measure"] == verdicts.rows()[0]["measure"]]
    first = rows[0]
    if len(rows) == 1:
        pooled: dict[str, Any] = tables["pooled"].rows()[0]
        each = [row for row in tables["collections"].rows() if row["measure"] == first["measure"]]
        sentence = pair_sentence(first, pooled, each, level=level, lower=first["measure"] in lower)
        return {"verdict": first["verdict"], "measure": first["measure"], "sentence": sentence}
    counts = {kind: sum(row["verdict"] == kind for row in rows) for kind in ("better", "worse", "inconclusive")}
    return {"verdict": None, "measure": first["measure"], "pairs": len(rows), **counts, "sentence": _summary(rows)}


def pair_sentence(
    row: Mapping[str, Any], pooled: Mapping[str, Any], each: Sequence[Mapping[str, Any]], *, level: float, lower: bool
) -> str:
    """Return the verdict on a pair over collections, in how many each system is better, and whether they agree."""
    a, b, measure = row["a"], row["b"], row["measure"]
    known = [one["difference"] for one in each if one["difference"] is not None]
    word = "lower" if lower else "higher"
    side = [sum((difference > 0) != lower and difference != 0 for difference in known)]
    side.append(sum(difference != 0 for difference in known) - side[0])
    there = f"{b} has the {word} {measure} in {side[0]:,} of {len(known):,} collections, {a} in {side[1]:,}."
    if row["difference"] is None:
        return f"Only one collection has topics of both {b} and {a} on {measure}, so nothing is pooled. {there}"
    over = f"on {measure} over {row['collections']:,} collections"
    interval = "" if row["low"] is None else f"{interval_text(row['low'], row['high'], confidence=level)}, "
    details = f"({signed(row['difference'])}, {interval}{p_text(row['p_adjusted'])}, random-effects model)"
    if row["verdict"] == "inconclusive":
        sentence = f"No significant difference between {b} and {a} {over} {details}."
    else:
        sentence = f"{b} is {row['verdict']} than {a} {over} {details}."
    differ = "differ significantly" if pooled["p_heterogeneity"] <= level else "do not differ significantly"
    if _bound(pooled):
        sentence += " All collections have the same difference: p is that of the exact randomisation test."
    spread = f"I² = {100 * pooled['i2']:.0f}%, {p_text(pooled['p_heterogeneity'])}"
    return f"{sentence} {there} The collections {differ} ({spread})."


def _summary(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return how many of several pairs differ significantly, with the winner of each."""
    first = rows[0]
    how = f"on {first['measure']} over the collections (random-effects model, Holm over {len(rows):,} pairs)"
    wins = [
        f"{row['b']} over {row['a']}" if row["verdict"] == "better" else f"{row['a']} over {row['b']}"
        for row in rows
        if row["verdict"] in ("better", "worse")
    ]
    named = f": {listed(wins)}" if 0 < len(wins) <= MAX_RUNS_NAMED else ""
    return f"{len(wins):,} of {len(rows):,} pairs differ significantly {how}{named}."


def _values(
    one: Collection, measures: Sequence[Measure], *, ties: Ties | str | None, compat: str | None, threads: int | None
) -> Values:
    if one.scores is not None:
        return read_scores(one.scores).in_topic_order()
    runs = {name: str(path) for name, path in one.runs.items()}
    return evaluate(one.qrels, runs, measures, ties=ties, compat=compat, scale="ignore", threads=threads)


def _forest(each: Table, pooled: Table) -> Table:
    """Return the rows of a forest plot: the collections of every pair, then the pooled difference."""
    told = dict.fromkeys(each.columns)
    rows: list[dict[str, Any]] = []
    for last in pooled.rows():
        pair = (last["a"], last["b"], last["measure"])
        rows += [row for row in each.rows() if (row["a"], row["b"], row["measure"]) == pair]
        kept = {name: cell for name, cell in last.items() if name in each.columns}
        topics = sum(int(str(row["topics"])) for row in rows if (row["a"], row["b"], row["measure"]) == pair)
        rows.append({**told, **kept, "collection": "pooled", "topics": topics})
    return Table.from_rows(rows, each.columns, caption="each collection, and all together", made_by=each.made_by)
