"""Run each test on the selected pairs of runs for each measure, and correct the p-values."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError, Table
from cranfield.data import Values
from cranfield.stats.estimates.confidence_intervals import Interval
from cranfield.stats.multiple.corrections import Correction, Uncorrected
from cranfield.stats.multiple.family_intervals import confidence_text, interval_level, interval_reason
from cranfield.stats.reliability.discrimination import Discrimination, discriminative_power

from .base import LEVEL, Answer, Asked, Pairs, PairTest
from .float_ties import TIE, zero_within

Family: TypeAlias = Literal["pairs", "measures", "all"]
FAMILIES: tuple[Family, ...] = ("pairs", "measures", "all")
Aggregate: TypeAlias = Literal["mean", "median"]
AGGREGATES: tuple[Aggregate, ...] = ("mean", "median")


@dataclass(frozen=True, eq=False)
class Tested:
    """What one test says of one measure."""

    measure: str
    test: PairTest
    pairs: Pairs
    answer: Answer
    difference: NDArray[np.float64]  # (pair,): of means or of medians
    estimate: NDArray[np.float64]  # (pair,): what the interval is about, such as the mean or Hodges–Lehmann's estimate
    adjusted: NDArray[np.float64]  # (pair,): p after correction
    family: str  # over what p was corrected, in words
    size: int = 1  # how many p-values were corrected together; 1 where the test looks at all pairs itself
    level: float = LEVEL  # of the whole family
    interval_level: float = LEVEL  # of each interval
    interval_reason: str = ""  # why the intervals are Bonferroni's where the p-values are not

    @property
    def confidence(self) -> str:
        """The confidence of each interval, as a percentage."""
        return confidence_text(self.interval_level * (2 if self.test.equivalence else 1))

    def notes(self) -> list[str]:
        """Return the note of each pair: the convention of the test, the correction, and the interval."""
        notes = [f"{note}; {self.family}" for note in self.answer.notes()]
        low, high = self.answer.low, self.answer.high
        if low is None or high is None:
            return notes
        reason = f" ({self.interval_reason})" if self.interval_reason else ""
        interval = f"; {self.confidence} Bonferroni interval{reason}" if self.interval_level < self.level else ""
        exists = ~(np.isnan(low) & np.isnan(high))
        contradictions = np.select(
            [self.only_p, self.only_interval], ["; the interval contains 0", "; the interval excludes 0"], ""
        )
        return [
            note + interval * there + contradiction
            for note, there, contradiction in zip(notes, exists.tolist(), contradictions.tolist(), strict=True)
        ]

    @property
    def only_p(self) -> NDArray[np.bool_]:
        """(pair,): whether p is significant although the interval contains 0."""
        low, high = self.answer.low, self.answer.high
        if low is None or high is None or self.test.equivalence or self.test.joint:
            return np.zeros(len(self.pairs), dtype=bool)
        contains = ~(low > 0) & ~(high < 0) & ~(np.isnan(low) & np.isnan(high))
        return self.significant(self.level) & contains

    @property
    def only_interval(self) -> NDArray[np.bool_]:
        """(pair,): whether the interval excludes 0 although p is not significant."""
        low, high = self.answer.low, self.answer.high
        if low is None or high is None or self.test.equivalence or self.test.joint:
            return np.zeros(len(self.pairs), dtype=bool)
        return ~self.significant(self.level) & ((low > 0) | (high < 0))

    def significant(self, level: float) -> NDArray[np.bool_]:
        """(pair,): p ≤ level after correction."""
        return self.adjusted <= level

    def without_p(self) -> list[str]:
        """Why there is no p-value, for each pair that has none."""
        return [note for note, p in zip(self.answer.notes(), self.adjusted.tolist(), strict=True) if p != p]

    def out_of_reach(self, correction: Correction, level: float) -> bool:
        """Whether the draws are too few for any pair to be significant after the correction."""
        draws = getattr(self.test, "draws", None)
        if draws is None or not self.size or not any("draw" in note for note in self.answer.note):
            return False
        least = np.full(self.size, 1 / (draws + 1))  # nothing is more significant than all pairs beyond every draw
        return bool((least if self.test.joint else correction.adjust(least))[0] > level)


def choose_pairs(
    values: Values, pairs: Sequence[tuple[str, str]] = (), baseline: str | None = None
) -> list[tuple[int, int]]:
    """The pairs that are asked for, as places of runs: those given, each run beside a baseline, or all."""
    if pairs and baseline is not None:
        raise ParameterError("pairs are given, and a baseline too", hint="leave one of them out")
    runs = len(values.runs)
    if pairs:
        given: Sequence[Sequence[str]] = pairs  # as people may give them
        if any(isinstance(pair, str) or len(pair) != 2 for pair in given):
            raise ParameterError("a pair is two names of runs", hint="give a list of them: [('a', 'b'), ('a', 'c')]")
        found = [(values.run_index(a), values.run_index(b)) for a, b in pairs]
        for (a, b), names in zip(found, pairs, strict=True):
            if a == b:
                raise ParameterError(f"{names[0]} would be compared with itself", hint="name two different runs")
        return list(dict.fromkeys(found))
    if runs < 2:
        raise ParameterError("there is only one run", hint="a comparison needs two runs or more")
    if baseline is not None:
        base = values.run_index(baseline)
        return [(base, run) for run in range(runs) if run != base]
    return [(a, b) for a in range(runs) for b in range(a + 1, runs)]


def compare_pairs(
    values: Values,
    tests: Sequence[PairTest],
    chosen: Sequence[tuple[int, int]],
    *,
    correction: Correction,
    family: Family = "pairs",
    aggregate: Aggregate = "mean",
    interval: Interval | None = None,
    asked: Asked | None = None,
) -> list[Tested]:
    """Run every test on every measure, and correct p-values and intervals over the declared family.

    p-values are corrected as asked. Each interval has the level of the family divided by its size (Bonferroni), unless
    nothing is corrected; joint tests have simultaneous intervals of their own. ``interval`` replaces the interval of
    the test to which it belongs.
    """
    asked = asked or Asked()
    for what, word, known in (("family", family, FAMILIES), ("aggregate", aggregate, AGGREGATES)):
        if word not in known:
            raise ParameterError(f"{what} cannot be {word!r}", hint=f"choose one of: {', '.join(known)}")
    if interval:
        check_interval(interval, tests, aggregate)
    for test in tests:
        test.check(asked.level)
    questions = []
    for measure in values.measures:
        matrix = values.matrix(measure)
        pairs = Pairs.given(matrix, list(chosen), places(values, measure, matrix))
        questions += [_Question(str(measure), test, pairs, aggregate, interval) for test in tests]
    return _corrected(questions, correction, family, asked)


def check_interval(interval: Interval, tests: Sequence[PairTest], aggregate: Aggregate = "mean") -> None:
    """Refuse an interval that would stand next to the p-value of another method."""
    if aggregate == "median":
        raise ParameterError(f"{interval.name} is an interval of means", hint="leave it out, or the median")
    for test in tests:
        if test.name != interval.test:
            problem = f"the {interval.name} interval does not belong to {test.name}"
            raise ParameterError(problem, hint=f"--interval {interval.name} needs -t {interval.test}")
        if test.alternative != "two-sided" and interval.name != test.name:
            problem = f"the {interval.name} interval is two-sided, and the test is not"
            raise ParameterError(problem, hint="leave out the interval or the alternative")


@dataclass(frozen=True, eq=False)
class _Question:
    """A test to be made of one measure."""

    measure: str
    test: PairTest
    pairs: Pairs
    aggregate: Aggregate
    interval: Interval | None

    def answer(self, asked: Asked) -> Answer:
        """Run the test, with intervals at the level asked."""
        answer = self.test.compare(self.pairs, asked)
        if self.aggregate == "median" and answer.estimate is None:  # the interval is one of means
            answer = replace(answer, low=None, high=None)
        if self.interval and self.interval.name != self.test.name:
            low, high = self.interval.of(self.pairs, asked)
            notes = tuple(f"{note}; {self.interval.name} interval" for note in answer.note)
            answer = replace(answer, low=low, high=high, note=notes)
        return answer

    def tested(self, answer: Answer) -> Tested:
        """Return the answer before any correction."""
        pairs = self.pairs.complete() if self.test.joint else self.pairs  # what the answer is about
        mean = pairs.mean_difference
        difference = mean if self.aggregate == "mean" else _medians(pairs)
        estimate = mean if answer.estimate is None else answer.estimate
        return Tested(self.measure, self.test, self.pairs, answer, difference, estimate, answer.p, "")


def places(values: Values, measure: object, matrix: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Places of runs within topics, where the values are not exact enough to tell them."""
    order = values.in_order(measure)
    return None if order is matrix or np.array_equal(order, matrix, equal_nan=True) else order


