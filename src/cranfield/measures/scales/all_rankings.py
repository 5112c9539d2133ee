"""All rankings of a given length, and the distinct values that a measure takes on them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError
from cranfield.core.types import Rows
from cranfield.data import Assessed, assess_documents, relevance_level
from cranfield.measures.base import Measure

MOST = 1 << 22  # rankings
CHUNK = 1 << 19  # cells, that are looked at together: they stay in the processor's cache
FEW = 1000  # rankings, on which something is tried
APART = 1e-12  # values closer than this are one, where nothing tells them apart exactly

Progress = Callable[[int, int], object]


@dataclass(frozen=True, slots=True)
class Rankings:
    """All rankings of ``length`` documents, where of each grade there are so many: ``((grade, documents), …)``.

    A ranking is the number whose digits are the grades down it, 0 where nothing is relevant, each by its place among
    the grades; a grade of which there are too few documents cannot stand everywhere.
    """

    length: int
    relevant: tuple[tuple[float, int], ...]

    def __post_init__(self) -> None:
        if self.length < 1:
            raise ParameterError(f"a ranking cannot have {self.length} documents", hint="it has one or more")
        for grade, count in self.relevant:
            if grade <= 0 or count < 0:
                hint = "a grade above 0, and how many documents have it: from 0 up"
                raise ParameterError(f"there cannot be {count} relevant documents of grade {grade:g}", hint=hint)
        if self.base**self.length > MOST:
            longest = int(np.log(MOST) / np.log(self.base) + 1e-9)
            message = f"there are {self.base}^{self.length} rankings of {self.length} documents with {self._levels}"
            raise ParameterError(message, hint=f"at most {MOST:,} are gone through: cut off at {longest} or less")

    @property
    def _levels(self) -> str:
        return f"{self.base} grade{'s' * (self.base > 1)}, 0 among them"

    @property
    def base(self) -> int:
        """How many different grades there are, 0 among them."""
        return len(self.relevant) + 1

    @property
    def grades(self) -> tuple[float, ...]:
        """The grades, lowest first."""
        return (0.0, *(grade for grade, _ in self.relevant))

    def chunks(self) -> Iterator[tuple[NDArray[np.int64], Assessed]]:
        """The numbers of some rankings, and the rankings as so many runs of one topic, one after the other."""
        number, step = self.numbers(), max(1, CHUNK // self.length)
        for start in range(0, len(number), step):
            some = number[start : start + step]
            yield some, self._assessed(self.digits(some))

    def numbers(self) -> NDArray[np.int64]:
        """All rankings, lowest first: made rank by rank, with as many documents of each grade as are left."""
        number = np.zeros(1, np.int64)
        left = np.array([[count for _, count in self.relevant]], np.int32)
        for _ in range(self.length):
            longer, fewer = [number * self.base], [left]
            for digit in range(1, self.base):
                there = left[:, digit - 1] > 0
                longer.append(number[there] * self.base + digit)
                fewer.append(left[there] - (np.arange(self.base - 1) == digit - 1).astype(np.int32))
            number, left = np.concatenate(longer), np.concatenate(fewer)
        return np.sort(number)

    def digits(self, number: NDArray[np.int64]) -> NDArray[np.int8]:
        """(ranking, rank): which grade stands there, by its place among the grades."""
        powers = self.base ** np.arange(self.length - 1, -1, -1)
        return (number[:, None] // powers % self.base).astype(np.int8)

    def written(self, number: int) -> str:
        """The grades down a ranking: ``1010``, or ``3 0 1`` where grades have several figures."""
        grades = [f"{grade:g}" for grade in self.grades]
        between = "" if all(len(grade) == 1 for grade in grades) else " "
        return between.join(grades[digit] for digit in self.digits(np.array([number]))[0])

    def _assessed(self, digits: NDArray[np.int8]) -> Assessed:
        length = digits.shape[1]
        # The named documents: as many of each grade as there are, and enough that are not relevant.
        counts = np.array([length, *(count for _, count in self.relevant)])
        first = np.concatenate(([0], counts.cumsum()[:-1]))
        document = np.empty(digits.shape, np.int32)
        for digit, start in enumerate(first):
            here = digits == digit
            document[here] = (start + here.cumsum(axis=1, dtype=np.int32) - 1)[here]
        return assess_documents(document, np.repeat(self.grades, counts))


@dataclass(frozen=True, slots=True, eq=False)
class Spacing:
    """The different values of a measure on all rankings, lowest first."""

    rankings: Rankings
    value: Rows
    count: NDArray[np.int64]  # how many rankings have it
    example: NDArray[np.int64]  # (value,): the number of one of them, the lowest
    without: int = 0  # rankings that have no value
    grid: int | None = None  # of which all values are whole multiples of one part

    @property
    def gap(self) -> Rows:
        """What lies between each value and the next."""
        return np.diff(self.value)

    @property
    def even(self) -> bool:
        """Whether all gaps are alike."""
        return len(self.value) < 3 or bool(np.ptp(self.gap) <= APART * len(self.value) * np.abs(self.value).max())

    def place(self, value: Rows) -> NDArray[np.int64]:
        """Which of the values each number is; -1 where it is none of them."""
        if not len(self.value):
            return np.full(len(value), -1)
        middle = (self.value[1:] + self.value[:-1]) / 2
        place = np.searchsorted(middle, value)
        near = np.abs(self.value[place] - value) <= 1e-9 * max(1.0, float(np.abs(self.value).max()))
        return np.where(near, place, -1)


def spacing(measure: Measure, rankings: Rankings, progress: Progress | None = None) -> Spacing:
    """The values that a measure takes on all rankings; those that are the same number, however it is rounded, are one.

    Where all values are whole multiples of one number (``Measure.grid``) they are told apart exactly: floats alone
    would find 866 values of AP at rank 10, of which 810 are different. Others are different from 1e-12 apart.
    """
    settled = measure.settled(max(rankings.grades))
    found, numbers, done = [], [], 0
    for number, assessed in rankings.chunks():
        found.append(assessed.map([settled])[:, 0, 0])
        numbers.append(number)
        done = int(number[-1]) + 1
        if progress:
            progress(done, rankings.base**rankings.length)
    value, number = np.concatenate(found), np.concatenate(numbers)
    there = ~np.isnan(value)
    order = np.argsort(value[there], kind="stable")
    value, number = value[there][order], number[there][order]
    grid = settled.grid(rankings.length, _relevant(settled, rankings))
    steps = np.rint(value * grid) if grid else value
    begins = np.flatnonzero(np.diff(steps, prepend=-np.inf) > (0.5 if grid else APART * max(1.0, _size(value))))
    count = np.diff(begins, append=len(value))
    # Equal values may stand in any order of their numbers.
    example = np.minimum.reduceat(number, begins) if len(number) else number
    return Spacing(rankings, value[begins], count, example, int((~there).sum()), grid)


def _size(value: Rows) -> float:
    return float(np.abs(value).max(initial=0))


def _relevant(measure: Measure, rankings: Rankings) -> int:
    """How many documents are relevant to the measure; as many as a ranking has room for are of grade 0."""
    counts = ((0.0, rankings.length), *rankings.relevant)
    return sum(count for grade, count in counts if grade >= relevance_level(measure))


@lru_cache(maxsize=1024)
def more_divides(measure: Measure, grades: tuple[float, ...]) -> bool:
    """Whether more documents of a grade than a ranking has room for do no more than divide all values by one number.

    It is tried on short rankings: recall is divided, nDCG stays, R-precision becomes another measure.
    """
    room = measure.k or 1
    length = min(room, int(np.log(FEW) / np.log(len(grades) + 1)))

    def values(one: float, documents: int, others: int) -> Rows:
        counts = tuple((grade, documents if grade == one else others) for grade in grades)
        return _all_values(measure, Rankings(length, counts))

    for one in grades:
        for others in (1, room):
            few, more = (values(one, documents, others) for documents in (room, room + 3))
            if not np.allclose(more * np.abs(few).max(), few * np.abs(more).max(), rtol=1e-12, atol=0, equal_nan=True):
                return False
    return True


def _all_values(measure: Measure, rankings: Rankings) -> Rows:
    """(ranking,): the value of each, in order."""
    settled = measure.settled(max(rankings.grades))
    return np.concatenate([assessed.map([settled])[:, 0, 0] for _, assessed in rankings.chunks()])


@lru_cache(maxsize=1024)
def known_spacing(measure: Measure, rankings: Rankings) -> Spacing:
    """The same, kept: many topics have as many relevant documents."""
    return spacing(measure, rankings)
