"""Fisher's randomisation test, exact where all sign flips can be counted and sampled otherwise."""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError, Scale
from cranfield.core.catalogue import Limits
from cranfield.core.types import Matrix

from .base import Alternative, Answer, Asked, Pairs, PairTest, check_level, pair_test
from .closed_form import NO_TOPIC, Spread, said
from .flip_intervals import flip_answers
from .float_ties import EPS, largest
from .resampling import Exact, PerPair, all_signs, in_turn, product, slack_of

Steps = NDArray[np.int64]

HALF = 10  # twice as many differences have all their flips listed
TOGETHER = 256  # pairs at once, 2¹¹ sums of each
LONGEST = 10_000_000  # steps that the differences of one pair may add up to
BUDGET = 2_000_000_000  # additions, over all pairs asked for: some two seconds
MAX_STEPS = 10_000_000  # of the largest value: more steps than that are too many to count
STEP_ERROR = 16 * EPS  # rounding error of a value, relative to the largest, that still makes it a multiple of the step
SMALLEST = np.finfo(float).tiny


@pair_test("randomisation", cite="smucker2007,phipson2010", aliases=("permutation", "fisher", "randomization"))
class Randomisation(PairTest):
    """Randomisation test: exchange the two runs in topics at random; how often is the mean difference as large?

    All flips are counted (``exact``) for up to 20 differences other than 0, and for any number of them where values
    come in steps, such as four decimals: then the number of flips with each sum is found topic by topic. ``auto`` does
    the latter only while it takes some seconds for all pairs together, and otherwise draws flips, the same ones for all
    pairs; p is then (count + 1) / (draws + 1). With 10,000 draws a p near .05 has a standard error of .002.

    ``low`` and ``high`` enclose the differences that the one-sided tests at level / 2 do not reject when they are taken
    from every topic: quantiles of the mean difference over the topics that a flip exchanges. All flips count
    where there are no more of them than draws. Otherwise the flips are drawn, also where p is exact, so that an end
    near 0 can lie on the other side than p says. A one-sided alternative has a one-sided interval, and its open end is
    NaN. Where even the most extreme flip is not significant, there is no finite interval and both ends are NaN.
    """

    family: ClassVar[str] = "pair"
    requires: ClassVar[Scale] = Scale.INTERVAL
    assumes: ClassVar[str] = "if the runs are equal, either could have had either value of a topic; topics independent"
    use: ClassVar[str] = "to compare means without a distribution in mind, also with few topics"
    formula: ClassVar[str] = "P(|Σ ±d| ≥ |Σ d|), every sign + or − with chance 1/2"
    effect: ClassVar[str] = "d_z"
    interval_of_values: ClassVar[bool] = True

    draws: Annotated[int, Limits(1)] = 10_000
    exact: Exact = "auto"

    def compare(self, pairs: Pairs, asked: Asked) -> Answer:
        check_level(asked.level)
        spread = Spread.of(pairs)
        # That b is less than a is asked as: is a greater than b?
        faced = replace(pairs, a=pairs.b, b=pairs.a) if self.alternative == "less" else pairs
        plan = Plan.of(faced, self.exact)
        side: Alternative = "two-sided" if self.alternative == "two-sided" else "greater"
        p, low, high = flip_answers(faced, plan.drawn, self.draws, side, asked)
        for which, way in ((plan.listed, self._list), (plan.counted, self._count)):
            if which.any():
                p[which] = way(replace(faced, a=faced.a[which], b=faced.b[which]), plan, asked)
        if self.alternative == "less":
            low, high = -high, -low
        return Answer(
            n=spread.n,
            statistic=spread.mean,
            p=np.where(spread.n == 0, np.nan, p),
            effect=spread.d_z,
            note=self._notes(plan, spread.n == 0, asked.intervals & np.isnan(low) & np.isnan(high)),
            low=low if asked.intervals else None,
            high=high if asked.intervals else None,
        )

    def _notes(self, plan: "Plan", none: NDArray[np.bool_], unbounded: NDArray[np.bool_]) -> tuple[str, ...]:
        drawn = f"mean difference, {self.draws:,} draws"
        listed = "mean difference, exact: all flips"
        counted = f"mean difference, exact: all flips, counted in steps of {_step_text(plan.step)}"
        without = "; no finite interval"
        return said(
            drawn,
            (none, NO_TOPIC),
            (plan.listed & unbounded, listed + without),
            (plan.listed, listed),
            (plan.counted & unbounded, counted + without),
            (plan.counted, counted),
            (unbounded, drawn + without),
        )

    def _list(self, pairs: Pairs, plan: "Plan", asked: Asked) -> PerPair:
        parts = list(pairs.blocks(TOGETHER * len(pairs.values)))
        return self._both(np.concatenate(in_turn(lambda i: _share_listed(*self._aims(parts[i])), len(parts), asked)))

    def _aims(self, block: Pairs) -> tuple[Matrix, PerPair]:
        """(pair, topic), (pair,): differences, those that are 0 last; the sum that a flip must reach."""
        difference = np.nan_to_num(block.difference)
        first = np.argsort(difference == 0, axis=1, kind="stable")[:, : 2 * HALF]
        total = difference.sum(axis=1)
        aim = np.abs(total) if self.alternative == "two-sided" else total
        return np.take_along_axis(difference, first, axis=1), aim - slack_of(block)

    def _count(self, pairs: Pairs, plan: "Plan", asked: Asked) -> PerPair:
        steps = np.concatenate([plan.steps(block) for block in pairs.blocks()])
        aim = np.abs(steps.sum(axis=1)) if self.alternative == "two-sided" else steps.sum(axis=1)
        sizes = np.sort(np.abs(steps), axis=1)  # small ones first: fewer sums on the way
        shares = in_turn(lambda i: _share_counted(sizes[i][sizes[i] > 0], int(aim[i])), len(pairs), asked)
        return np.maximum(self._both(np.array(shares)), SMALLEST)  # too small for a float is not 0

    def _both(self, share: PerPair) -> PerPair:
        """Both ends from the share of flips whose sum is as high: every flip has a mirror image that is as low."""
        return np.minimum(1.0, 2 * share) if self.alternative == "two-sided" else share