def _medians(pairs: Pairs) -> NDArray[np.float64]:
    """(pair,): the median of b less the median of a, over the topics of both."""
    found = []
    for block in pairs.blocks():
        a, b = (block.values[:, side].T for side in (block.a, block.b))
        both = ~np.isnan(a) & ~np.isnan(b)
        some = both.any(axis=1)
        median = np.full((2, len(block)), np.nan)
        median[:, some] = [np.nanmedian(np.where(both, side, np.nan)[some], axis=1) for side in (b, a)]
        found.append(zero_within(median[0] - median[1], TIE * np.abs(median).max(axis=0)))
    return np.concatenate(found)


def _corrected(questions: Sequence[_Question], correction: Correction, family: Family, asked: Asked) -> list[Tested]:
    keys: dict[Family, Callable[[_Question], object]] = {
        "pairs": lambda one: (one.measure, one.test),
        "measures": lambda one: one.test,
        "all": lambda one: None,
    }
    groups: dict[object, list[int]] = {}
    tested: dict[int, Tested] = {}
    for i, question in enumerate(questions):
        if question.test.joint:
            tested[i] = _joint(question, asked)
        else:
            groups.setdefault(keys[family](question), []).append(i)
    for members in groups.values():
        together = _family([questions[i] for i in members], correction, asked)
        tested |= dict(zip(members, together, strict=True))
    return [tested[i] for i in range(len(questions))]


