"""Tables of the topics in which one run dominates the other, with sign tests."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Direction, ParameterError, Provenance, Table
from cranfield.data import Values
from cranfield.stats.pair_tests.all_pairs import places
from cranfield.stats.pair_tests.base import Pairs

Outcomes = NDArray[np.int8]  # (pair, level, topic)

INCOMPARABLE = 2
# What stands in an outcome, in the order in which tables show it.
WORDS = {-1: "a", 1: "b", 0: "equal", INCOMPARABLE: "incomparable"}
ALL = "all"
LEVELS = ("a", "b", "preference", "mean", "better_a", "equal", "better_b", "p")


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
    """One row for each pair and level: the topics in which each run dominates, as throws of a fair coin (conover1999).

    Topics in which the rankings are equal or cannot be compared are left out.
    """
    from scipy.special import bdtr

    _check(levels, outcome, names)
    ahead_a, ahead_b, *_ = np.moveaxis(_counts(outcome), 2, 0)
    fewer = np.minimum(ahead_a, ahead_b)
    columns = _named(levels, names) | {
        "ahead_a": ahead_a.reshape(-1),
        "ahead_b": ahead_b.reshape(-1),
        "p": np.minimum(1.0, 2 * bdtr(fewer, ahead_a + ahead_b, 0.5)).reshape(-1),
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
    """One row for each measure and pair: whom the measure prefers in topics whose rankings cannot be compared.

    Better is what the measure calls better: a smaller ESL. A topic without a value for one of the two is in no column.
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
    found: Mapping[str, NDArray[np.floating[Any] | np.int8]],
    names: Sequence[tuple[str, str]],
    made_by: Provenance | None = None,
) -> Table:
    """One row for each pair and way to weigh the levels of recall: whom users prefer, and the exact sign test.

    ``mean`` is above 0 where b is preferred; ``better_a`` and ``better_b`` count topics.
    """
    from scipy.special import bdtr

    columns: dict[str, list[Any]] = {name: [] for name in LEVELS}
    for i, (a, b) in enumerate(names):
        for way, told in found.items():
            mine = told[i]
            better_a, better_b = int((mine < 0).sum()), int((mine > 0).sum())
            p = min(1.0, 2 * float(bdtr(min(better_a, better_b), better_a + better_b, 0.5)))
            mean = float(mine.mean()) if mine.size else np.nan
            row = (a, b, way, mean, better_a, len(mine) - better_a - better_b, better_b, p)
            for name, cell in zip(LEVELS, row, strict=True):
                columns[name].append(cell)
    return Table(columns, "whom users prefer at levels of recall, whatever the measure", made_by)


def _preferred(pairs: Pairs, topics: NDArray[np.bool_]) -> Iterator[list[int]]:
    """(pair,) thrice: in how many of each pair's topics b's value is above a's, below it, and equal to it."""
    ends = np.cumsum([0, *(len(block) for block in pairs.blocks())])
    counts = [
        [(topics[start : start + len(block)] & (block.sign == sign)).sum(axis=1) for sign in (1, -1, 0)]
        for start, block in zip(ends[:-1], pairs.blocks(), strict=True)
    ]
    return (np.concatenate(part).tolist() for part in zip(*counts, strict=True))


def _without(columns: dict[str, list[Any]]) -> tuple[str, ...]:
    """A note on measures that have no value for some of the topics."""
    told = (columns[name] for name in ("measure", "incomparable", "better_a", "better_b", "equal"))
    short = dict.fromkeys(measure for measure, n, a, b, equal in zip(*told, strict=True) if a + b + equal < n)
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
