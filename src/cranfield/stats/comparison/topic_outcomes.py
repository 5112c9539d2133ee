"""Topics answered by neither, one or both of two runs, and tests of these outcomes (lin2021)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Provenance, Table, score_interval
from cranfield.data import Values
from cranfield.stats.multiple.corrections import Correction, Uncorrected
from cranfield.stats.pair_tests.all_pairs import compare_pairs, finite
from cranfield.stats.pair_tests.base import LEVEL, Answer, Asked, Pairs, PairTest, check_level, tail
from cranfield.stats.pair_tests.closed_form import PerPair, T
from cranfield.stats.pair_tests.signed_rank import SignedRank

HALVINGS = 60  # of the range from −1 to 1: what is left is less than a float can tell
OUTCOMES = ("neither", "only_a", "only_b", "both")


@dataclass(frozen=True, eq=False)
class Outcomes:
    """(pair,): in how many topics neither run answers, a alone, b alone, and both.

    A topic is answered where there is a rank of the first relevant document: it is NaN where none was found.
    """

    topics: int  # all of them
    neither: NDArray[np.int64]
    only_a: NDArray[np.int64]
    only_b: NDArray[np.int64]
    both: NDArray[np.int64]

    @classmethod
    def of(cls, first: Pairs) -> "Outcomes":
        """Those of each pair."""
        answered = (~np.isnan(first.values)).sum(axis=0)  # (run,)
        a, b, both, topics = answered[first.a], answered[first.b], first.topics, len(first.values)
        return cls(topics, topics - a - b + both, a - both, b - both, both)

    @property
    def difference(self) -> PerPair:
        """(pair,): the share of topics answered by b, less that of a; NaN without topics."""
        return (self.only_b - self.only_a) / (self.topics or np.nan)


def binomial_p(a_counts: NDArray[Any], b_counts: NDArray[Any]) -> NDArray[np.float64]:
    """How likely a fair coin divides as unevenly as a against b, either way: exact; 1 where there is nothing."""
    from scipy.special import bdtr

    a, b = np.asarray(a_counts, dtype=np.int64), np.asarray(b_counts, dtype=np.int64)
    lower, upper = (np.asarray(bdtr(side, a + b, 0.5), dtype=float) for side in (b, a))
    return tail(lower, upper, "two-sided")


def share_interval(
    counts: NDArray[Any], topics: int | NDArray[np.int64], *, level: float = LEVEL
) -> tuple[PerPair, PerPair]:
    """Wilson's score interval of a share of all topics, or of as many as each has; NaN without topics."""
    from scipy.special import ndtri

    return score_interval(counts, topics, ndtri(1 - level / 2))


