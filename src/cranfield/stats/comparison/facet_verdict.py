"""Verdict on two runs from two facets: topics answered, and ranking where both answer (lin2021)."""

import re
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError, UnknownName
from cranfield.stats.multiple.corrections import CORRECTIONS, Correction, Uncorrected
from cranfield.stats.pair_tests.base import TESTS, Answer, Asked, Pairs, PairTest, check_level
from cranfield.stats.pair_tests.closed_form import PerPair
from cranfield.stats.pair_tests.parsing import parse_method
from cranfield.stats.pair_tests.signed_rank import SignedRank

from .constant_differences import bound_constant, constant_differences
from .topic_outcomes import Outcomes, binomial_p

Sides: TypeAlias = NDArray[np.int64]  # (pair,): 1 is b, −1 is a, 0 neither, 2 mixed

MIXED = 2
# White space and commas part words, unless a bracket is open.
PARTS = re.compile(r"[\s,]+(?![^(]*\))")


@dataclass(frozen=True, kw_only=True)
class Decide:
    """Test of ranks where both runs answer, and correction over the pairs, of the outcome rule."""

    ranking: PairTest = field(default_factory=SignedRank)
    correction: Correction = field(default_factory=Uncorrected)

    def __post_init__(self) -> None:
        hint = "decide by t, signed-rank, sign, rank-sum, randomisation or bootstrap, two-sided"
        if self.ranking.joint or self.ranking.equivalence:
            why = "it tests all pairs at once" if self.ranking.joint else "a small p means equivalence"
            raise ParameterError(f"{self.ranking} cannot decide who ranks better: {why}", hint=hint)
        if self.ranking.alternative != "two-sided":
            raise ParameterError(f"{self.ranking} cannot decide who ranks better: it is one-sided", hint=hint)

    def __str__(self) -> str:
        return f"{self.ranking} {self.correction}"


def parse_decide(text: str) -> Decide:
    """From what people write: ``t holm``, ``holm``, ``signed-rank(zeros='pratt')``, in any order."""
    tests: list[PairTest] = []
    corrections: list[Correction] = []
    for word in filter(None, PARTS.split(text.strip())):
        name = word.partition("(")[0]
        if name.replace("_", "-") in CORRECTIONS:
            corrections.append(parse_method(CORRECTIONS, word))
        elif name.replace("_", "-") in TESTS:
            tests.append(parse_method(TESTS, word))
        else:
            hint = "for example: t holm; `cranfield tests` lists both"
            raise UnknownName(f"{name!r} is neither a test of pairs nor a correction", hint=hint)
    if len(tests) > 1 or len(corrections) > 1 or not tests + corrections:
        hint = "name one test of pairs, one correction, or one of each: t holm"
        raise ParameterError(f"{text!r} does not say by what to decide", hint=hint)
    ranking = tests[0] if tests else SignedRank()
    return Decide(ranking=ranking, correction=corrections[0] if corrections else Uncorrected())


@dataclass(frozen=True, eq=False)
class Facet:
    """(pair,): who is better in one respect.

    ``better`` is 1 where b is significantly better, −1 where a is, 0 where neither is shown to be. It is 2, mixed,
    where the test is significant for one run, and the mean is not on the side of that run; only ranks can be so.
    """

    test: str
    difference: PerPair  # b − a: of the shares answered, or of mean ranks
    p: PerPair
    p_decide: PerPair  # corrected over the pairs
    p_holm: PerPair  # and then over the two facets of a pair
    better: Sides
    better_holm: Sides
    toward: Sides  # the run to which the test points, significant or not
    ahead: Sides  # the run whose mean is better


@dataclass(frozen=True, eq=False)
class Facets:
    """The two facets of every pair, and the verdicts that follow from them: 1 is b, −1 is a, 0 neither."""

    answered: Facet
    ranking: Facet
    level: float
    decide: Decide
    ranking_by: Literal["ESL", "dominance"] = "ESL"  # what the ranking facet compares where both runs answer

    @property
    def rule_name(self) -> str:
        """Return what decides the ranking facet: the test of ranks, or dominance by the sign test."""
        return "dominance" if self.ranking_by == "dominance" else str(self.decide.ranking)

    @property
    def strict(self) -> Sides:
        """(pair,): who is significantly better in both facets."""
        same = self.answered.better == self.ranking.better
        return np.where(same, self.answered.better, 0)

    @property
    def do_no_harm(self) -> Sides:
        """(pair,): who is significantly better in one facet, and does no harm in the other.

        Harm is to be significantly worse. A mixed facet is harm to both runs: it is significant, and for either run it
        has a reading that is against it. To let it pass would help the run that answers more, and it may help nobody.
        """
        return _harmless(self.answered.better, self.ranking.better)

    @property
    def do_no_harm_holm(self) -> Sides:
        """(pair,): the same, with Holm over the two facets, because two uncorrected tests exceed the level.

        Where this finds a run, so does the verdict without it.
        """
        return _harmless(self.answered.better_holm, self.ranking.better_holm)


