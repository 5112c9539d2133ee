"""Transforms of values: arcsine root, log-odds, and standardisation against reference runs."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Annotated, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Catalogue, Limits, ParameterError, Positive, Scale, Share
from cranfield.core.types import Matrix
from cranfield.data import Norms
from cranfield.stats.pair_tests.base import CELLS, Method
from cranfield.stats.pair_tests.float_ties import SUM_ERROR, TIE

from .moments import Moments

Z_DECIMALS = 13  # decimals of a z-score


class Transform(Method):
    """New values in place of values (topic, run); NaN stays NaN. Names of topics and runs are for messages."""

    family: ClassVar[str] = "transform"

    @abstractmethod
    def apply(
        self, values: Matrix, *, norms: Norms | None = None, topics: Sequence[str] = (), runs: Sequence[str] = ()
    ) -> Matrix:
        """(topic, run): the new values."""

    @abstractmethod
    def notes(self, values: Matrix, *, norms: Norms | None = None, topics: Sequence[str] = ()) -> tuple[str, ...]:
        """What happened on the way that a reader should know."""


TRANSFORMS: Catalogue[Transform] = Catalogue("transform", see="`cranfield tests` lists them")
T = TypeVar("T", bound=Transform)


def transform(name: str, *, cite: str, aliases: tuple[str, ...] = ()) -> Callable[[type[T]], type[T]]:
    """Give a transform its name and its source, and list it."""
    return TRANSFORMS.declare(name, cite=cite, aliases=aliases)


class OfShares(Transform):
    """A function of each value by itself, for values between 0 and 1.

    It bends the scale, so that only numbers whose 0 and unit mean something keep a meaning.
    """

    requires: ClassVar[Scale] = Scale.RATIO

    def apply(
        self, values: Matrix, *, norms: Norms | None = None, topics: Sequence[str] = (), runs: Sequence[str] = ()
    ) -> Matrix:
        if norms is not None:
            raise ParameterError(f"{self.name} needs no norms", hint="norms are for z-score, webber, sakai and urbano")
        values = np.asarray(values, dtype=float)
        wrong = np.argwhere((values < -SUM_ERROR) | (values > 1 + SUM_ERROR))
        if len(wrong):
            topic, run = wrong[0].tolist()
            where = f"topic {topics[topic] if topics else topic + 1}, run {runs[run] if runs else run + 1}"
            message = f"{self.name} has no value for {values[topic, run]:g} ({where})"
            raise ParameterError(message, hint="it is for values between 0 and 1; z-score takes any")
        return self._bend(np.clip(values, 0.0, 1.0))

    def notes(self, values: Matrix, *, norms: Norms | None = None, topics: Sequence[str] = ()) -> tuple[str, ...]:
        return ()

    @abstractmethod
    def _bend(self, share: Matrix) -> Matrix:
        """The function, from 0 to 1."""


@transform("arcsine-root", cite="tague1995anova", aliases=("arcsine",))
class ArcsineRoot(OfShares):
    """Arcsine of the square root: makes the spread of shares about the same, wherever their mean is."""

    assumes: ClassVar[str] = "values are shares, such as precision, whose spread is least near 0 and 1"
    use: ClassVar[str] = (
        "where runs spread unevenly; at TREC-3 it changed next to nothing, and plain values read easier"
    )
    formula: ClassVar[str] = "arcsin √x"

    def _bend(self, share: Matrix) -> Matrix:
        return np.arcsin(np.sqrt(share))


@transform("logit", cite="robertson2006gmap", aliases=("log-odds",))
class Logit(OfShares):
    """Log-odds: stretches the ends of the scale, so that .01 and .02 are as far apart as .98 and .99.

    Values nearer to an end than ``floor`` are moved to there; it is that of GMAP.
    """

    assumes: ClassVar[str] = "values are shares; how far the ends are stretched hangs on the floor"
    use: ClassVar[str] = "to give hard topics a voice, as GMAP does, and easy ones too"
    formula: ClassVar[str] = "log(x / (1 − x))"

    floor: Annotated[float, Limits(0, 0.5, open=True)] = 1e-5

    def _bend(self, share: Matrix) -> Matrix:
        kept = np.clip(share, self.floor, 1 - self.floor)
        return np.log(kept / (1 - kept))

    def notes(self, values: Matrix, *, norms: Norms | None = None, topics: Sequence[str] = ()) -> tuple[str, ...]:
        moved = int(((values < self.floor) | (values > 1 - self.floor)).sum())
        return (f"{moved:,} of {values.size:,} values lie beyond the floor of {self.floor:g}",) if moved else ()


class Standardised(Transform):
    """Values seen against those of reference runs in the same topic: the runs at hand, or norms from a file."""

    requires: ClassVar[Scale] = Scale.INTERVAL

    @staticmethod
    def norms(values: Matrix, topics: Sequence[str] = (), *, measure: str = "") -> Norms:
        """Mean, standard deviation (n − 1 below) and sorted values of each topic; sd 0 where there is one run."""
        values = np.asarray(values, dtype=float)
        moments = Moments.of(values)
        names = tuple(topics) or tuple(str(topic + 1) for topic in range(len(values)))
        sd = np.where(moments.n == 1, 0.0, moments.sd)
        return Norms(names, moments.mean, sd, np.sort(values, axis=1), measure, "the runs at hand")

    def apply(
        self, values: Matrix, *, norms: Norms | None = None, topics: Sequence[str] = (), runs: Sequence[str] = ()
    ) -> Matrix:
        values = np.asarray(values, dtype=float)
        return self._standardise(values, self._fitting(values, norms, topics))

    def notes(self, values: Matrix, *, norms: Norms | None = None, topics: Sequence[str] = ()) -> tuple[str, ...]:
        fitting = self._fitting(np.asarray(values, dtype=float), norms, topics)
        flat = [topic for topic, sd in zip(fitting.topics, fitting.sd.tolist(), strict=True) if sd == 0]
        if not flat:
            return ()
        some = f"topic{'s' * (len(flat) > 1)} {', '.join(flat[:3])}{f' and {len(flat) - 3} more' * (len(flat) > 3)}"
        return (f"{some}: all reference runs have the same value; {self._flat()}",)

    def _fitting(self, values: Matrix, norms: Norms | None, topics: Sequence[str]) -> Norms:
        """The norms of these topics."""
        if norms is None:
            return self.norms(values, topics)
        if topics:
            return norms.of(topics)
        if len(norms) != len(values):
            message = f"there are norms for {len(norms)} topics, and values for {len(values)}"
            raise ParameterError(message, hint="name the topics, so that each finds its norm")
        return norms

    @abstractmethod
    def _standardise(self, values: Matrix, norms: Norms) -> Matrix:
        """The values against the norms of their topics."""

    @abstractmethod
    def _flat(self) -> str:
        """What becomes of a topic without spread, in words."""


@transform("z-score", cite="webber2008", aliases=("z", "z-std"))
class ZScore(Standardised):
    """Standardised value: how many standard deviations of the topic's reference runs above their mean.

    A topic in which they all have the same value tells nothing of a run: it is 0 for every run.
    """

    assumes: ClassVar[str] = "the reference runs are a fair picture of what can be done in each topic"
    use: ClassVar[str] = "so that hard and easy topics weigh the same, and collections can be compared"
    formula: ClassVar[str] = "(x − mean of the topic) / sd of the topic"

    def _standardise(self, values: Matrix, norms: Norms) -> Matrix:
        return _z(values, norms)

    def _flat(self) -> str:
        return "every run has 0 there"


@transform("webber", cite="webber2008", aliases=("n-std",))
class Webber(Standardised):
    """Webber's standardisation: the share of a normal distribution below the z-score; from 0 to 1, ½ at the mean."""

    assumes: ClassVar[str] = "values of a topic spread like a normal distribution over the reference runs"
    use: ClassVar[str] = "as z-score, where values from 0 to 1 are wanted and one outlier must not rule a mean"
    formula: ClassVar[str] = "Φ(z)"

    def _standardise(self, values: Matrix, norms: Norms) -> Matrix:
        from scipy.special import ndtr

        return ndtr(_z(values, norms))

    def _flat(self) -> str:
        return "every run has 1/2 there"


