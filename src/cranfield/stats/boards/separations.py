"""Pairs of runs on a leaderboard that differ significantly, and the tables that show them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError, Provenance, Table
from cranfield.core.types import Matrix
from cranfield.stats.multiple.corrections import Correction
from cranfield.stats.pair_tests.all_pairs import Tested
from cranfield.stats.pair_tests.base import Asked, Pairs, PairTest


@dataclass(frozen=True, eq=False)
class Apart:
    """Which runs a test tells from which, and what it says of every pair; of a single run there is none."""

    test: PairTest
    level: float
    significant: NDArray[np.bool_]  # (run, run)
    better: NDArray[np.bool_]  # (run, run): the first is significantly better than the second
    pairs: Tested | None = None
    notes: tuple[str, ...] = ()


def tell_apart(good: Matrix, within: Matrix | None, test: PairTest, correction: Correction, asked: Asked) -> Apart:
    """From values of which higher ones are better, and exact places ``within`` topics where floats are not enough."""
    runs = good.shape[1]
    if test.equivalence or test.alternative != "two-sided":
        asks = "whether runs are equal" if test.equivalence else "about one side alone"
        hint = "choose a two-sided test, such as t or tukey"
        raise ParameterError(f"{test} asks {asks}: it gives no ranks", hint=hint)
    if runs == 1:
        return Apart(test, asked.level, *np.zeros((2, 1, 1), dtype=bool))
    pairs = Pairs.every(good, within)
    answer = test.compare(pairs, replace(asked, intervals=False))
    adjusted = correction.adjust(answer.p) if answer.adjusted is None else answer.adjusted
    over = f"{correction.name} over {len(pairs):,} pair{'s' * (len(pairs) != 1)}"
    family = "corrected for all pairs by itself" if test.joint else over
    difference = pairs.mean_difference
    found = Tested("", test, pairs, answer, difference, difference, adjusted, family, size=len(pairs))
    told = found.significant(asked.level)
    # The share of topics in which b is ahead leans from one half, every other effect from 0.
    leaning = np.sign(np.nan_to_num(answer.effect) - (0.5 if test.effect == "share" else 0.0))
    ahead = np.where(leaning == np.sign(pairs.mean_difference), leaning, 0.0)
    significant, better = np.zeros((2, runs, runs), dtype=bool)
    significant[pairs.a, pairs.b] = significant[pairs.b, pairs.a] = told
    better[pairs.b, pairs.a] = told & (ahead > 0)
    better[pairs.a, pairs.b] = told & (ahead < 0)
    notes = [f"rank: 1 + the runs significantly better ({test}, {family}, level {asked.level:g})"]
    if found.out_of_reach(correction, asked.level):
        notes.append(f"{test.name}: too few draws to tell any two of {runs:,} runs apart; raise --draws, or use max-t")
    if certain := int(np.isinf(answer.statistic).sum()):
        over = f"{certain:,} of {len(pairs):,} pair{'s' * (len(pairs) != 1)}"
        notes.append(f"{over}: the same difference in every topic, so the statistic of {test.name} is infinite")
    return Apart(test, asked.level, significant, better, found, tuple(notes))


def behind_table(
    apart: Apart,
    runs: Sequence[str],
    order: Sequence[int],
    side: float,
    *,
    measure: object,
    made_by: Provenance | None = None,
) -> Table:
    """One row per run, beside the one with the best mean: ``order`` is from the best on, ``side`` −1 where less is.

    ``difference`` is the run less the best. The best has none to be tested against; p is not there either where a test
    looks at all pairs at once, and gives only what is corrected for them.
    """
    best, others = order[0], np.array(order[1:], dtype=np.intp)
    columns: dict[str, Any] = {"run": [runs[run] for run in order], "best": [runs[best]] * len(order)}
    found = apart.pairs
    if found is None:
        told = {"difference": np.zeros(1), "p": [None], "p_adjusted": [None], "significant": [None]}
    else:
        place = np.zeros((len(runs), len(runs)), dtype=np.intp)
        place[found.pairs.a, found.pairs.b] = place[found.pairs.b, found.pairs.a] = np.arange(len(found.pairs))
        at = place[best, others]
        ahead = np.where(found.pairs.b[at] == others, side, -side) * found.difference[at]
        told = {
            "difference": np.concatenate(([0.0], ahead + 0.0)),  # no −0
            "p": np.concatenate(([np.nan], found.answer.p[at])),
            "p_adjusted": np.concatenate(([np.nan], found.adjusted[at])),
            "significant": [None, *_significant(found, apart.level)[at].tolist()],
        }
    return Table(columns | told, f"behind the best mean {measure}: {apart.test}", made_by)


def pairs_table(
    apart: Apart, runs: Sequence[str], side: float, *, measure: object, made_by: Provenance | None = None
) -> Table:
    """One row for each pair of runs, as they were given: b − a, and p corrected over all pairs."""
    found = apart.pairs
    names = np.array(runs, dtype=object)
    a, b = ([], []) if found is None else (names[found.pairs.a], names[found.pairs.b])
    columns: dict[str, Any] = {
        "a": a,
        "b": b,
        "difference": [] if found is None else side * found.difference + 0.0,
        "p_adjusted": [] if found is None else found.adjusted,
        "significant": [] if found is None else _significant(found, apart.level),
    }
    return Table(columns, f"{apart.test} on {measure}", made_by)


def _significant(found: Tested, level: float) -> NDArray[np.object_]:
    """(pair,): whether the test tells the two apart; nothing where it has no p."""
    told = found.significant(level).astype(object)
    told[np.isnan(found.adjusted)] = None
    return told