def judge(
    first: Pairs,
    *,
    decide: Decide | None = None,
    asked: Asked | None = None,
    dominance: NDArray[np.int8] | None = None,
    search_length: Answer | None = None,
) -> Facets:
    """Return both facets of each pair, from the ranks of the first relevant documents; NaN is a topic not answered.

    Answered: exact binomial test of the topics that one run alone answers. Ranking: the deciding test on ESL, where
    both runs answer and lower is better. With ``dominance`` (pair, topic) the ranking facet is instead the exact sign
    test of the topics that both answer and in which one ranking dominates; topics with several relevant documents need
    it. ``search_length`` is the answer of signed-rank on ESL where that is known. Both facets are two-sided.
    """
    decide, asked = decide or Decide(), asked or Asked()
    check_level(asked.level)
    outcomes = Outcomes.of(first)
    known = search_length if decide.ranking == SignedRank() else None
    ranking = _by_search_length(first, decide, asked, known) if dominance is None else _by_dominance(first, dominance)
    raw = binomial_p(outcomes.only_a, outcomes.only_b), ranking.p
    corrected = decide.correction.adjust(raw[0]), decide.correction.adjust(raw[1])
    holm = _holm(*corrected)
    more = _sign(outcomes.difference)
    toward, ahead = (more, ranking.toward), (more, ranking.ahead)

    def facet(i: int, test: str, difference: PerPair) -> Facet:
        better, better_holm = (_better(p[i] <= asked.level, toward[i], ahead[i]) for p in (corrected, holm))
        return Facet(test, difference, raw[i], corrected[i], holm[i], better, better_holm, toward[i], ahead[i])

    return Facets(
        answered=facet(0, "binomial", outcomes.difference),
        ranking=facet(1, ranking.test, ranking.difference),
        level=asked.level,
        decide=decide,
        ranking_by="ESL" if dominance is None else "dominance",
    )


@dataclass(frozen=True, eq=False)
class _Ranking:
    """(pair,): how a test compares the rankings where both runs answer."""

    test: str
    difference: PerPair
    p: PerPair
    toward: Sides
    ahead: Sides


def _by_search_length(first: Pairs, decide: Decide, asked: Asked, known: Answer | None) -> _Ranking:
    """Compare the ranks of the first relevant documents: the deciding test on ESL."""
    answer = known or decide.ranking.compare(first, replace(asked, intervals=False))
    constant = constant_differences(first, decide.ranking, answer)
    answer = bound_constant(answer, constant, first.topics, asked.level)
    middle = 0.5 if decide.ranking.effect == "share" else 0.0
    toward, ahead = -_sign(answer.effect - middle), -_sign(first.mean_difference)
    return _Ranking(str(decide.ranking), first.mean_difference, answer.p, toward, ahead)


def _by_dominance(first: Pairs, dominance: NDArray[np.int8]) -> _Ranking:
    """Compare whole rankings: in how many of the topics that both answer each one dominates."""
    answers = ~np.isnan(first.values).T  # (run, topic)
    ahead_a, ahead_b, both = np.zeros((3, len(first)), dtype=np.int64)
    for pair, (a, b) in enumerate(zip(first.a.tolist(), first.b.tolist(), strict=True)):
        shared = answers[a] & answers[b]
        ahead_a[pair], ahead_b[pair] = (((dominance[pair] == side) & shared).sum() for side in (-1, 1))
        both[pair] = shared.sum()
    difference = (ahead_b - ahead_a) / np.where(both > 0, both, np.nan)
    p = np.where(both > 0, binomial_p(ahead_a, ahead_b), np.nan)
    toward = np.sign(ahead_b - ahead_a)
    return _Ranking("sign", difference, p, toward, toward)


def _better(significant: NDArray[np.bool_], toward: Sides, ahead: Sides) -> Sides:
    """(pair,): the run to which a significant test points, if its mean is better; otherwise mixed."""
    return np.select([~significant | (toward == 0), toward == ahead], [0, toward], MIXED)


def _harmless(answered: Sides, ranking: Sides) -> Sides:
    """(pair,): who is better in at least one facet, where the other is the same or shows nothing."""
    both = np.stack([answered, ranking])
    sides = [(both == side).any(axis=0) & np.isin(both, [0, side]).all(axis=0) for side in (1, -1)]
    return np.select(sides, [1, -1], 0)


def _holm(p: PerPair, other: PerPair) -> tuple[PerPair, PerPair]:
    """(pair,): both p-values of each pair after Holm; where one is missing, the other is asked alone."""
    # holm1979 for two: the smaller one doubled; the larger one is no smaller than that.
    doubled = np.minimum(2 * np.minimum(p, other), 1.0)
    alone = np.isnan(doubled)
    return tuple(np.where(alone, one, np.maximum(one, doubled)) for one in (p, other))  # type: ignore[return-value]


def _sign(numbers: PerPair) -> Sides:
    """(pair,): 1, −1 or 0; 0 where there is no number."""
    return np.sign(np.nan_to_num(numbers)).astype(np.int64)
