"""Corrections of p-values for multiple comparisons: Bonferroni, Holm, Hochberg and false discovery rate."""

from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Catalogue, Scale, definition
from cranfield.core.types import Rows
from cranfield.stats.pair_tests.base import Method


class Correction(Method):
    """P-values of one family, raised for the number of questions in it."""

    family: ClassVar[str] = "correction"
    requires: ClassVar[Scale] = Scale.NOMINAL  # p-values are p-values, whatever was measured

    def adjust(self, p: Rows) -> Rows:
        """(pair,): the p-values after correction. NaN is not in the family, and stays NaN."""
        p = np.asarray(p, dtype=float)
        asked = ~np.isnan(p)
        adjusted = np.full(p.shape, np.nan)
        if asked.any():
            adjusted[asked] = np.minimum(self.raised(p[asked]), 1.0)
        return adjusted

    @property
    def usual_name(self) -> str:
        """Return the name that a paper prints, such as Benjamini–Hochberg for ``bh``."""
        return definition(type(self)).partition(":")[0]

    @abstractmethod
    def raised(self, p: Rows) -> Rows:
        """(pair,): the p-values of a whole family after correction, those above 1 still so."""


CORRECTIONS: Catalogue[Correction] = Catalogue("correction", see="`cranfield tests` lists them")
C = TypeVar("C", bound=Correction)


def correction(name: str, *, cite: str, aliases: tuple[str, ...] = ()) -> Callable[[type[C]], type[C]]:
    """Give a correction its name and its source, and list it."""
    return CORRECTIONS.declare(name, cite=cite, aliases=aliases)


@correction("none", cite="ferro2024", aliases=("raw",))
class Uncorrected(Correction):
    """No correction: each p-value as it is, as if its question were the only one."""

    assumes: ClassVar[str] = "only one question was asked"
    use: ClassVar[str] = "for a single comparison planned beforehand"
    formula: ClassVar[str] = "p"

    def raised(self, p: Rows) -> Rows:
        return p


@correction("bonferroni", cite="bonferroni1936, dunn1961")
class Bonferroni(Correction):
    """Bonferroni: each p-value times the number of questions; the chance of one false discovery or more is kept."""

    assumes: ClassVar[str] = "nothing; the questions may depend on each other in any way"
    use: ClassVar[str] = "where a correction must be recomputed by hand; Holm is never worse"
    formula: ClassVar[str] = "p · N"

    def raised(self, p: Rows) -> Rows:
        return p * len(p)


@correction("holm", cite="holm1979")
class Holm(Correction):
    """Holm: the smallest p-value times N, the next times N − 1, and so on, none below the one before."""

    assumes: ClassVar[str] = "nothing; the questions may depend on each other in any way"
    use: ClassVar[str] = "by default: it promises what Bonferroni does, and finds at least as much"
    formula: ClassVar[str] = "max_{j≤i} (N − j + 1) · p₍ⱼ₎"

    def raised(self, p: Rows) -> Rows:
        order = _upwards(p)
        return _placed(np.maximum.accumulate(np.arange(len(p), 0, -1) * p[order]), order)


@correction("hochberg", cite="hochberg1988")
class Hochberg(Correction):
    """Hochberg: Holm's factors from the largest p-value down, none above the one before."""

    assumes: ClassVar[str] = "questions that are independent or depend on each other positively"
    use: ClassVar[str] = "instead of Holm where that dependence is certain: it finds at least as much"
    formula: ClassVar[str] = "min_{j≥i} (N − j + 1) · p₍ⱼ₎"

    def raised(self, p: Rows) -> Rows:
        order = _upwards(p)
        return _placed(_least_above(np.arange(len(p), 0, -1) * p[order]), order)


@correction("bh", cite="benjamini1995", aliases=("fdr", "benjamini-hochberg"))
class BenjaminiHochberg(Correction):
    """Benjamini–Hochberg: the expected share of false discoveries among all discoveries is kept."""

    assumes: ClassVar[str] = "questions that are independent or depend on each other positively"
    use: ClassVar[str] = "to explore many pairs, where some false discoveries may stand among the true ones"
    formula: ClassVar[str] = "min_{j≥i} N / j · p₍ⱼ₎"

    def raised(self, p: Rows) -> Rows:
        order = _upwards(p)
        return _placed(_least_above(len(p) / np.arange(1, len(p) + 1) * p[order]), order)


@correction("by", cite="benjamini2001", aliases=("benjamini-yekutieli",))
class BenjaminiYekutieli(BenjaminiHochberg):
    """Benjamini–Yekutieli: Benjamini–Hochberg times about ln N, which makes up for any dependence."""

    assumes: ClassVar[str] = "nothing; the questions may depend on each other in any way"
    use: ClassVar[str] = "instead of Benjamini–Hochberg where runs may depend on each other negatively"
    formula: ClassVar[str] = "min_{j≥i} N · (1 + 1/2 + … + 1/N) / j · p₍ⱼ₎"

    def raised(self, p: Rows) -> Rows:
        return BenjaminiHochberg.raised(self, p) * (1 / np.arange(1, len(p) + 1)).sum()


def _upwards(p: Rows) -> NDArray[np.intp]:
    return np.argsort(p, kind="stable")


def _least_above(p: Rows) -> Rows:
    """The smallest of each and all that follow it."""
    return np.minimum.accumulate(p[::-1])[::-1]


def _placed(ordered: Rows, order: NDArray[np.intp]) -> Rows:
    """What was put in order, back where it came from."""
    placed = np.empty_like(ordered)
    placed[order] = ordered
    return placed
