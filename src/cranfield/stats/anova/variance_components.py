"""Variance components of topics and systems, and the number of topics for a target dependability."""

from dataclasses import dataclass
from math import ceil, inf, nan

from cranfield.core import ParameterError
from cranfield.core.types import Cube, Matrix
from cranfield.stats.multiple.omnibus_base import check_whole
from cranfield.stats.pair_tests.base import LEVEL

from .replicated_designs import check_cube, replicated_anova
from .variance_analysis import Anova, TwoWay, scaled_values

TARGET = 0.95


@dataclass(frozen=True, slots=True)
class Component:
    """A part of the variance of one value. An estimate below 0 counts as 0."""

    source: str
    variance: float
    share: float
    estimate: float  # as it was


@dataclass(frozen=True, slots=True)
class Strength:
    """How much systems vary beside the noise of one topic, with an interval; NaN where none is known."""

    value: float
    low: float = nan
    high: float = nan

    def dependable(self, topics: float) -> tuple[float, float, float]:
        """How dependable means over so many topics are, from 0 to 1, and an interval."""
        value, low, high = (
            1.0 if x == inf else topics * x / (topics * x + 1) for x in (self.value, self.low, self.high)
        )
        return value, low, high

    def needed(self, target: float = TARGET) -> tuple[float, float, float]:
        """How many topics are this dependable, and an interval: infinitely many where systems do not vary."""
        if not 0 < target < 1:
            raise ParameterError(f"the target cannot be {target!r}", hint="give a number between 0 and 1, such as 0.95")
        value, fewest, most = (_topics(target, x) for x in (self.value, self.high, self.low))
        return value, fewest, most


@dataclass(frozen=True, slots=True, eq=False)
class Components:
    """What the variance of a value is made of, and how dependable means over topics are.

    ``relative`` is for the order of runs (Eρ²: only what moves runs against each other is noise), ``absolute`` for the
    means themselves (Φ: how hard the topics are is noise too).
    """

    parts: tuple[Component, ...]
    relative: Strength
    absolute: Strength
    note: str = ""

    def __getitem__(self, source: str) -> Component:
        return {part.source: part for part in self.parts}[source]


def components(values: Matrix, *, level: float = LEVEL) -> Components:
    """Variance components of values (topic, run): topic, system, and error with the interaction in it.

    From expected mean squares (bodoff2007gtheory; urbano2013gtheory). The interval of the relative strength is exact
    for normal values (feldt1965), that of the absolute one approximate (arteaga1982).
    """
    values, unit = scaled_values(check_whole(values))
    found = TwoWay().fit(values)
    topic, system, error = (found[source].ms for source in ("topic", "system", "error"))
    estimates = {"topic": (topic - error) / found.runs, "system": (system - error) / found.topics, "error": error}
    return _made(estimates, {"error": 1.0}, found, level, unit)


def replicated_components(cube: Cube, *, replicates: int | None = None, level: float = LEVEL) -> Components:
    """The same of values (replicate, topic, run), with topic × system told from error.

    The strengths are for so many ``replicates`` of each topic; without a number, for those that there are, and only
    then intervals are known.
    """
    cube, unit = scaled_values(check_cube(cube))
    if replicates is not None and replicates < 1:
        raise ParameterError(f"there cannot be {replicates} replicates", hint="give a whole number from 1 up")
    found = replicated_anova(cube)
    topic, system, both, error = (found[source].ms for source in ("topic", "system", "topic×system", "error"))
    estimates = {
        "topic": (topic - both) / (found.runs * found.replicates),
        "system": (system - both) / (found.topics * found.replicates),
        "topic×system": (both - error) / found.replicates,
        "error": error,
    }
    # With the replicates that there are, a mean over them is a value like any other.
    means = TwoWay().fit(cube.mean(axis=0)) if replicates in (None, found.replicates) else None
    noise = {"topic×system": 1.0, "error": 1 / (replicates or found.replicates)}
    return _made(estimates, noise, means, level, unit)


def _made(
    estimates: dict[str, float], noise: dict[str, float], found: Anova | None, level: float, unit: float
) -> Components:
    """Return the components from their estimates, which are in multiples of ``unit``².

    ``noise`` holds the weight of those components that move runs against each other.
    """
    variance = {source: max(0.0, estimate) for source, estimate in estimates.items()}
    total = sum(variance.values())
    parts = tuple(
        Component(
            source,
            variance[source] * unit * unit,
            variance[source] / total if total else 0.0,
            estimate * unit * unit,
        )
        for source, estimate in estimates.items()
    )
    below = [source for source, estimate in estimates.items() if estimate < 0]
    note = f"the estimate for {' and '.join(below)} is below 0, and counts as 0" if below else ""
    relative = sum(weight * variance[source] for source, weight in noise.items())
    system, absolute = variance["system"], relative + variance["topic"]
    unknown = ((nan, nan), (nan, nan))
    low, high = (_ends(found, 1 - level / 2), _ends(found, level / 2)) if found else unknown
    return Components(
        parts,
        Strength(_over(system, relative), low[0], high[0]),
        Strength(_over(system, absolute), low[1], high[1]),
        note,
    )


def _ends(found: Anova, q: float) -> tuple[float, float]:
    """One end of the intervals of both strengths, from quantiles q of F: a low end where q is high."""
    from scipy.special import chdtri, fdtri

    topic, system, error = (found[source].ms for source in ("topic", "system", "error"))
    df_topic, df_system = found.topics - 1, found.runs - 1
    by_topic, by_error = (float(fdtri(df_system, df, q)) for df in (df_topic, found.df_error))
    by_none = float(chdtri(df_system, 1 - q)) / df_system  # F with infinitely many degrees of freedom below
    relative = _over(system - by_error * error, by_error * error) / found.topics
    # urbano2013gtheory, after arteaga1982 and brennan2001
    above = system**2 - by_none * system * error + (by_none - by_error) * by_error * error**2
    below = df_system * by_none * system * error + by_topic * system * topic
    absolute = _over(above, below) * found.runs / found.topics
    return relative, absolute


def _over(part: float, rest: float) -> float:
    """A ratio of variances: 0 where the part is none, infinite where there is only the part."""
    return 0.0 if part <= 0 else (part / rest if rest > 0 else inf)


def _topics(target: float, strength: float) -> float:
    """The smallest whole number of topics that reaches the target."""
    if strength > 0:
        return max(1, ceil(target / (1 - target) / strength * (1 - 1e-12)))  # 19 topics are not 20 by rounding
    return inf if strength == 0 else nan