@transform("sakai", cite="sakai2016std", aliases=("std-ab", "u-std"))
class Sakai(Standardised):
    """Sakai's standardisation: the z-score on a straight line from 0 to 1, cut off at both ends.

    ``spread`` is what one standard deviation is worth, ``middle`` what the mean is: A and B of the paper.
    """

    assumes: ClassVar[str] = "the reference runs are a fair picture of what can be done in each topic"
    use: ClassVar[str] = "as webber, without assuming a normal distribution; runs far off a topic's mean are cut off"
    formula: ClassVar[str] = "max(0, min(1, A · z + B))"

    spread: Positive = 0.15
    middle: Share = 0.5

    def _standardise(self, values: Matrix, norms: Norms) -> Matrix:
        return np.clip(self.spread * _z(values, norms) + self.middle, 0.0, 1.0)

    def _flat(self) -> str:
        return f"every run has {self.middle:g} there"


@transform("urbano", cite="urbano2019std", aliases=("e-std",))
class Urbano(Standardised):
    """Urbano's standardisation: the share of the topic's reference runs that are not above the value."""

    requires: ClassVar[Scale] = Scale.ORDINAL  # any increasing function of the values gives the same
    assumes: ClassVar[str] = "nothing of how values spread: their own distribution takes the place of a normal one"
    use: ClassVar[str] = "as webber, with many reference runs: twenty of them know no step finer than .05"
    formula: ClassVar[str] = "#(reference runs ≤ x) / #(reference runs)"

    def _standardise(self, values: Matrix, norms: Norms) -> Matrix:
        if norms.reference is None:
            hint = "give a file with the values in columns 1, 2, 3 …, or use sakai"
            raise ParameterError(f"urbano needs the values of the reference runs; {norms.name} has none", hint=hint)
        step = max(1, CELLS // max(1, values.shape[1] * norms.reference.shape[1]))
        parts = [slice(start, start + step) for start in range(0, len(values), step)]
        below = [_not_above(norms.reference[part], values[part]) for part in parts]
        return np.where(np.isnan(values), np.nan, np.concatenate(below))

    def _flat(self) -> str:
        return "a run with that value has 1 there"


def _z(values: Matrix, norms: Norms) -> Matrix:
    """Return the z-scores without their rounding errors, so that those equal as numbers tie in tests of ranks."""
    off = values - norms.mean[:, None]
    return np.where(np.isnan(values), np.nan, np.round(off / np.where(norms.sd, norms.sd, np.inf)[:, None], Z_DECIMALS))


def _not_above(reference: Matrix, values: Matrix) -> NDArray[np.float64]:
    """(topic, run): the share of reference values that are at most as large as each value."""
    count = (reference[:, None, :] <= (values + TIE * np.abs(values))[:, :, None]).sum(axis=2)
    return count / np.maximum((~np.isnan(reference)).sum(axis=1), 1)[:, None]
