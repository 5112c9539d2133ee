"""Base classes of statistical methods and of tests that compare pairs of runs."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from cranfield.core import SEED, Catalogue, Declared, ParameterError, Scale, describe, write
from cranfield.core.types import Matrix

from .float_ties import SUM_ERROR, TIE, zero_within

Alternative: TypeAlias = Literal["two-sided", "greater", "less"]  # greater: b above a
Progress: TypeAlias = Callable[[int, int], object]
# What a piece of work makes of blocks 0, 1, 2, … of draws, in their order: on whatever machines it knows.
Elsewhere: TypeAlias = Callable[[Callable[[int], Any], int], list[Any]]

LEVEL = 0.05
HARDLY_LUCK = 3  # standard errors beyond which a difference is hardly luck, where nothing is tested
CELLS = 4_000_000  # of a matrix (pair, topic) that is made at once: 32 MB


class Method(Declared, ABC):
    """A procedure of statistics: what it asks of the numbers, when to use it, where it comes from."""

    name: ClassVar[str]
    cite: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]]
    at: ClassVar[str] = ""  # nothing stands behind an @
    family: ClassVar[str]
    requires: ClassVar[Scale]  # the weakest scale on which the result means something
    assumes: ClassVar[str]  # of the data, in words
    use: ClassVar[str]  # when, in words
    formula: ClassVar[str] = ""

    def __str__(self) -> str:
        return write(describe(self))

    __repr__ = __str__


@dataclass(frozen=True, eq=False)
class Pairs:
    """Runs to be compared two by two over topics: what every test of pairs sees.

    The difference is ``b − a`` everywhere. ``order`` holds places of runs within a topic, for measures whose floats
    cannot tell all values apart; what looks only at the order of the two values in a topic starts from it.
    """

    values: Matrix  # (topic, run); NaN: there is no value
    a: NDArray[np.intp]  # (pair,): columns of the values
    b: NDArray[np.intp]
    order: Matrix | None = None

    @classmethod
    def every(cls, values: Matrix, order: Matrix | None = None) -> "Pairs":
        """All pairs, the first column against each later one, and so on."""
        return cls.given(values, list(combinations(range(values.shape[1]), 2)), order)

    @classmethod
    def against(cls, values: Matrix, baseline: int, order: Matrix | None = None) -> "Pairs":
        """Every run beside one: a is the baseline."""
        others = [run for run in range(values.shape[1]) if run != baseline]
        return cls.given(values, [(baseline, run) for run in others], order)

    @classmethod
    def given(cls, values: Matrix, pairs: Sequence[tuple[int, int]], order: Matrix | None = None) -> "Pairs":
        """A list of pairs."""
        if not pairs:
            raise ParameterError("there is no pair of runs to compare", hint="give two runs or more")
        a, b = np.array(pairs, dtype=np.intp).T
        return cls(np.asarray(values, dtype=float), a, b, order)

    def __len__(self) -> int:
        return len(self.a)

    @cached_property
    def whole(self) -> bool:
        """Whether every run has a value in every topic."""
        return not np.isnan(self.values).any()

    @cached_property
    def difference(self) -> Matrix:
        """(pair, topic): b − a, exactly 0 where it is a rounding error; NaN where one run has no value."""
        return zero_within(self.values[:, self.b].T - self.values[:, self.a].T, TIE * self.scale)

    @cached_property
    def scale(self) -> Matrix:
        """(pair, topic): max(|a|, |b|), of which the rounding error of a difference is a multiple."""
        size = np.abs(self.values)
        return np.maximum(size[:, self.b].T, size[:, self.a].T)

    @cached_property
    def sign(self) -> Matrix:
        """(pair, topic): 1 where b has the higher value, −1 where a has, 0 where they are equal; NaN: no value."""
        if self.order is None:
            return np.sign(self.difference)
        return np.sign(self.order[:, self.b].T - self.order[:, self.a].T)

    @cached_property
    def topics(self) -> NDArray[np.int64]:
        """(pair,): in how many topics both have a value."""
        there = ~np.isnan(self.values)
        return (there[:, self.a] & there[:, self.b]).sum(axis=0)

    @cached_property
    def mean_difference(self) -> NDArray[np.float64]:
        """(pair,): the mean of b − a over the topics of both."""
        if self.whole:
            means, size = self.values.mean(axis=0), np.abs(self.values).mean(axis=0)
            return zero_within(means[self.b] - means[self.a], SUM_ERROR * np.maximum(size[self.a], size[self.b]))
        sums, size = (
            np.concatenate([np.nansum(getattr(block, name), axis=1) for block in self.blocks()])
            for name in ("difference", "scale")
        )
        sums = zero_within(sums, SUM_ERROR * size)
        return np.divide(sums, self.topics, out=np.full(len(self), np.nan), where=self.topics > 0)

    def blocks(self, cells: int = CELLS) -> Iterator["Pairs"]:
        """The same in parts, so that (pair, topic) fits into memory."""
        step = max(1, cells // max(1, len(self.values)))
        for start in range(0, len(self), step):
            part = slice(start, start + step)
            yield self if step >= len(self) else replace(self, a=self.a[part], b=self.b[part])

    def alike(self) -> Iterator[tuple[NDArray[np.intp], "Pairs"]]:
        """Those pairs that have the same topics, with these topics alone, and their places among all.

        Pairs without a common topic are in none. Runs that lack some of the topics are in no pair there.
        """
        if self.whole:
            yield np.arange(len(self)), self
            return
        there = ~np.isnan(self.values)
        patterns, which = np.unique((there[:, self.a] & there[:, self.b]).T, axis=0, return_inverse=True)
        for number, kept in enumerate(patterns):
            if kept.any():
                places = np.flatnonzero(which.ravel() == number)
                order = None if self.order is None else self.order[kept]
                yield places, replace(self, values=self.values[kept], a=self.a[places], b=self.b[places], order=order)

    def alone(self) -> "Pairs":
        """The same without runs that nobody asks about."""
        runs = np.union1d(self.a, self.b)
        if len(runs) == self.values.shape[1]:
            return self
        return replace(
            self,
            values=self.values[:, runs],
            a=np.searchsorted(runs, self.a),
            b=np.searchsorted(runs, self.b),
            order=None if self.order is None else self.order[:, runs],
        )

    def complete(self) -> "Pairs":
        """The same over those topics in which every run has a value."""
        if self.whole:
            return self
        kept = ~np.isnan(self.values).any(axis=1)
        if not kept.any():
            hint = "leave out the run that lacks most, or use a test of pairs such as t"
            raise ParameterError("there is no topic in which every run has a value", hint=hint)
        return replace(self, values=self.values[kept], order=None if self.order is None else self.order[kept])


ARRAYS = ("n", "statistic", "p", "effect", "low", "high", "adjusted", "estimate")


@dataclass(frozen=True, eq=False)
class Answer:
    """Result of a test for each pair; NaN where a number does not exist.

    ``low`` and ``high`` are the ends of an interval from the method of the test itself, with confidence 1 − level. They
    enclose ``estimate``, or the mean difference where there is no estimate of another kind. ``note`` names the
    convention that was used: one for all pairs, or one for each.
    """

    n: NDArray[np.int64]  # (pair,): the topics that count
    statistic: NDArray[np.float64]
    p: NDArray[np.float64]
    effect: NDArray[np.float64]
    note: tuple[str, ...]
    low: NDArray[np.float64] | None = None  # of the interval; NaN where an end is open or does not exist
    high: NDArray[np.float64] | None = None
    adjusted: NDArray[np.float64] | None = None  # p where the procedure looks at all pairs at once
    estimate: NDArray[np.float64] | None = None  # of the difference, where it is not the mean difference

    def notes(self) -> tuple[str, ...]:
        """(pair,): the note of each."""
        return self.note * len(self.p) if len(self.note) == 1 else self.note

    @classmethod
    def join(cls, answers: Sequence["Answer"]) -> "Answer":
        """Answers to blocks of pairs, one after the other."""
        if len(answers) == 1:
            return answers[0]

        def glued(name: str) -> "NDArray[np.float64] | None":
            parts = [getattr(answer, name) for answer in answers]
            return None if parts[0] is None else np.concatenate(parts)

        arrays = {name: glued(name) for name in ARRAYS}
        same = len({answer.note for answer in answers}) == 1 and len(answers[0].note) == 1
        note = answers[0].note if same else tuple(text for answer in answers for text in answer.notes())
        return cls(note=note, **arrays)  # type: ignore[arg-type]  # the first four are always there


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """How a test is asked: the level of its intervals, the seed of its draws, and who may draw."""

    level: float = LEVEL
    intervals: bool = True  # False: p alone is enough, where an interval takes long
    seed: int = SEED
    threads: int | None = None  # None: one for each processor; the answer is the same
    progress: Progress | None = field(default=None, compare=False)
    elsewhere: Elsewhere | None = field(default=None, compare=False)  # where blocks of draws are made, if not here


class PairTest(Method):
    """A p-value for each pair of runs."""

    joint: ClassVar[bool] = False  # looks at all pairs at once, and corrects its p-values for their number itself
    equivalence: ClassVar[bool] = False  # a small p speaks for equality, not against it
    effect: ClassVar[str]  # what the column `effect` holds
    interval_of_values: ClassVar[bool] = False  # low and high are in the units of the measure

    alternative: Alternative = "two-sided"

    def check(self, level: float) -> None:
        """Refuse a level at which the test cannot be asked."""
        check_level(level)

    @abstractmethod
    def compare(self, pairs: Pairs, asked: Asked) -> Answer:
        """The answer for every pair. Identical runs have p = 1, and never NaN."""


ORDER = (
    "stats.pair_tests.closed_form",
    "stats.pair_tests.signed_rank",
    "stats.pair_tests.bootstrap",
    "stats.pair_tests.randomisation",
    "stats.multiple.tukey",
    "stats.multiple.mean_rank_tests",
    "stats.multiple.joint_resampling",
)
TESTS: Catalogue[PairTest] = Catalogue("test", see="`cranfield tests` lists them", order=ORDER)
P = TypeVar("P", bound=PairTest)


def pair_test(name: str, *, cite: str, aliases: tuple[str, ...] = ()) -> Callable[[type[P]], type[P]]:
    """Give a test its name and its source, and list it."""
    return TESTS.declare(name, cite=cite, aliases=aliases)


def check_level(level: float) -> None:
    """Refuse a level that is no chance."""
    if not 0 < level < 1:
        raise ParameterError(f"the level cannot be {level}", hint="a level lies between 0 and 1, such as .05")


def tail(lower: NDArray[np.float64], upper: NDArray[np.float64], alternative: Alternative) -> NDArray[np.float64]:
    """The p-value from the chances of a statistic as low and as high as the one observed, ends included."""
    if alternative == "greater":
        return upper
    if alternative == "less":
        return lower
    return np.minimum(1.0, 2 * np.minimum(lower, upper))
