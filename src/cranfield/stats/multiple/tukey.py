"""Tests of all pairs of means after an analysis of variance: Tukey's HSD and Scheffé."""

from abc import abstractmethod
from math import inf, sqrt
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Scale
from cranfield.core.types import Matrix, Rows
from cranfield.stats.anova.variance_analysis import Anova, OneWay, TwoWay
from cranfield.stats.pair_tests.base import Answer, Asked, Pairs, PairTest, pair_test
from cranfield.stats.pair_tests.float_ties import SUM_ERROR, largest, quotient, zero_within

from .studentised_range import StudentisedRange


class AfterAnova(PairTest):
    """Every difference of means against one estimate of error, which all runs share.

    The family is every pair of the runs at hand, also where only some of them are asked for. ``low`` and ``high``
    enclose all differences together with confidence 1 − level. ``two-way`` error is what is left when topics and runs
    are taken out, ``one-way`` error still holds the topics.
    """

    family: ClassVar[str] = "all pairs"
    requires: ClassVar[Scale] = Scale.INTERVAL
    joint: ClassVar[bool] = True
    effect: ClassVar[str] = "difference in units of √MS(error)"

    alternative: Literal["two-sided"] = "two-sided"
    error: Literal["two-way", "one-way"] = "two-way"

    def compare(self, pairs: Pairs, asked: Asked) -> Answer:
        pairs = pairs.complete()
        return self.after(self.fit(pairs.values), pairs.a, pairs.b, level=asked.level)

    def fit(self, values: Matrix) -> Anova:
        """The analysis from which the error comes."""
        return TwoWay().fit(values) if self.error == "two-way" else OneWay().fit(values)

    def after(self, fitted: Anova, a: NDArray[np.intp], b: NDArray[np.intp], *, level: float) -> Answer:
        """The answer for pairs of runs, given by place, after an analysis that is at hand."""
        difference = zero_within(fitted.means[b] - fitted.means[a], SUM_ERROR * largest(fitted.means))
        statistic = self.statistic(fitted, difference)
        half = self.distance(fitted, level)
        freedom = self.freedom(fitted)
        degrees = "∞" if freedom == inf else f"{freedom:,.10g}"
        note = f"{self.said(fitted)}, {self.error} error with {degrees} degrees of freedom"
        return Answer(
            n=np.full(len(a), fitted.topics),
            statistic=statistic,
            p=np.full(len(a), np.nan),
            effect=quotient(difference, fitted.rmse),
            note=(f"{note}; the error is 0: every difference is certain" if fitted.rmse == 0 else note,),
            low=difference - half,
            high=difference + half,
            adjusted=np.where(np.isinf(statistic), 0.0, self.chance(fitted, statistic)),
        )

    def freedom(self, fitted: Anova) -> float:
        """The degrees of freedom that the error is taken to have."""
        return fitted.df_error

    @abstractmethod
    def statistic(self, fitted: Anova, difference: Rows) -> Rows:
        """(pair,): how large a difference is beside the error; infinite where there is no error."""

    @abstractmethod
    def chance(self, fitted: Anova, statistic: Rows) -> Rows:
        """(pair,): the chance that any pair of equal runs has a statistic as large."""

    @abstractmethod
    def distance(self, fitted: Anova, level: float) -> float:
        """The smallest difference that is significant at a level."""

    @abstractmethod
    def said(self, fitted: Anova) -> str:
        """What was done, in words."""


@pair_test("tukey", cite="tukey1953,ferro2024,hochberg1987book", aliases=("hsd", "tukey-hsd"))
class Tukey(AfterAnova):
    """Tukey's honestly significant difference: how often would the best and the worst of equal runs be so far apart?

    With ``df=inf`` the error counts as known, as the comparisons of ferro2024 Table 3 have it. Chances below 1e-10
    are given as 1e-10.
    """

    assumes: ClassVar[str] = "errors are independent, alike in spread for all runs, and about normal"
    use: ClassVar[str] = "to compare all runs with each other after an analysis of variance"
    formula: ClassVar[str] = "q = |difference| / √(MS(error) / topics), against the studentised range of all runs"

    df: Literal["error", "inf"] = "error"

    def statistic(self, fitted: Anova, difference: Rows) -> Rows:
        return quotient(np.abs(difference), fitted.rmse / sqrt(fitted.per_run))

    def chance(self, fitted: Anova, statistic: Rows) -> Rows:
        return self.reference(fitted).sf(statistic)

    def distance(self, fitted: Anova, level: float) -> float:
        return self.reference(fitted).isf(level) * fitted.rmse / sqrt(fitted.per_run)

    def half_width(self, fitted: Anova, level: float) -> float:
        """Half of it: two runs differ where intervals of this half-width around their means do not meet.

        This is ferro2024 eq. 11, after Hochberg and Tamhane.
        """
        return self.distance(fitted, level) / 2

    def freedom(self, fitted: Anova) -> float:
        return inf if self.df == "inf" else fitted.df_error

    def reference(self, fitted: Anova) -> StudentisedRange:
        """How q is distributed where all runs are equal."""
        return StudentisedRange(fitted.runs, self.freedom(fitted))

    def said(self, fitted: Anova) -> str:
        return f"studentised range of {fitted.runs} runs"


@pair_test("scheffe", cite="scheffe1953", aliases=("scheffé",))
class Scheffe(AfterAnova):
    """Scheffé: would any comparison at all of means of equal runs, however chosen after the fact, be so large?

    No pair is significant unless the analysis of variance is; among pairs alone it finds less than Tukey.
    """

    assumes: ClassVar[str] = "errors are independent, alike in spread for all runs, and about normal"
    use: ClassVar[str] = "where groups of runs are compared too, in ways thought of after seeing the values"
    formula: ClassVar[str] = "F = difference² / ((runs − 1) · 2 MS(error) / topics), runs − 1 and error df"

    def statistic(self, fitted: Anova, difference: Rows) -> Rows:
        return quotient(difference, fitted.rmse * sqrt(2 / fitted.per_run)) ** 2 / (fitted.runs - 1)

    def chance(self, fitted: Anova, statistic: Rows) -> Rows:
        from scipy.special import fdtrc

        return fdtrc(fitted.runs - 1, fitted.df_error, statistic)

    def distance(self, fitted: Anova, level: float) -> float:
        from scipy.special import fdtri

        limit = float(fdtri(fitted.runs - 1, fitted.df_error, 1 - level))
        return fitted.rmse * sqrt((fitted.runs - 1) * limit * 2 / fitted.per_run)

    def said(self, fitted: Anova) -> str:
        return f"F of all contrasts of {fitted.runs} runs"
