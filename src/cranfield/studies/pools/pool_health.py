"""Is the pool behind a leaderboard fair to every run?"""

from dataclasses import replace
from typing import Any

from cranfield.collections import DEPTH, Groups, reuse_sentence, reuse_table, unjudged_sentence, unjudged_table
from cranfield.core import ParameterError, Study, Table, Ties
from cranfield.data import Entries, Values, join_entries, read_entries, read_qrels
from cranfield.measures import parse_measure
from cranfield.studies.evaluation.study import evaluate

from .strategy_replay import read_twice
from .study import check_rel, read_candidates


def health(
    qrels: Any,
    runs: Any,
    *,
    entries: Any = None,
    measure: Any = "AP",
    depth: int = DEPTH,
    rel: float = 1,
    ties: Ties | str = Ties.TREC,
    threads: int | None = None,
    command: str = "",
) -> Study:
    """The state of a pool: how many of the first documents of each run nobody judged, and what each group adds.

    ``entries`` say which group made a run (a table, or the headers of the runs); of two groups or more, what each
    alone brought among the first ``depth`` documents is taken away, to see what its runs lose by ``measure`` and how
    the order changes. A document is relevant from grade ``rel`` on.
    """
    check_rel(rel)
    asked, judgments, read = parse_measure(measure), read_qrels(qrels), read_twice(runs, ties)
    values = evaluate(judgments, read, [asked], ties=ties, scale="ignore", threads=threads, command=command)
    known = _entries(values, entries)
    assessed: Any = values.assessed
    made_by = replace(values.made_by, inputs=(*values.made_by.inputs, *known.inputs))
    judged = unjudged_table(assessed, entries=known, made_by=made_by)
    met = known.meet(assessed.runs) if entries is not None else ()
    tables: dict[str, Table] = {"unjudged": replace(judged, notes=(*judged.notes, *met))}
    groups = Groups.among(assessed.runs, known)
    said = unjudged_sentence(judged)
    charts: tuple[str, ...] = ("unjudged",)
    if len(groups) > 1:
        candidates = read_candidates(read, depth=depth, ties=ties).judged_by(judgments).filled()
        reuse = reuse_table(candidates, assessed, groups, measure=asked, rel=rel, made_by=made_by)
        tables["reuse"] = reuse
        if None not in reuse.cells("difference"):
            said, charts = reuse_sentence(reuse, judged, measure=str(asked)), ("unjudged", "reuse")
    verdict = {"groups": len(groups), "measure": str(asked), "sentence": said}
    return Study("health", tables, verdict, made_by, charts=charts)


def unjudged(values: Values, *, entries: Any = None) -> Study:
    """How many of the first documents of each run nobody judged, in the topics of these values.

    The quick part of :func:`health`: ``values`` come from :func:`evaluate`, and nothing is read again.
    """
    if values.assessed is None:
        raise ParameterError("a table of scores does not say what was judged", hint="give judgments and runs")
    known = _entries(values, entries)
    made_by = replace(values.made_by, inputs=(*values.made_by.inputs, *known.inputs))
    table = unjudged_table(values.assessed, topics=values.places, entries=known, made_by=made_by)
    return Study("unjudged", {"unjudged": table}, {"sentence": unjudged_sentence(table)}, made_by, charts=("unjudged",))


def _entries(values: Any, entries: Any) -> Entries:
    """What is known about the runs: from a table, else from their own headers."""
    if entries is None:
        return join_entries(values)
    return entries if isinstance(entries, Entries) else read_entries(entries)
