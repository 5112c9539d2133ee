"""Base class, catalogue and result row of omnibus tests, which test whether any runs differ."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from math import nan
from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Catalogue, ParameterError
from cranfield.core.types import Matrix
from cranfield.stats.pair_tests.base import Method


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where differences between values come from: a row of an analysis; NaN where a number has no meaning.

    The statistic is F in an analysis of variance, and what a test of ranks computes otherwise; ``df2`` belongs to what
    F divides by.
    """

    source: str
    ss: float = nan
    df: float = nan
    ms: float = nan
    statistic: float = nan
    p: float = nan
    log10_p: float = nan  # finite also where p is too small for a float: see _tails
    effect: float = nan
    size: str = ""  # the effect in a word
    df2: float = nan


class Omnibus(Method):
    """One question about all runs: do they differ at all?"""

    family: ClassVar[str] = "omnibus"
    effect: ClassVar[str]  # what the column `effect` holds

    @abstractmethod
    def sources(self, values: Matrix) -> tuple[Source, ...]:
        """The rows of the analysis of values (topic, run). Identical runs have p = 1, and never NaN."""


OMNIBUS: Catalogue[Omnibus] = Catalogue("analysis", see="`cranfield tests` lists them")
A = TypeVar("A", bound=Omnibus)


def omnibus(name: str, *, cite: str, aliases: tuple[str, ...] = ()) -> Callable[[type[A]], type[A]]:
    """Give an analysis its name and its source, and list it."""
    return OMNIBUS.declare(name, cite=cite, aliases=aliases)


def check_whole(values: Matrix) -> Matrix:
    """The values, refused unless there are two topics and two runs or more and none lacks a value."""
    values = np.asarray(values, dtype=float)
    if values.ndim != 2 or min(values.shape) < 2:
        shape = " × ".join(map(str, values.shape))
        raise ParameterError(
            f"values of shape {shape} are too few to analyse", hint="give two topics and two runs or more"
        )
    if np.isnan(values).any():
        topic, run = np.argwhere(np.isnan(values))[0]
        message = f"run {run} (from 0) has no value in topic {topic} (from 0)"
        raise ParameterError(message, hint="keep the topics in which every run has a value")
    return values


def complete_topics(values: Matrix) -> tuple[Matrix, NDArray[np.bool_]]:
    """The topics in which every run has a value, and which of all they are."""
    kept = np.logical_not(np.isnan(values).any(axis=1))
    if not kept.any():
        hint = "leave out the run that lacks most, or compare pairs: cranfield test"
        raise ParameterError("there is no topic in which every run has a value", hint=hint)
    return values[kept], kept
