"""Lines of evidence on pairs of runs: measures, topics answered, first relevant document and dominance."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Direction, ParameterError
from cranfield.data import Values
from cranfield.stats.estimates.power import POWER
from cranfield.stats.multiple.corrections import Correction, Uncorrected
from cranfield.stats.pair_tests.all_pairs import places
from cranfield.stats.pair_tests.base import Answer, Asked, Pairs, PairTest
from cranfield.stats.pair_tests.closed_form import PerPair, Spread, sign_interval
from cranfield.stats.pair_tests.signed_rank import SignedRank

from .constant_differences import bound_constant, constant_differences
from .topic_outcomes import Outcomes, binomial_p, means_of_both

LineName: TypeAlias = Literal["measure", "answered", "first relevant", "dominance"]
Signs: TypeAlias = NDArray[np.int64]  # (pair,): 1 better, −1 worse, 0 not significant, from b's point of view
DominanceOutcomes: TypeAlias = NDArray[np.int8]  # (pair, topic): 1 b dominates, −1 a dominates, 0 equal, 2 neither


def detectable_errors(freedom: Any, level: float) -> Any:
    """Return how many standard errors a mean difference needs for 80% power of the two-sided t-test."""
    from scipy.special import stdtrit

    return stdtrit(freedom, 1 - level / 2) + stdtrit(freedom, POWER)


@dataclass(frozen=True, eq=False, kw_only=True)
class EvidenceLine:
    """One comparison of b with a for every pair: an estimate, its interval and its p-value, all from one test.

    ``difference`` is b − a. ``sign`` is 1 where higher values are better and −1 where lower values are. A pair without
    data has p = 1.
    """

    line: LineName
    measure: str
    test: str
    n: NDArray[np.int64]
    value_a: PerPair
    value_b: PerPair
    difference: PerPair
    low: PerPair
    high: PerPair
    p: PerPair
    p_adjusted: PerPair
    toward: Signs  # which run the estimate favours, significant or not: 1 is b, −1 is a
    interval_level: float  # the interval has confidence 1 − interval_level
    sign: int = 1
    constant: NDArray[np.bool_] | None = None  # (pair,): p is bounded, as all topics have one difference other than 0

    def status(self, level: float) -> Signs:
        """Return 1 where b is significantly better, −1 where it is significantly worse, 0 otherwise."""
        return np.where(self.p_adjusted <= level, self.toward, 0)

    def worse_p(self) -> PerPair:
        """Return the one-sided p-value for "b is worse", from the adjusted two-sided one."""
        return np.where(self.toward < 0, self.p_adjusted / 2, 1 - self.p_adjusted / 2)


@dataclass(frozen=True, eq=False, kw_only=True)
class Evidence:
    """All lines of evidence on every pair, the primary measure first.

    The primary line is corrected over the pairs. The others are Bonferroni-corrected among themselves, pair by pair.
    """

    primary: EvidenceLine
    others: tuple[EvidenceLine, ...]
    level: float
    spread: Spread  # of the differences of the primary measure
    nonzero: NDArray[np.int64]  # (pair,): topics in which the primary measure differs
    one_sided: tuple[PerPair, PerPair]  # interval of the primary with confidence 1 − 2 · level; NaN without a margin
    correction: str  # of the primary line over the pairs, "" where there is none
    search_length: Answer | None  # of signed-rank on the ranks of the first relevant documents
    joint: bool = False  # whether the test corrects its p-values over the pairs itself
    nothing_relevant: NDArray[np.bool_] | None = None  # (pair,): equal, with no relevant document in any topic

    @cached_property
    def lines(self) -> tuple[EvidenceLine, ...]:
        """Return the primary line and the others."""
        return (self.primary, *self.others)

    def has_constant_difference(self, pair: int) -> bool:
        """Return whether all topics have one difference other than 0, so that the exact p bounds that of the test."""
        return self.primary.constant is not None and bool(self.primary.constant[pair])

    def has_nothing_relevant(self, pair: int) -> bool:
        """Return whether the runs are equal because no topic has a relevant document for the primary measure."""
        return self.nothing_relevant is not None and bool(self.nothing_relevant[pair])

    @cached_property
    def statuses(self) -> Signs:
        """Return (line, pair): 1 where b is significantly better, −1 where it is significantly worse, 0 otherwise."""
        return np.stack([line.status(self.level) for line in self.lines])

    @cached_property
    def detectable(self) -> PerPair:
        """Return the smallest mean difference that these topics detect with 80% power; NaN without any spread."""
        freedom = np.where(self.spread.n > 1, self.spread.n - 1, np.nan)
        errors = detectable_errors(freedom, self.primary.interval_level)
        return np.where(self.spread.deviation > 0, errors * self.spread.error, np.nan)

    @cached_property
    def worse_p(self) -> PerPair:
        """Return the one-sided p-value for "b is worse" on the primary measure."""
        return self.primary.worse_p()

    def topics_to_pass(self, margin: float) -> PerPair:
        """Return how many topics a run without any true difference needs to be not worse with 80% power."""
        from scipy.special import ndtri

        quantiles = ndtri(1 - self.primary.interval_level) + ndtri(POWER)  # the level of each pair
        return np.where(self.spread.deviation > 0, np.ceil((quantiles * self.spread.deviation / margin) ** 2), np.nan)

    def within(self, margin: float) -> NDArray[np.bool_]:
        """Return where the interval with confidence 1 − 2 · level lies inside ±margin."""
        low, high = self.one_sided
        return (low > -margin) & (high < margin)


def gather_evidence(
    values: Values,
    chosen: Sequence[tuple[int, int]],
    *,
    test: PairTest,
    correction: Correction,
    asked: Asked,
    first: Pairs | None = None,
    cutoff: int = 0,
    rel: float = 1,
    dominance: DominanceOutcomes | None = None,
    with_margin: bool = False,
) -> Evidence:
    """Compute every line of evidence: one for each measure, and those of the rankings where these are known.

    ``first`` holds the rank of the first document of grade ``rel`` or above within ``cutoff``, NaN where a run answers
    no topic. Only a comparison with a margin needs the interval with confidence 1 − 2 · level.
    """
    check_deciding_test(test)
    others = len(values.measures) - 1 + (2 if first is not None else 0) + (dominance is not None)
    secondary = replace(asked, level=asked.level / max(others, 1))
    corrected = len(chosen) > 1 and not isinstance(correction, Uncorrected) and not test.joint
    family = len(chosen) if corrected else 1
    primary_pairs = pairs_of(values, values.measures[0], chosen)
    primary = measure_line(values, values.measures[0], primary_pairs, test, replace(asked, level=asked.level / family))
    if not test.joint:
        primary = replace(primary, p_adjusted=correction.adjust(primary.p))
    lines = [
        measure_line(values, measure, pairs_of(values, measure, chosen), test, secondary)
        for measure in values.measures[1:]
    ]
    search_length = None
    if first is not None:
        search_length = SignedRank().compare(first, secondary)
        lines += [
            answered_line(first, cutoff, secondary.level, rel),
            first_relevant_line(first, search_length, secondary.level, rel),
        ]
    if dominance is not None:
        lines.append(dominance_line(dominance, secondary.level))
    wider_level = min(2 * asked.level / family, 0.999)
    wider = test.compare(primary_pairs, replace(asked, level=wider_level)) if with_margin else None
    nonzero = np.concatenate([(np.nan_to_num(block.difference) != 0).sum(axis=1) for block in primary_pairs.blocks()])
    if wider is not None and primary.constant is not None:
        wider = bound_constant(wider, primary.constant, primary.n, wider_level)
    low, high = (None, None) if wider is None else (wider.low, wider.high)
    nothing_relevant = (nonzero == 0) & values.without_relevant[0].all()
    if nothing_relevant.any():  # the runs are equal because no run can have another value
        blank = np.where(nothing_relevant, np.nan, 0.0)
        primary = replace(primary, low=primary.low + blank, high=primary.high + blank)
        low, high = (None if end is None else end + blank for end in (low, high))
    return Evidence(
        primary=primary,
        others=tuple(replace(line, p_adjusted=np.minimum(1.0, others * line.p)) for line in lines),
        level=asked.level,
        spread=Spread.of(primary_pairs),
        nonzero=nonzero,
        one_sided=(_or_nothing(low, len(chosen)), _or_nothing(high, len(chosen))),
        correction=correction.usual_name if corrected else "",
        joint=test.joint and len(chosen) > 1,
        search_length=search_length,
        nothing_relevant=nothing_relevant,
    )


def check_margin_test(test: PairTest) -> None:
    """Refuse a test without an interval in the units of the measure, which a margin needs."""
    if not test.interval_of_values:
        hint = "use t, signed-rank, randomisation or bootstrap"
        raise ParameterError(f"{test} has no interval that could be compared with a margin", hint=hint)


def check_deciding_test(test: PairTest) -> None:
    """Refuse a test whose p-value does not say which of two runs is better."""
    hint = "use t, signed-rank, sign, randomisation or bootstrap, two-sided"
    if test.equivalence:
        raise ParameterError(f"{test} cannot decide which run is better: a small p means equivalence", hint=hint)
    if test.alternative != "two-sided":
        raise ParameterError(f"{test} cannot decide which run is better: it is one-sided", hint=hint)


def pairs_of(values: Values, measure: object, chosen: Sequence[tuple[int, int]]) -> Pairs:
    """Return the values of one measure for the chosen pairs."""
    matrix = values.matrix(measure)
    return Pairs.given(matrix, list(chosen), places(values, measure, matrix))


def measure_line(values: Values, measure: Any, pairs: Pairs, test: PairTest, asked: Asked) -> EvidenceLine:
    """Compare the values of one measure by a paired test, with p bounded where the difference never varies."""
    answer = test.compare(pairs, asked)
    compared = pairs.complete() if test.joint else pairs
    constant = constant_differences(pairs, test, answer)
    answer = bound_constant(answer, constant, compared.topics, asked.level)
    value_a, value_b = means_of_both(compared)
    estimate = compared.mean_difference if answer.estimate is None else answer.estimate
    sign = -1 if measure.direction is Direction.LOWER else 1
    p = _p_or_one(answer.p)
    return EvidenceLine(
        line="measure",
        measure=str(measure),
        test=str(test),
        n=compared.topics,
        value_a=value_a,
        value_b=value_b,
        difference=estimate,
        low=_or_nothing(answer.low, len(pairs)),
        high=_or_nothing(answer.high, len(pairs)),
        p=p,
        p_adjusted=p if answer.adjusted is None else _p_or_one(answer.adjusted),
        toward=sign * _direction(answer, test),
        interval_level=asked.level,
        sign=sign,
        constant=constant,
    )


def answered_line(first: Pairs, cutoff: int, level: float, rel: float = 1) -> EvidenceLine:
    """Compare the topics that one run alone answers within the cutoff (lin2021): exact binomial test."""
    outcomes = Outcomes.of(first)
    topics = np.full(len(first), outcomes.topics)
    difference, low, high = sign_interval(outcomes.only_b, outcomes.only_a, topics, level)
    p = binomial_p(outcomes.only_a, outcomes.only_b)
    return EvidenceLine(
        line="answered",
        measure=f"Success{_level_of(rel)}@{cutoff}",
        test="binomial",
        n=topics,
        value_a=(outcomes.only_a + outcomes.both) / np.maximum(topics, 1),
        value_b=(outcomes.only_b + outcomes.both) / np.maximum(topics, 1),
        difference=difference,
        low=low,
        high=high,
        p=p,
        p_adjusted=p,
        toward=np.sign(outcomes.only_b - outcomes.only_a),
        interval_level=level,
    )


def first_relevant_line(first: Pairs, answer: Answer, level: float, rel: float = 1) -> EvidenceLine:
    """Compare the rank of the first relevant document where both runs answer (lin2021): signed-rank on ESL."""
    value_a, value_b = means_of_both(first)
    p = _p_or_one(answer.p)
    return EvidenceLine(
        line="first relevant",
        measure=f"ESL{_level_of(rel)}",
        test=SignedRank.name,
        n=first.topics,
        value_a=value_a,
        value_b=value_b,
        difference=_or_nothing(answer.estimate, len(first)),
        low=_or_nothing(answer.low, len(first)),
        high=_or_nothing(answer.high, len(first)),
        p=p,
        p_adjusted=p,
        toward=-_direction(answer, SignedRank()),
        interval_level=level,
        sign=-1,
    )


def dominance_line(outcome: DominanceOutcomes, level: float) -> EvidenceLine:
    """Compare the topics in which one ranking dominates the other: exact sign test."""
    ahead_a, ahead_b = ((outcome == side).sum(axis=1) for side in (-1, 1))
    topics = np.full(len(outcome), outcome.shape[1])
    difference, low, high = sign_interval(ahead_b, ahead_a, topics, level)
    p = binomial_p(ahead_a, ahead_b)
    return EvidenceLine(
        line="dominance",
        measure="dominance",
        test="sign",
        n=topics,
        value_a=ahead_a / np.maximum(topics, 1),
        value_b=ahead_b / np.maximum(topics, 1),
        difference=difference,
        low=low,
        high=high,
        p=p,
        p_adjusted=p,
        toward=np.sign(ahead_b - ahead_a),
        interval_level=level,
    )


def _level_of(rel: float) -> str:
    """Return the relevance level as measures write it, nothing for the usual one."""
    return "" if rel == 1 else f"(rel={rel:g})"


def _direction(answer: Answer, test: PairTest) -> Signs:
    """Return the sign of the effect that a test measures, 0 where there is none."""
    middle = 0.5 if test.effect == "share" else 0.0
    return np.sign(np.nan_to_num(answer.effect - middle)).astype(np.int64)


def _p_or_one(p: PerPair) -> PerPair:
    return np.where(np.isnan(p), 1.0, p)


def _or_nothing(numbers: PerPair | None, pairs: int) -> PerPair:
    return np.full(pairs, np.nan) if numbers is None else np.where(np.isfinite(numbers), numbers, np.nan)
