"""How often do two random halves of the topics lead to the same conclusion?"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from os import PathLike
from typing import Any

from cranfield.core import SEED, Policy, Scale, Study, Table, weigh
from cranfield.data import SPLITS, Splits, Values, draw_splits, read_scores, read_splits
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
    """How often two halves of the topics lead to the same conclusion on two runs, test by test.

    ``values`` come from :func:`evaluate`, or are a table of scores: a file or a frame with topics as rows and runs as
    columns. The topics are split in two at random, many times (``splits``), or as a file says (``splits_from``). Each
    half by itself says which run of a pair is ahead, by the mean or the median (``aggregates``), and whether a test
    calls the difference significant; p is not corrected. Without ``tests`` and ``aggregates``, they are those of
    craswell2021msmarco Table 4.
    """
    given = values if isinstance(values, Values) else read_scores(values)
    check_level(level)
    named = parse_tests(tests) if tests else []
    columns = columns_of([adapt(one, draws=draws) for one in named], aggregates)
    needs = {test.name: test.requires for test, _ in columns}
    needs |= {f"the {one}": Scale.INTERVAL if one == "mean" else Scale.ORDINAL for _, one in columns}
    met = [(who, needed, measure) for measure in given.measures for who, needed in needs.items()]
    notes = weigh(met, scale, safe="the sign test is safe, and the median (--aggregate median)")
    pairs = len(choose_pairs(given))
    halves = _splits(given, splits, splits_from, seed)
    asked = Asked(level=level, seed=seed, threads=threads, progress=progress)
    table = agreement_table(given, columns, halves, asked)
    inputs = (*given.made_by.inputs, *([halves.source.as_input()] if halves.source else []))
    made_by = replace(given.made_by, seed=seed, inputs=inputs)
    verdict = {"splits": len(halves), "pairs": pairs, "sentence": _sentence(table, len(halves), pairs)}
    tables = {"agreement": replace(table, made_by=made_by, notes=(*notes, *table.notes))}
    return Study("agreement", tables, verdict, made_by, charts=("agreement",))


def _splits(values: Values, splits: int, source: Splits | str | PathLike[str] | None, seed: int) -> Splits:
    check_splits(values, source if isinstance(source, Splits) else None)
    if source is None:
        return draw_splits(len(values.topics), splits, seed=seed)
    return source if isinstance(source, Splits) else read_splits(source, len(values.topics))


def _sentence(table: Table, splits: int, pairs: int) -> str:
    rows: list[dict[str, Any]] = sorted(table.rows(), key=lambda row: (row["agree"], -row["disagree"]))
    worst, best = rows[0], rows[-1]
    several = len({row["measure"] for row in rows}) > 1
    over = f"Over {_counted(splits, 'split')} of the topics and {_counted(pairs, 'pair')} of runs"
    if len(rows) == 1:
        return f"{over}, two halves {_shares(best)}, by {_column(best, several=several)}."
    if (worst["agree"], worst["disagree"]) == (best["agree"], best["disagree"]):
        return f"{over}, all are as reliable: two halves {_agreed(best)}, whichever test and aggregate is used."
    return (
        f"{over}, the most reliable is {_column(best, several=several)}: two halves {_shares(best)}. "
        f"The least reliable is {_column(worst, several=several)}: they {_shares(worst)}."
    )


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"


def _column(row: dict[str, Any], *, several: bool) -> str:
    """What a row is about; the measure where there are ``several``."""
    return f"{row['test']} with the {row['aggregate']}" + (f" on {row['measure']}" if several else "")


def _shares(row: dict[str, Any]) -> str:
    """A test that finds nothing never disagrees with itself: how much it finds stands beside."""
    return f"{_agreed(row)} ({row['significant']:.1%} are significant in a half or both)"


def _agreed(row: dict[str, Any]) -> str:
    return f"agree in {row['agree']:.1%} of cases and disagree in {row['disagree']:.1%}"
