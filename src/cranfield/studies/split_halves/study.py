"""How often do two random halves of the topics lead to the same conclusion?"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from os import PathLike
from typing import Any

from cranfield.core import SEED, Policy, Scale, Study, weigh
from cranfield.data import (
    SPLITS,
    Splits,
    Values,
    draw_splits,
    read_scores,
    read_splits,
    unjudged_notes,
    warning_notes,
)
from cranfield.stats import (
    LEVEL,
    Aggregate,
    Asked,
    PairTest,
    adapt,
    agreement_table,
    check_level,
    check_splits,
    choose_pairs,
    columns_of,
    parse_tests,
)
from cranfield.studies.small_samples import few_topics_notes

from .text import conclude


def agreement(
    values: Any,
    tests: str | PairTest | Iterable[str | PairTest] = (),
    *,
    aggregates: Iterable[Aggregate] | None = None,
    splits: int = SPLITS,
    splits_from: Splits | str | PathLike[str] | None = None,
    draws: int | None = None,
    level: float = LEVEL,
    scale: Policy = "note",
    seed: int = SEED,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Study:
    """Measure how often two halves of the topics lead to the same conclusion on two runs, test by test.

    ``values`` come from :func:`evaluate`, or are a table of scores: a file or a frame with topics as rows and runs as
    columns. The topics are split in two at random ``splits`` times, or as the file ``splits_from`` lists. Each half
    gives the run that is ahead, by the mean or the median (``aggregates``), and whether a test is significant. p is not
    corrected. The default ``tests`` and ``aggregates`` are those of craswell2021msmarco Table 4.

    The verdict names a test as best only where no other test separates more pairs of runs, and none disagrees less
    often between halves where it is significant.
    """
    given = values if isinstance(values, Values) else read_scores(values)
    rows, given = given, given.in_topic_order()
    check_level(level)
    named = parse_tests(tests) if tests else []
    columns = columns_of([adapt(one, draws=draws) for one in named], aggregates)
    needs = {test.name: test.requires for test, _ in columns}
    needs |= {f"the {one}": Scale.INTERVAL if one == "mean" else Scale.ORDINAL for _, one in columns}
    met = [(who, needed, measure) for measure in given.measures for who, needed in needs.items()]
    notes = weigh(met, scale, safe="the sign test is safe, and the median (--aggregate median)")
    pairs = len(choose_pairs(given))
    halves = _splits(rows, splits, splits_from, seed)
    asked = Asked(level=level, seed=seed, threads=threads, progress=progress)
    table = agreement_table(given, columns, halves, asked)
    inputs = (*given.made_by.inputs, *([halves.source.as_input()] if halves.source else []))
    made_by = replace(given.made_by, seed=seed, inputs=inputs)
    verdict = {"splits": len(halves), "pairs": pairs, **conclude(table, len(halves), pairs)}
    smallest = min(len(half) for pair in halves.halves for half in pair)
    limits = (*warning_notes(given), *unjudged_notes(given), *few_topics_notes(smallest, level, unit="halves of {}"))
    tables = {"agreement": replace(table, made_by=made_by, notes=(*notes, *limits, *table.notes))}
    return Study("agreement", tables, verdict, made_by, charts=("agreement",))


def _splits(values: Values, splits: int, source: Splits | str | PathLike[str] | None, seed: int) -> Splits:
    """Return splits of the topics in natural order; those of a file have positions of the rows of the values."""
    check_splits(values, source if isinstance(source, Splits) else None)
    if source is None:
        return draw_splits(len(values.topics), splits, seed=seed)
    given = source if isinstance(source, Splits) else read_splits(source, len(values.topics))
    return given.sorted_by(values.topics)
