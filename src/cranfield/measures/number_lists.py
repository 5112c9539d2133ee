"""Lists and rows of numbers as text parameters of measures: parse, validate and format them."""

from collections.abc import Iterable
from functools import cache
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Limits, ParameterError

from .base import Measure

SHARES = Limits(0, 1)

Numbers = NDArray[np.float64]


def write_numbers(numbers: Iterable[float]) -> str:
    """Numbers as a text, each as short as it can be: ``'1 0.5'``."""
    return " ".join(repr(float(number)).removesuffix(".0") for number in numbers)


def write_rows(rows: Iterable[Iterable[float]]) -> str:
    """Rows of numbers as a text: ``'1/0.5 0.5'``."""
    return "/".join(map(write_numbers, rows))


@cache
def read_numbers(text: str) -> Numbers:
    """The numbers of a text that was checked."""
    return np.array([float(word) for word in text.split()])


def read_rows(text: str) -> tuple[Numbers, ...]:
    """The rows of a text that was checked."""
    return tuple(map(read_numbers, text.split("/")))


def keep_row(of: Measure, parameter: str, limits: Limits = SHARES, *, least: int = 1) -> None:
    """Put the numbers of a parameter into the one form that they have; refuse what is no row of numbers."""
    text = getattr(of, parameter)
    row = _row(text, limits)
    if row is None or len(row) < least:
        hint = f"{parameter} is {least} or more numbers {limits}, as in {parameter}='0.2 0.9'"
        raise ParameterError(f"{of.name} cannot have {parameter}={text!r}", hint=hint)
    object.__setattr__(of, parameter, write_numbers(row))


def keep_rows(of: Measure, parameter: str, limits: Limits = SHARES) -> tuple[int, ...]:
    """The same for rows of numbers; how many each row has."""
    text = getattr(of, parameter)
    rows = [_row(row, limits) for row in text.split("/")]
    kept = [row for row in rows if row]
    if len(kept) < len(rows):
        hint = f"{parameter} is rows of numbers {limits}, as in {parameter}='0.9/0.8 0.1'"
        raise ParameterError(f"{of.name} cannot have {parameter}={text!r}", hint=hint)
    object.__setattr__(of, parameter, write_rows(kept))
    return tuple(map(len, kept))


def _row(text: str, limits: Limits) -> list[float] | None:
    """The numbers of a text; None where a word is no number within the limits."""
    row = [_number(word) for word in text.split()]
    return row if all(number in limits for number in row) else None


def _number(word: str) -> float:
    """What a word says; NaN, which lies within no limits, where that is no finite number."""
    try:
        number = float(word)
    except ValueError:
        return np.nan
    return abs(number) if number == 0 else number if isfinite(number) else np.nan


def by_rank(text: str, last: int) -> Numbers:
    """(rank,): the numbers of a text from the first rank on; the last of them holds for all that follow."""
    given = read_numbers(text)
    return given[np.minimum(np.arange(last), len(given) - 1)]


def by_grade(text: str, grade: Numbers) -> Numbers:
    """What a text says of grades 0, 1, …; of a grade between two of them what lies between, in proportion."""
    given = read_numbers(text)
    return np.interp(grade, np.arange(len(given)), given)
