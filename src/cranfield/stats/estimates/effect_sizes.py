"""Effect sizes for pairs of runs, such as Cohen's d, Hedges' g and Cliff's δ, and their labels."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Catalogue, ParameterError, Scale
from cranfield.core.types import Matrix
from cranfield.stats.pair_tests.base import Method, Pairs
from cranfield.stats.pair_tests.float_ties import SUM_ERROR, mid_ranks, quotient, zero_within

from .moments import Moments
from .value_counts import ValueCounts, code_values


class Effect(Method):
    """How large the difference between two runs is; above 0 where b is ahead."""

    family: ClassVar[str] = "effect"

    @abstractmethod
    def size(self, pairs: Pairs) -> NDArray[np.float64]:
        """(pair,): the effect; NaN where no topic tells it.

        Identical runs have 0, and never NaN. A difference that is the same in every topic is infinitely many spreads.
        """


EFFECTS: Catalogue[Effect] = Catalogue("effect size", see="`cranfield tests` lists them")
E = TypeVar("E", bound=Effect)


def effect(name: str, *, cite: str, aliases: tuple[str, ...] = ()) -> Callable[[type[E]], type[E]]:
    """Give an effect size its name and its source, and list it."""
    return EFFECTS.declare(name, cite=cite, aliases=aliases)


@effect("d_z", cite="cohen1988,lakens2013", aliases=("dz",))
class DZ(Effect):
    """Cohen's d of the differences: their mean in standard deviations of the differences; t / √n."""

    requires: ClassVar[Scale] = Scale.INTERVAL
    assumes: ClassVar[str] = "the differences spread alike above and below their mean"
    use: ClassVar[str] = "beside t, and to plan a comparison on the same kind of topics"
    formula: ClassVar[str] = "mean(b − a) / sd(b − a)"

    def size(self, pairs: Pairs) -> NDArray[np.float64]:
        return np.concatenate([_d_z(block) for block in pairs.blocks()])


@effect("d_av", cite="lakens2013", aliases=("dav",))
class DAv(Effect):
    """Cohen's d in the spread of the runs: the mean difference in means of the two runs' standard deviations."""

    requires: ClassVar[Scale] = Scale.INTERVAL
    assumes: ClassVar[str] = "the two runs spread about alike over topics"
    use: ClassVar[str] = "beside studies that did not pair topics: d_z grows with the correlation of the runs, this not"
    formula: ClassVar[str] = "mean(b − a) / ((sd(a) + sd(b)) / 2)"

    def size(self, pairs: Pairs) -> NDArray[np.float64]:
        return np.concatenate([_d_av(block) for block in pairs.blocks()])


@effect("hedges-g", cite="hedges1981,lakens2013", aliases=("g",))
class HedgesG(Effect):
    """Hedges' g: d_z or d_av made smaller by what few topics overstate it.

    ``of`` says which: ``z`` is d_z, ``av`` is d_av. The correction is Hedges' own, not its approximation, with n − 1
    degrees of freedom for both; Lakens' g_av takes 2(n − 1).
    """

    requires: ClassVar[Scale] = Scale.INTERVAL
    assumes: ClassVar[str] = "normal differences: only for them is the correction exact"
    use: ClassVar[str] = "with fewer than about 20 topics, and in a summary of several studies"
    formula: ClassVar[str] = "d · Γ(m/2) / (√(m/2) · Γ((m − 1)/2)), m = n − 1"

    of: Literal["z", "av"] = "z"

    def size(self, pairs: Pairs) -> NDArray[np.float64]:
        from scipy.special import gammaln

        found = (DZ() if self.of == "z" else DAv()).size(pairs)
        m = np.maximum(pairs.topics - 1, 1) / 2  # of one topic there is no d to correct
        factor = np.exp(gammaln(m) - gammaln(m - 0.5)) / np.sqrt(m)  # hedges1981
        return factor * np.where(np.isinf(found) & (pairs.topics == 2), 0.0, found)  # two topics leave nothing


@effect("cliff", cite="cliff1993", aliases=("delta", "cliffs-delta"))
class Cliff(Effect):
    """Cliff's δ: how much likelier a value of b, from any topic, is above one of a than below it; from −1 to 1."""

    requires: ClassVar[Scale] = Scale.ORDINAL
    assumes: ClassVar[str] = "values of different topics can be compared; which topic they belong to is ignored"
    use: ClassVar[str] = "beside rank-sum"
    formula: ClassVar[str] = "(#(b > a) − #(b < a)) / n², over all n² pairs of topics"

    def size(self, pairs: Pairs) -> NDArray[np.float64]:
        found = np.full(len(pairs), np.nan)
        for places, alike in pairs.alike():
            part = alike.alone()
            a, row = np.unique(part.a, return_inverse=True)
            twice = ValueCounts.of(code_values(part.values)).twice_above(a)
            found[places] = twice[row, part.b] / len(part.values) ** 2 - 1
        return found


