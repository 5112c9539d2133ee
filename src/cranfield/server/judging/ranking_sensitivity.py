"""Effect of each label aggregation method on the ranking of the runs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cranfield.collections import AWARE, aware_values, join_runs, order_changes_table, order_sentence
from cranfield.core import CranfieldError
from cranfield.server.site import blob_store
from cranfield.server.site.single_flight_cache import kept
from cranfield.studies import evaluate

from . import pool_lifecycle
from .label_aggregation import AWARE_WAY, flat_of, read_flat, read_said

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cranfield.data import Values

    from .label_aggregation import Flat, Merging, Rows


def compare_ways(merging: Merging) -> list[dict[str, Any]]:
    """One row for each way: labels, relevant ones, the order of runs held against that of the first way, who leads."""
    changes, rel = _measured(merging)[0], merging.pool.task.rel
    return [
        {
            "way": way,
            "labels": len(labels) if way.grades else None,
            "relevant": sum(grade >= rel for grade in labels.values()) if way.grades else None,
            **changes.get(way.title, {"tau": None, "swaps": None, "leads": None}),
        }
        for way in merging.ways
        for labels in [merging.labels(way)]
    ]


def say_orders(merging: Merging) -> str:
    """Whether the order of runs hangs on the way, in words; nothing where there is one way."""
    return _measured(merging)[1] if len(merging.ways) > 1 else ""


def _measured(merging: Merging) -> tuple[Mapping[str, Mapping[str, Any]], str]:
    task = merging.pool.task
    files = tuple((run.name, str(run.blob_id)) for run in pool_lifecycle.runs_of(task))
    asked = tuple((way.name, way.title, flat_of(merging.labels(way))) for way in merging.ways)
    return _orders(asked, merging.rows, files, task.measure) if files and asked[0][2] else ({}, "")


@kept(8)
def _orders(
    asked: tuple[tuple[str, str, Flat], ...],
    rows: Rows,
    files: tuple[tuple[str, str], ...],
    measure: str,
) -> tuple[Mapping[str, Mapping[str, Any]], str]:
    """What each way says of the order of runs, and all in words; nothing of one under which nothing can be measured."""
    paths = {name: blob_store.path_of(digest) for name, digest in files}
    values: dict[str, Values] = {}
    for name, title, labels in asked:
        try:
            if name == AWARE_WAY:
                joined = join_runs(read_said(rows, "judgments"), paths)
                found = aware_values(AWARE().weigh(joined, measure))
            elif labels:
                found = evaluate(read_flat(labels, name), paths, measure, gains=True, scale="ignore")
            else:
                continue
        except CranfieldError:  # no run has a topic that was judged so far, for one
            continue
        first = next(iter(values.values()), found)
        values[title] = replace(found, assessed=None, measures=first.measures)  # AWARE settles their top grade
    holds = asked[0][1]
    if next(iter(values), None) != holds:
        return {}, ""
    changes = {str(row["method"]): row for row in order_changes_table(values).rows()}
    alone = order_changes_table({holds: values[holds], "again": values[holds]}).rows()[0]
    told = {holds: alone | {"tau": None, "swaps": None}} | changes
    shown = {title: {"tau": row["tau"], "swaps": row["swaps"], "leads": row["best"]} for title, row in told.items()}
    return shown, order_sentence(values)
