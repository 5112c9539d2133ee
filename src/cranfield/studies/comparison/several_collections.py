"""Does a difference between systems hold across several collections?"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from cranfield.core import ParameterError, Policy, Provenance, Scale, Study, Table, Ties, weigh
from cranfield.data import Collection, Values, read_collections, read_scores
from cranfield.measures import Measure, parse_measures
from cranfield.stats import LEVEL, check_level, collection_tables, collections_sentence
from cranfield.studies.evaluation.study import evaluate


def across(
    collections: Any,
    measures: str | Measure | Iterable[str | Measure] = "nDCG@10",
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
    """Systems in several collections: the difference in each, how far these disagree, and what they say together.

    ``collections`` is a table with the columns collection, qrels, system and run, or collection and scores. Systems are
    compared two by two, each with a ``baseline``, or in the ``pairs`` given; those that some collection lacks are left
    out. The pooled difference is one of collections drawn at random, so its interval speaks of others like these.
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
    tables[first] = replace(tables[first], notes=(*tables[first].notes, *notes))
    lower = [str(measure) for measure in read[0][1].measures if str(measure.direction) == "lower"]
    known = any(measure.direction for measure in read[0][1].measures)
    said = collections_sentence(tables, level=level, lower=lower if known else None)
    verdict = {"collections": len(found), "level": level, "sentence": said}
    return Study("compare", tables, verdict, made_by, charts=("forest",))


def _values(
    one: Collection, measures: Sequence[Measure], *, ties: Ties | str | None, compat: str | None, threads: int | None
) -> Values:
    if one.scores is not None:
        return read_scores(one.scores)
    runs = {name: str(path) for name, path in one.runs.items()}
    return evaluate(one.qrels, runs, measures, ties=ties, compat=compat, scale="ignore", threads=threads)


def _forest(each: Table, pooled: Table) -> Table:
    """The collections of every pair, and below them what they say together: what a forest plot shows."""
    told = dict.fromkeys(each.columns)
    rows: list[dict[str, Any]] = []
    for last in pooled.rows():
        pair = (last["a"], last["b"], last["measure"])
        rows += [row for row in each.rows() if (row["a"], row["b"], row["measure"]) == pair]
        kept = {name: cell for name, cell in last.items() if name in each.columns}
        topics = sum(int(str(row["topics"])) for row in rows if (row["a"], row["b"], row["measure"]) == pair)
        rows.append({**told, **kept, "collection": "pooled", "topics": topics})
    return Table.from_rows(rows, each.columns, caption="each collection, and all together", made_by=each.made_by)