@dataclass(frozen=True, eq=False)
class Plan:
    """Which pairs have their flips listed, counted in steps, or drawn."""

    step: float  # all values are multiples of it; 0: of no step that is large enough
    listed: NDArray[np.bool_]
    counted: NDArray[np.bool_]

    @classmethod
    def of(cls, pairs: Pairs, exact: Exact) -> "Plan":
        """Exact as far as it may be; refused where it must be and cannot."""
        nothing = np.zeros(len(pairs), dtype=bool)
        if exact == "never":
            return cls(0, nothing, nothing)
        live = np.concatenate([(np.nan_to_num(block.difference) != 0).sum(axis=1) for block in pairs.blocks()])
        listed = live <= 2 * HALF
        plan = cls(common_step(pairs.values[:, np.union1d(pairs.a, pairs.b)]), listed, nothing)
        if plan.step and not listed.all():
            work = np.concatenate([_additions(plan.steps(block)) for block in pairs.blocks()])
            counted = ~listed & (work > 0)
            if exact == "always" or work[counted].sum() <= BUDGET:
                plan = replace(plan, counted=counted)
        if exact == "always" and plan.drawn.any():
            hint = "values with few decimals can be; exact='auto' draws where they cannot"
            most = live[plan.drawn].max()
            raise ParameterError(f"all flips of {most} differences of any size cannot be counted", hint=hint)
        return plan

    @property
    def drawn(self) -> NDArray[np.bool_]:
        """(pair,): whether its flips are drawn."""
        return ~self.listed & ~self.counted

    def steps(self, block: Pairs) -> Steps:
        """(pair, topic): the differences as whole numbers of the largest step they have in common."""
        steps = np.rint(np.nan_to_num(block.difference) / self.step).astype(np.int64)
        return steps // np.maximum(np.gcd.reduce(steps, axis=1), 1)[:, None]


def common_step(values: Matrix) -> float:
    """Return the largest number whose multiples all values are, up to rounding errors; 0 where it is too small.

    The values of decimal files, P@10 and reciprocal ranks have such a step, in any unit.

    Examples
    --------
    >>> common_step(np.array([[0.25, 1.5], [0.5, 0.75]]))
    0.25
    """
    sizes = np.unique(np.abs(values[~np.isnan(values)]))
    top, parts = largest(sizes), 1
    while top and parts <= MAX_STEPS:
        step = top / parts
        apart = np.flatnonzero(np.abs(sizes - np.rint(sizes / step) * step) > STEP_ERROR * top)
        if not apart.size:
            return step
        known, share = parts, Fraction(float(sizes[apart[0]] / top)).limit_denominator(MAX_STEPS)
        parts = lcm(parts, share.denominator)
        if parts == known:
            return 0.0
    return 0.0


def _step_text(step: float) -> str:
    """Write 1/2520 where that is the step, and a decimal otherwise."""
    parts = 1 / step if step else 0.0
    whole = 1 <= parts <= MAX_STEPS and abs(parts - np.rint(parts)) <= 1e-9 * parts
    return f"1/{parts:.0f}" if whole else f"{step:.6g}"


def _additions(steps: Steps) -> NDArray[np.int64]:
    """(pair,): how many additions it takes to count all flips; 0 where there are too many sums."""
    sums = np.sort(np.abs(steps), axis=1).cumsum(axis=1)
    return np.where(sums[:, -1] <= LONGEST, sums.sum(axis=1), 0)


def _share_counted(steps: Steps, aim: int) -> float:
    """The share of flips with Σ ±steps ≥ aim.

    With T the sum of the steps that keep their sign, Σ ±steps = 2T − Σ steps; ``share[t]`` is the chance of T = t.
    """
    total = int(steps.sum())
    share = np.zeros(total + 1)
    share[0] = 1.0
    top = 0
    for step in steps.tolist():  # one topic after the other: each takes the sums of those before
        share[: top + 1] *= 0.5
        share[step : step + top + 1] += share[: top + 1]
        top += step
    return float(share[(aim + total) // 2 :].sum())  # aim and total are both even or both odd


def _share_listed(difference: Matrix, aim: PerPair) -> PerPair:
    """(pair,): the share of flips with Σ ±d ≥ aim, of up to 20 differences.

    The 2¹⁰ sums of one half of them are put in order together with what those of the other half must reach.
    """
    padded = np.zeros((len(difference), 2 * HALF))
    padded[:, : difference.shape[1]] = difference
    signs = all_signs(HALF, 0, 2**HALF)
    sums, others = (product(signs, np.ascontiguousarray(half.T)).T for half in np.split(padded, 2, axis=1))
    order = np.argsort(np.concatenate([aim[:, None] - sums, others], axis=1), axis=1)
    other = order >= 2**HALF
    enough = 2**HALF - other.cumsum(axis=1)  # those of the other half that lie above
    return np.where(other, 0, enough).sum(axis=1) / 4**HALF