@effect("rank-biserial", cite="kerby2014", aliases=("matched-rank-biserial",))
class RankBiserial(Effect):
    """Rank-biserial correlation of pairs: the ranks that speak for b less those for a, as a share of all ranks.

    Ranks are of the sizes of the differences, as in the signed-rank test: topics without a difference are left out.
    """

    requires: ClassVar[Scale] = Scale.INTERVAL
    assumes: ClassVar[str] = "differences can be put in order of size"
    use: ClassVar[str] = "beside signed-rank"
    formula: ClassVar[str] = "(W₊ − W₋) / (W₊ + W₋)"

    def size(self, pairs: Pairs) -> NDArray[np.float64]:
        found = np.concatenate([_rank_biserial(block) for block in pairs.blocks()])
        return np.where(pairs.topics > 0, found, np.nan)


@effect("share", cite="cohen1988", aliases=("share-of-wins",))
class WinShare(Effect):
    """Share of wins: of the topics in which one of the two is ahead, those in which b is; ½ where there is none."""

    requires: ClassVar[Scale] = Scale.ORDINAL
    assumes: ClassVar[str] = "nothing but an order within each topic"
    use: ClassVar[str] = "beside sign; with any measure"
    formula: ClassVar[str] = "#(b > a) / (#(b > a) + #(b < a))"

    def size(self, pairs: Pairs) -> NDArray[np.float64]:
        """(pair,): the share; ½ speaks for neither."""
        count = wins(pairs)
        decided = count.b + count.a
        share = np.where(decided > 0, count.b / np.maximum(decided, 1), 0.5)
        return np.where(pairs.topics > 0, share, np.nan)


class Wins(NamedTuple):
    """(pair,): in how many topics b is ahead, the two are equal, a is ahead."""

    b: NDArray[np.int64]
    equal: NDArray[np.int64]
    a: NDArray[np.int64]


def wins(pairs: Pairs) -> Wins:
    """Wins, ties and losses of each pair, decided on numbers and not on floats."""
    counted = [[(block.sign == side).sum(axis=1) for side in (1, 0, -1)] for block in pairs.blocks()]
    return Wins(*(np.concatenate(side) for side in zip(*counted, strict=True)))


def _d_z(pairs: Pairs) -> NDArray[np.float64]:
    moments = Moments.of(pairs.difference, pairs.scale)
    return quotient(moments.mean, moments.sd)


def _d_av(pairs: Pairs) -> NDArray[np.float64]:
    a, b = (Moments.of(side) for side in _sides(pairs))
    return quotient(Moments.of(pairs.difference, pairs.scale).mean, (a.sd + b.sd) / 2)


def _sides(pairs: Pairs) -> tuple[Matrix, Matrix]:
    """(pair, topic): the values of a and of b; NaN for both where one has none."""
    gone = np.isnan(pairs.difference)
    a, b = (np.where(gone, np.nan, pairs.values[:, side].T) for side in (pairs.a, pairs.b))
    return a, b


def _rank_biserial(pairs: Pairs) -> NDArray[np.float64]:
    difference = pairs.difference
    ranks = mid_ranks(np.where(difference == 0, np.nan, np.abs(difference)), pairs.scale)
    return quotient(np.nansum(np.sign(difference) * ranks, axis=1), np.nansum(ranks, axis=1))


COHEN = ((0.8, "large"), (0.5, "medium"), (0.2, "small"))  # cohen1988 §2.2.3, for d
# sparckjones1974, as ferro2024 §4 tells it: below 5 % a difference is left aside, up to 10 % it is noticeable.
NOTICEABLE, MATERIAL = 0.05, 0.10
NEGLIGIBLE = "negligible"


def name_effects(d: Sequence[float] | NDArray[np.float64]) -> tuple[str, ...]:
    """Cohen's words for effects d: small from 0.2, medium from 0.5, large from 0.8; below, negligible."""
    sizes = np.abs(np.asarray(d, dtype=float))
    return tuple(
        next((word for least, word in COHEN if size >= least - SUM_ERROR), NEGLIGIBLE) for size in sizes.tolist()
    )


def name_differences(
    a: Sequence[float] | NDArray[np.float64],
    b: Sequence[float] | NDArray[np.float64],
    *,
    basis: Literal["absolute", "relative"],
) -> tuple[str, ...]:
    """Spärck Jones' words for differences of means: noticeable from 5 %, material above 10 %; below, negligible.

    ``absolute`` takes 5 % as .05 of the scale, for measures from 0 to 1: so [Ferro] reads the rule. ``relative`` takes
    it of the mean of ``a``, as a gain over a baseline is often told. A rule of thumb from before tests were usual.
    """
    if basis not in ("absolute", "relative"):
        hint = "basis is 'absolute' (.05 of the scale) or 'relative' (5 % of the first mean)"
        raise ParameterError(f"differences cannot be named with basis={basis!r}", hint=hint)
    first, second = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    off = np.abs(zero_within(second - first, SUM_ERROR * np.maximum(np.abs(first), np.abs(second))))
    share = off if basis == "absolute" else quotient(off, np.abs(first))
    words = ((share > MATERIAL + SUM_ERROR, "material"), (share >= NOTICEABLE - SUM_ERROR, "noticeable"))
    return tuple(np.select([holds for holds, _ in words], [word for _, word in words], NEGLIGIBLE).tolist())