def score_of_difference(outcomes: Outcomes, difference: PerPair) -> PerPair:
    """Tango's z: how far the seen difference of paired shares lies above a supposed one, in standard errors.

    These are the ones that the supposed difference has, with the share of topics of a alone that is likeliest then.
    """
    only_a, only_b, n = outcomes.only_a, outcomes.only_b, outcomes.topics or np.nan
    # tango1998: the larger root of 2n q² + (…) q − only_a · δ(1 − δ) = 0.
    linear = (2 * n - only_b + only_a) * difference - only_a - only_b
    free = only_a * difference * (1 - difference)
    q = (np.sqrt(np.maximum(linear**2 + 8 * n * free, 0.0)) - linear) / (4 * n)
    above = only_b - only_a - n * difference
    variance = np.maximum(n * (2 * q + difference * (1 - difference)), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(above == 0, 0.0, above / np.sqrt(variance))


def difference_interval(outcomes: Outcomes, *, level: float = LEVEL) -> tuple[PerPair, PerPair]:
    """Tango's score interval of the difference of paired shares, b − a; NaN without topics."""
    from scipy.special import ndtri

    z = float(ndtri(1 - level / 2))
    seen, ends = outcomes.difference, []
    for side in (-1.0, 1.0):  # z falls as the supposed difference grows: it is halved between what is seen and ±1
        inside, outside = seen, np.full(len(seen), side)
        for _ in range(HALVINGS):
            middle = (inside + outside) / 2
            within = np.abs(score_of_difference(outcomes, middle)) <= z
            inside, outside = np.where(within, middle, inside), np.where(within, outside, middle)
        ends.append(np.where(seen == side, side, inside))
    return ends[0], ends[1]


def outcomes_table(
    first: Pairs, runs: Sequence[str], *, level: float = LEVEL, made_by: Provenance | None = None
) -> Table:
    """Four rows for each pair: the topics that neither answers, only a, only b, both; shares of all topics.

    ``low`` and ``high`` enclose each share for itself (Wilson).
    """
    check_level(level)
    outcomes = Outcomes.of(first)
    parts = []
    for outcome in OUTCOMES:
        count = getattr(outcomes, outcome)
        low, high = share_interval(count, outcomes.topics, level=level)
        share = count / (outcomes.topics or np.nan)
        parts.append(
            named(first, runs)
            | {"outcome": throughout(first, outcome), "topics": count, "share": share, "low": low, "high": high}
        )
    return Table(by_pair(parts), f"outcomes of {outcomes.topics:,} topic{'s' * (outcomes.topics != 1)}", made_by)


def both_table(
    first: Pairs,
    runs: Sequence[str],
    *,
    correction: Correction,
    asked: Asked,
    search_length: Answer | None = None,
    made_by: Provenance | None = None,
) -> Table:
    """Four rows for each pair, on the ``n`` topics that both answer: ESL and RR, each with signed-rank and t.

    ESL is the rank of the first relevant document, RR its reciprocal. p is corrected over the pairs of one measure and
    one test.
    """
    parts: list[dict[str, Any]] = []
    notes: list[str] = []
    asked = replace(asked, intervals=False)
    for measure, pairs in (("ESL", first), ("RR", replace(first, values=1 / first.values))):
        value_a, value_b = means_of_both(pairs)
        seen = named(pairs, runs) | {"measure": throughout(pairs, measure), "n": pairs.topics}
        seen |= {"value_a": value_a, "value_b": value_b, "difference": pairs.mean_difference}
        tests: tuple[PairTest, ...] = (SignedRank(), T())
        for test in tests:
            known = search_length if measure == "ESL" and test == SignedRank() else None
            answer = known or test.compare(pairs, asked)
            chances = {"p": answer.p, "p_adjusted": correction.adjust(answer.p)}
            parts.append(seen | {"test": throughout(pairs, test.name)} | chances)
            notes += conventions(test, answer, family(correction, answer.p))
    return Table(by_pair(parts), "where both runs answer", made_by, tuple(dict.fromkeys(notes)))


def answered_table(
    first: Pairs, runs: Sequence[str], *, correction: Correction, asked: Asked, made_by: Provenance | None = None
) -> Table:
    """One row for each pair: the topics that one run alone answers, against a fair coin.

    ``difference`` is the share of topics answered by b less that of a, between ``low`` and ``high`` (Tango).
    """
    check_level(asked.level)
    outcomes = Outcomes.of(first)
    low, high = difference_interval(outcomes, level=asked.level)
    p = binomial_p(outcomes.only_a, outcomes.only_b)
    columns = named(first, runs) | {
        "test": throughout(first, "binomial"),
        "only_a": outcomes.only_a,
        "only_b": outcomes.only_b,
        "difference": outcomes.difference,
        "low": low,
        "high": high,
        "p": p,
        "p_adjusted": correction.adjust(p),
    }
    note = f"binomial: exact, two-sided, of the topics that one run alone answers; {family(correction, p)}"
    return Table(columns, "topics that one run alone answers", made_by, (note,))


def overall_table(
    values: Values,
    chosen: Sequence[tuple[int, int]],
    tests: Sequence[PairTest],
    *,
    correction: Correction,
    asked: Asked,
    made_by: Provenance | None = None,
) -> Table:
    """One row for each pair, measure and test: means over the ``n`` topics of both, and the effect as the test has it.

    p is corrected over the pairs of one measure and one test, unless the test looks at all pairs itself.
    """
    parts: list[dict[str, Any]] = []
    notes: list[str] = []
    for one in compare_pairs(values, tests, chosen, correction=correction, asked=replace(asked, intervals=False)):
        pairs = one.pairs.complete() if one.test.joint else one.pairs  # what the answer is about
        value_a, value_b = means_of_both(pairs)
        parts.append(
            named(pairs, values.runs)
            | {"measure": throughout(pairs, one.measure), "n": pairs.topics}
            | {"value_a": value_a, "value_b": value_b, "difference": one.difference}
            | {"test": throughout(pairs, str(one.test))}
            | {"p": one.answer.p, "p_adjusted": one.adjusted, "effect": finite(one.answer.effect)}
        )
        notes += conventions(one.test, one.answer, f"effect: {one.test.effect}", one.family)
    return Table(by_pair(parts), "the whole measure", made_by, tuple(dict.fromkeys(notes)))


def means_of_both(pairs: Pairs) -> tuple[PerPair, PerPair]:
    """(pair,): the means of a and of b over the topics in which both have a value; NaN where there is none."""
    n = np.where(pairs.topics > 0, pairs.topics, np.nan)
    sums: list[list[PerPair]] = [[], []]
    for block in pairs.blocks():
        sides = block.values[:, block.a], block.values[:, block.b]
        gone = np.isnan(sides[0]) | np.isnan(sides[1])
        for side, found in zip(sides, sums, strict=True):
            found.append(np.where(gone, 0.0, side).sum(axis=0))
    return np.concatenate(sums[0]) / n, np.concatenate(sums[1]) / n


def named(pairs: Pairs, runs: Sequence[str]) -> dict[str, Any]:
    """(pair,): the names of both runs."""
    names = np.array(runs, dtype=object)
    return {"a": names[pairs.a], "b": names[pairs.b]}


def throughout(pairs: Pairs, word: object) -> NDArray[np.object_]:
    """(pair,): the same for every pair."""
    return np.full(len(pairs), word, dtype=object)


def by_pair(parts: Sequence[Mapping[str, Any]]) -> dict[str, NDArray[Any]]:
    """Columns (pair,) of several parts as one: all rows of the first pair, then all of the second, and so on."""
    return {column: np.stack([part[column] for part in parts], axis=1).reshape(-1) for column in parts[0]}


def conventions(test: PairTest, answer: Answer, *more: str) -> list[str]:
    """What a test did, once for all pairs with which it did the same, and what else is to be said of it."""
    return ["; ".join([f"{test}: {note}", *more]) for note in dict.fromkeys(answer.note)]


def family(correction: Correction, p: PerPair) -> str:
    """Over how many p-values they were corrected, in words."""
    size = int((~np.isnan(p)).sum())
    over = f"{correction} over {size:,} test{'s' * (size != 1)}"
    return "not corrected" if isinstance(correction, Uncorrected) else over
