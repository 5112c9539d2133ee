"""Tables of the topics in which one run dominates the other, with sign tests."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Direction, ParameterError, Provenance, Table
from cranfield.data import Values
from cranfield.stats import Pairs, binomial_p, places

Outcomes = NDArray[np.int8]  # (pair, level, topic)

INCOMPARABLE = 2
# What stands in an outcome, in the order in which tables show it.
WORDS = {-1: "a", 1: "b", 0: "equal", INCOMPARABLE: "incomparable"}
ALL = "all"


def dominance_table(
    levels: Sequence[str],
    outcome: Outcomes,
    names: Sequence[tuple[str, str]],
    made_by: Provenance | None = None,
) -> Table:
    """One row for each pair, level and outcome: in how many topics a run dominates the other, or neither does."""
    _check(levels, outcome, names)
    topics = _counts(outcome)
    columns = _named(levels, names, each=len(WORDS)) | {
        "outcome": list(WORDS.values()) * (len(names) * len(levels)),
        "topics": topics.reshape(-1),
        "share": np.divide(topics, outcome.shape[2] or np.nan).reshape(-1),
    }
    return Table(columns, "dominance: as many relevant documents or more at every rank, and more at one", made_by)


def dominance_test_table(
    levels: Sequence[str],
    outcome: Outcomes,
    names: Sequence[tuple[str, str]],
    made_by: Provenance | None = None,
) -> Table:
    """One row for each pair and level: an exact sign test on the topics in which each run dominates (conover1999).

    Topics in which the rankings are equal or incomparable are excluded.
    """
    _check(levels, outcome, names)
    ahead_a, ahead_b, *_ = np.moveaxis(_counts(outcome), 2, 0)
    columns = _named(levels, names) | {
        "ahead_a": ahead_a.reshape(-1),
        "ahead_b": ahead_b.reshape(-1),
        "p": binomial_p(ahead_a, ahead_b).reshape(-1),
    }
    return Table(columns, "exact sign test on the topics in which one run dominates", made_by)


def splits_table(
    levels: Sequence[str],
    outcome: Outcomes,
    names: Sequence[tuple[str, str]],
    values: Values,
    chosen: Sequence[tuple[int, int]],
    made_by: Provenance | None = None,
) -> Table:
    """One row for each measure and pair: the run that the measure prefers in topics with incomparable rankings.

    ``better_a`` and ``better_b`` follow the direction of the measure. A topic without a value for one of the runs is in
    no column.
    """
    _check(levels, outcome, names)
    if outcome.shape[2] != len(values.topics):
        hint = "take the outcomes of the topics that the values have"
        raise ParameterError(f"outcomes of {outcome.shape[2]} topics, values of {len(values.topics)}", hint=hint)
    undecided = outcome[:, list(levels).index(ALL)] == INCOMPARABLE
    parts = []
    for measure in values.measures:
        matrix = values.matrix(measure)
        pairs = Pairs.given(matrix, list(chosen), places(values, measure, matrix))
        above, below, equal = _preferred(pairs, undecided)
        down = measure.direction is Direction.LOWER
        parts.append(
            {"a": [a for a, _ in names], "b": [b for _, b in names], "measure": [str(measure)] * len(names)}
            | {"incomparable": undecided.sum(axis=1).tolist()}
            | {"better_a": above if down else below, "better_b": below if down else above, "equal": equal}
        )
    columns = {name: [cell for part in parts for cell in part[name]] for name in parts[0]}
    return Table(columns, "how measures decide where neither run dominates", made_by, _without(columns))


def levels_table(
    preferences: Mapping[str, NDArray[np.floating[Any] | np.int8]],
    names: Sequence[tuple[str, str]],
    made_by: Provenance | None = None,
) -> Table:
    """One row for each pair and way to weigh the levels of recall: the preferred run, and the exact sign test.

    ``mean`` is above 0 where b is preferred; ``better_a`` and ``better_b`` count topics.
    """
    better_a, better_b, equal = (
        np.stack([(np.sign(by_topic) == sign).sum(axis=1) for by_topic in preferences.values()], axis=1)
        for sign in (-1, 1, 0)
    )
    means = np.stack([_row_means(by_topic) for by_topic in preferences.values()], axis=1)
    columns: dict[str, Any] = {
        "a": [a for a, _ in names for _ in preferences],
        "b": [b for _, b in names for _ in preferences],
        "preference": [way for _ in names for way in preferences],
        "mean": means.reshape(-1),
        "better_a": better_a.reshape(-1),
        "equal": equal.reshape(-1),
        "better_b": better_b.reshape(-1),
        "p": binomial_p(better_a, better_b).reshape(-1),
    }
    return Table(columns, "whom users prefer at levels of recall, whatever the measure", made_by)


def _row_means(by_topic: NDArray[Any]) -> NDArray[np.float64]:
    """Return the mean of each row, NaN without topics."""
    if not by_topic.shape[1]:
        return np.full(len(by_topic), np.nan)
    return np.ascontiguousarray(by_topic, dtype=float).mean(axis=1)


def _preferred(pairs: Pairs, topics: NDArray[np.bool_]) -> Iterator[list[int]]:
    """Yield three times (pair,): the number of topics in which b's value is above a's, below it, and equal to it."""
    ends = np.cumsum([0, *(len(block) for block in pairs.blocks())])
    counts = [
        [(topics[start : start + len(block)] & (block.sign == sign)).sum(axis=1) for sign in (1, -1, 0)]
        for start, block in zip(ends[:-1], pairs.blocks(), strict=True)
    ]
    return (np.concatenate(part).tolist() for part in zip(*counts, strict=True))


def _without(columns: dict[str, list[Any]]) -> tuple[str, ...]:
    """Return a note on measures that have no value for some of the topics."""
    counts = (columns[name] for name in ("measure", "incomparable", "better_a", "better_b", "equal"))
    short = dict.fromkeys(measure for measure, n, a, b, equal in zip(*counts, strict=True) if a + b + equal < n)
    note = f"{', '.join(short)}: topics without a value for one of the runs are in no column"
    return (note,) if short else ()


def _counts(outcome: Outcomes) -> NDArray[np.int64]:
    """(pair, level, outcome): how many topics."""
    return np.stack([(outcome == code).sum(axis=2) for code in WORDS], axis=2)


def _named(levels: Sequence[str], names: Sequence[tuple[str, str]], *, each: int = 1) -> dict[str, Any]:
    return {
        "a": [a for a, _ in names for _ in range(len(levels) * each)],
        "b": [b for _, b in names for _ in range(len(levels) * each)],
        "level": [level for _ in names for level in levels for _ in range(each)],
    }


def _check(levels: Sequence[str], outcome: Outcomes, names: Sequence[tuple[str, str]]) -> None:
    if outcome.shape[:2] != (len(names), len(levels)):
        pairs, known = outcome.shape[:2]
        problem = f"outcomes of {pairs} pairs at {known} levels, names of {len(names)} pairs and {len(levels)} levels"
        raise ParameterError(problem, hint="give a name to every pair and every level")