def _joint(question: _Question, asked: Asked) -> Tested:
    one = replace(question.tested(question.answer(asked)), level=asked.level, interval_level=asked.level)
    if one.answer.adjusted is None:
        return one
    return replace(one, adjusted=one.answer.adjusted, family="corrected by itself")


def _family(questions: Sequence[_Question], correction: Correction, asked: Asked) -> list[Tested]:
    """Correct the p-values of one family together, with intervals at the level of the same family."""
    expected = sum(int((question.pairs.topics > 0).sum()) for question in questions)
    level = interval_level(asked.level, expected, correction)
    answers = [question.answer(replace(asked, level=level)) for question in questions]
    together = np.concatenate([answer.p for answer in answers])
    size = int((~np.isnan(together)).sum())
    if interval_level(asked.level, size, correction) != level:  # some pairs have topics but no p-value
        level = interval_level(asked.level, size, correction)
        answers = [question.answer(replace(asked, level=level)) for question in questions]
    adjusted = np.split(correction.adjust(together), np.cumsum([len(answer.p) for answer in answers])[:-1])
    over = f"{correction.name} over {size:,} test{'s' * (size != 1)}"
    return [
        replace(
            question.tested(answer),
            adjusted=part,
            family="not corrected" if isinstance(correction, Uncorrected) else over,
            size=size,
            level=asked.level,
            interval_level=level,
            interval_reason=interval_reason(correction) if size > 1 else "",
        )
        for question, answer, part in zip(questions, answers, adjusted, strict=True)
    ]


def tests_table(found: Sequence[Tested], runs: Sequence[str], *, made_by: Any) -> Table:
    """One row for each pair, measure and test."""
    names = np.array(runs, dtype=object)
    nothing = [np.full(len(one.pairs), np.nan) for one in found]

    def glue(parts: Sequence[Any]) -> NDArray[Any]:
        return np.concatenate(list(parts))

    columns: dict[str, Any] = {
        "a": glue([names[one.pairs.a] for one in found]),
        "b": glue([names[one.pairs.b] for one in found]),
        "measure": [one.measure for one in found for _ in range(len(one.pairs))],
        "test": [str(one.test) for one in found for _ in range(len(one.pairs))],
        "n": glue([one.answer.n for one in found]),
        "difference": glue([one.difference for one in found]),
        "estimate": glue([one.estimate for one in found]),
        "statistic": glue([finite(one.answer.statistic) for one in found]),
        "p": glue([one.answer.p for one in found]),
        "p_adjusted": glue([one.adjusted for one in found]),
        "effect": glue([finite(one.answer.effect) for one in found]),
        "low": glue(
            [
                none if one.answer.low is None else finite(one.answer.low)
                for one, none in zip(found, nothing, strict=True)
            ]
        ),
        "high": glue(
            [
                none if one.answer.high is None else finite(one.answer.high)
                for one, none in zip(found, nothing, strict=True)
            ]
        ),
        "note": [note for one in found for note in one.notes()],
    }
    return Table(columns, "tests", made_by)


def summary_table(found: Sequence[Tested], *, level: float, made_by: Any) -> Table:
    """One row for each measure and test: how many pairs there are, and how many are significant.

    ``share`` is the discriminative power of the measure; every pair that differs by ``from_here`` or more is
    significant.
    """
    told = [_discrimination(one, level) for one in found]
    columns: dict[str, Any] = {
        "measure": [one.measure for one in found],
        "test": [str(one.test) for one in found],
        "pairs": [len(one.pairs) for one in found],
        "significant_alone": [None if one.test.joint else int((one.answer.p <= level).sum()) for one in found],
        "significant": [int(one.significant(level).sum()) for one in found],
        "share": [scores.share if scores else None for scores in told],
        "from_here": [scores.from_here if scores else None for scores in told],
        "corrected": [one.family for one in found],
    }
    return Table(columns, f"significant pairs at level {level:g}", made_by)


def _discrimination(one: Tested, level: float) -> Discrimination | None:
    """How well the test tells runs apart by the measure; None where no pair has a p-value, or it looks for equality."""
    if one.test.equivalence or np.isnan(one.adjusted).all():
        return None
    return discriminative_power(one.adjusted, one.difference, level=level)


def finite(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Infinity is no number that a table may hold; the note says why there is none."""
    return np.where(np.isfinite(numbers), numbers, np.nan)
