"""Statistical power, topic set size and smallest detectable difference of an experiment."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal, TypeAlias, TypeVar, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cranfield.core import Catalogue, Limits, ParameterError, Scale, Table
from cranfield.core.types import Matrix, Rows
from cranfield.stats.anova.noncentral_f import beyond, shift_for
from cranfield.stats.multiple.omnibus_base import check_whole
from cranfield.stats.pair_tests.base import LEVEL, Method, Pairs
from cranfield.stats.pair_tests.closed_form import Spread
from cranfield.stats.pair_tests.float_ties import SUM_ERROR, power_of_two

Pilot: TypeAlias = Literal["within", "residual", "differences", "median", "largest", "twice-within"]
PILOTS: tuple[Pilot, ...] = get_args(Pilot)

POWER = 0.8
MOST = 10**9  # topics: an experiment that needs more will not be run


class Design(Method):
    """A plan of an experiment: of topics, power and difference each from the others, given a level and a variance."""

    family: ClassVar[str] = "power"
    requires: ClassVar[Scale] = Scale.INTERVAL
    goal: ClassVar[str]  # what `difference` is, in words
    tests: ClassVar[bool] = True  # what tests nothing has no power

    @property
    @abstractmethod
    def pilot(self) -> Pilot:
        """Which variance it asks for, as :func:`pilot_variance` names it."""

    @abstractmethod
    def power(self, topics: ArrayLike, *, difference: float, variance: float, level: float = LEVEL) -> Rows:
        """The chance that a difference of this size is found, for each number of topics."""

    @abstractmethod
    def difference(self, topics: ArrayLike, *, variance: float, level: float = LEVEL, power: float = POWER) -> Rows:
        """The smallest difference that is within reach, for each number of topics."""

    @abstractmethod
    def enough(self, topics: int, *, difference: float, variance: float, level: float, power: float) -> bool:
        """Whether so many topics do."""

    def topics(self, *, difference: float, variance: float, level: float = LEVEL, power: float = POWER) -> int:
        """The smallest number of topics that does."""
        check_plan(difference=difference, variance=variance, level=level, power=power)
        given = {"difference": difference, "variance": variance, "level": level, "power": power}
        return _smallest(lambda topics: self.enough(topics, **given))


DESIGNS: Catalogue[Design] = Catalogue("design", see="`cranfield tests` lists them")
D = TypeVar("D", bound=Design)


def design(name: str, *, cite: str, aliases: tuple[str, ...] = ()) -> Callable[[type[D]], type[D]]:
    """Give a design its name and its source, and list it."""
    return DESIGNS.declare(name, cite=cite, aliases=aliases)


class Detection(Design):
    """A design that asks how often a test finds a difference: the tail of a noncentral F beyond its critical value."""

    share: ClassVar[float]  # each topic adds share · difference²/variance to the noncentrality

    @abstractmethod
    def freedom(self, topics: Rows) -> tuple[Rows, Rows]:
        """The degrees of freedom of F, above and below."""

    def power(self, topics: ArrayLike, *, difference: float, variance: float, level: float = LEVEL) -> Rows:
        check_plan(difference=difference, variance=variance, level=level)
        n = counts(topics)
        return beyond(*self.freedom(n), n * (self.share * difference * difference / variance), level)

    def difference(self, topics: ArrayLike, *, variance: float, level: float = LEVEL, power: float = POWER) -> Rows:
        check_plan(variance=variance, level=level, power=power)
        n = counts(topics)
        return np.sqrt(shift_for(*self.freedom(n), level, power) / (n * self.share)) * np.sqrt(variance)

    def enough(self, topics: int, *, difference: float, variance: float, level: float, power: float) -> bool:
        return bool(self.power(topics, difference=difference, variance=variance, level=level) >= power)


@design("t", cite="sakai2016topic, nagata2003", aliases=("paired-t",))
class PairedT(Detection):
    """Topics for a paired t: enough to find a difference between two runs, with the power that is asked for.

    ``variance`` is that of the differences over topics. Where it is not known, twice the variance within a run is on
    the safe side unless the two runs do well on opposite topics (sakai2016topic).
    """

    assumes: ClassVar[str] = "differences that are normal over topics; topics drawn independently"
    use: ClassVar[str] = "to plan the comparison of two runs on the same topics"
    formula: ClassVar[str] = "smallest n with P(F(1, n−1; λ) > F_level) ≥ power, λ = n · difference²/variance"
    goal: ClassVar[str] = "the difference between two runs"
    share: ClassVar[float] = 1.0

    @property
    def pilot(self) -> Pilot:
        return "differences"

    def freedom(self, topics: Rows) -> tuple[Rows, Rows]:
        return np.ones_like(topics), topics - 1


@design("anova", cite="sakai2016topic, nagata2003", aliases=("range",))
class Range(Detection):
    """Topics for an analysis of variance: enough to find that runs differ, when best and worst lie so far apart.

    All other runs are taken to lie half-way between the two, where they help least. The one-way ``model`` is Sakai's
    and treats every run as if it had topics of its own; the two-way model is that of runs on the same topics.
    """

    assumes: ClassVar[str] = "values that are normal with one variance for all runs; topics drawn independently"
    use: ClassVar[str] = "to plan a test collection on which many runs will be compared"
    formula: ClassVar[str] = (
        "smallest n with P(F(m−1, φ; λ) > F_level) ≥ power, λ = n · difference²/(2 variance), "
        "φ = m(n−1), or (m−1)(n−1) two-way"
    )
    goal: ClassVar[str] = "the difference between the best and the worst run"
    share: ClassVar[float] = 0.5  # sakai2016topic: Σ(mean − grand mean)² ≥ difference²/2

    runs: Annotated[int, Limits(2)] = 2
    model: Literal["one-way", "two-way"] = "one-way"

    @property
    def pilot(self) -> Pilot:
        return "within" if self.model == "one-way" else "residual"

    def freedom(self, topics: Rows) -> tuple[Rows, Rows]:
        below = self.runs if self.model == "one-way" else self.runs - 1
        return np.full_like(topics, self.runs - 1), below * (topics - 1)


@design("interval", cite="sakai2016topic, nagata2003", aliases=("width",))
class Width(Design):
    """Topics for a confidence interval: enough that the interval of a difference is expected to be so narrow.

    ``difference`` is the whole width, ``variance`` that of the differences over topics. An interval tests nothing and
    has no power: it is NaN, and what is asked for it does not count.
    """

    assumes: ClassVar[str] = "differences that are normal over topics; topics drawn independently"
    use: ClassVar[str] = "to plan how precisely a difference will be known, whatever it turns out to be"
    formula: ClassVar[str] = (
        "smallest n with 2 t_{level/2}(n−1) · √(variance/n) · √(2/(n−1)) Γ(n/2)/Γ((n−1)/2) ≤ difference"
    )
    goal: ClassVar[str] = "the expected width of the interval of a difference"
    tests: ClassVar[bool] = False

    @property
    def pilot(self) -> Pilot:
        return "differences"

    def power(self, topics: ArrayLike, *, difference: float, variance: float, level: float = LEVEL) -> Rows:
        check_plan(difference=difference, variance=variance, level=level)
        return np.full_like(counts(topics), np.nan)

    def difference(self, topics: ArrayLike, *, variance: float, level: float = LEVEL, power: float = POWER) -> Rows:
        check_plan(variance=variance, level=level)
        from scipy.special import beta, stdtrit

        n = counts(topics)
        # A standard deviation is smaller than σ on average; Γ(a+½)/Γ(a) = √π / B(a, ½) does not overflow.
        shrunk = np.sqrt(2 * np.pi / (n - 1)) / beta((n - 1) / 2, 0.5)
        return -2 * stdtrit(n - 1, level / 2) * np.sqrt(variance / n) * shrunk

    def enough(self, topics: int, *, difference: float, variance: float, level: float, power: float) -> bool:
        return bool(self.difference(topics, variance=variance, level=level) <= difference)


def pilot_variance(*pilots: Matrix, of: Pilot) -> float:
    """The variance that a design asks for, from pilot values (topic, run); several are pooled by degrees of freedom.

    ``within``: of a run's values over topics, all runs together (the residual of a one-way analysis). ``residual``: of
    what neither topic nor run explains (two-way). ``differences``: of the differences of a pair, the mean over pairs,
    which is twice the residual; ``median`` and ``largest`` take those over pairs. ``twice-within``: for differences
    where the pairing is not trusted (sakai2016topic). For one pair, give its two columns. A small pilot knows its
    variance badly, and topics added until a test has power favour a finding (webber2008power).
    """
    if not pilots:
        raise ParameterError("there is no pilot to take a variance from", hint="give values (topic, run)")
    if of not in PILOTS:
        raise ParameterError(f"a pilot has no variance {of!r}", hint=f"it has: {', '.join(PILOTS)}")
    matrices = [check_whole(values) for values in pilots]
    unit = max(power_of_two(values) for values in matrices)
    variances, freedom = np.array([_variance(values / unit, of) for values in matrices]).T
    pooled = float(variances @ freedom / freedom.sum())
    variance = unit * (unit * pooled) if pooled > SUM_ERROR**2 else 0.0
    if pooled > SUM_ERROR**2 and not np.finfo(float).tiny <= variance < np.inf:
        hint = "multiply all values by a constant that brings them near 1"
        raise ParameterError("the variance of these values is too small or too large for a number", hint=hint)
    return variance


def _variance(values: Matrix, of: Pilot) -> tuple[float, float]:
    """The variance and its degrees of freedom."""
    topics, runs = values.shape
    if of in ("within", "twice-within"):
        within = float(values.var(axis=0, ddof=1).mean())
        return within * (2 if of == "twice-within" else 1), runs * (topics - 1)
    if of in ("residual", "differences"):
        rest = values - values.mean(axis=0) - values.mean(axis=1, keepdims=True) + values.mean()
        residual = float((rest**2).sum()) / ((topics - 1) * (runs - 1))
        return residual * (2 if of == "differences" else 1), (topics - 1) * (runs - 1)
    variances = Spread.of(Pairs.every(values)).deviation ** 2
    return float(np.median(variances) if of == "median" else variances.max()), topics - 1


def achieved_power(pairs: Pairs, *, level: float = LEVEL) -> Rows:
    """(pair,): the power of a paired t if what was observed of each pair were the truth; NaN below two topics.

    It is the p-value told once more and adds nothing to it (hoenig2001): it serves to plan the next experiment.
    """
    check_plan(level=level)
    seen = Spread.of(pairs)
    found = np.full(len(pairs), np.nan)
    enough = seen.n > 1
    n = seen.n[enough].astype(float)
    found[enough] = beyond(np.ones_like(n), n - 1, n * seen.d_z[enough] ** 2, level)
    return found


def power_table(
    design: Design,
    topics: ArrayLike,
    *,
    variance: float,
    level: float = LEVEL,
    difference: float | None = None,
    power: float | None = None,
) -> Table:
    """A curve over topics: the power for one difference or, where none is given, the difference for one power."""
    if difference is not None and power is not None:
        raise ParameterError("both a difference and a power are given", hint="leave out the one that is asked for")
    n = np.atleast_1d(counts(topics))
    if difference is None or not design.tests:
        asked = POWER if power is None else power
        reached = design.difference(n, variance=variance, level=level, power=asked)
        chance = np.full_like(n, asked if design.tests else np.nan)
    else:
        reached = np.full_like(n, difference)
        chance = design.power(n, difference=difference, variance=variance, level=level)
    columns: dict[str, Any] = {
        "design": [str(design)] * len(n),
        "topics": n.astype(np.int64),
        "level": np.full_like(n, level),
        "power": chance,
        "difference": reached,
        "variance": np.full_like(n, variance),
    }
    return Table(columns, "power")


def _smallest(holds: Callable[[int], bool]) -> int:
    """The smallest whole number from 2 for which it holds, as it then does for all larger ones."""
    low, high = 1, 2
    while not holds(high):
        if high >= MOST:
            raise ParameterError(
                f"that needs more than {MOST:,} topics", hint="ask for a larger difference, or for less power"
            )
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def counts(topics: ArrayLike) -> NDArray[np.float64]:
    """Numbers of topics, refused below two."""
    n = np.asarray(topics, dtype=float)
    wrong = n[~((n >= 2) & (n == np.floor(n)) & np.isfinite(n))]
    if wrong.size:
        raise ParameterError(
            f"{wrong.flat[0]:g} is no number of topics to plan with", hint="give whole numbers from 2 up"
        )
    return n


def check_plan(*, level: float, difference: float = 1.0, variance: float = 1.0, power: float | None = None) -> None:
    """Refuse what no plan can be made of."""
    if not 0 < level < 1:
        raise ParameterError(f"a level of {level:g} is not between 0 and 1", hint="the usual level is 0.05")
    for name, number in (("difference", difference), ("variance", variance)):
        if not 0 < number < np.inf:
            raise ParameterError(f"a {name} of {number:g} is not above 0", hint=f"give the {name} as a positive number")
    if power is not None and not level < power < 1:
        hint = "a test is significant as often as its level where nothing is to be found; the usual power is 0.8"
        raise ParameterError(f"a power of {power:g} is not between the level {level:g} and 1", hint=hint)
