"""Counterfactual estimates of a policy's reward: base estimator, intervals and weights."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import Annotated, Any, ClassVar, Generic, Literal, TypeAlias, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from cranfield.core import SEED, Catalogue, Declared, Limits, ParameterError, describe, generator, write
from cranfield.online.experiments.sample_ratio_checks import ALARM
from cranfield.stats import LEVEL, check_level, parse_methods, quotient

Numbers: TypeAlias = NDArray[np.float64]  # (impression,) or (impression, rank)
Kind: TypeAlias = Literal["normal", "bootstrap"]
Clip = Annotated[float | None, Limits(0, open=True)]  # weights above it are lowered to it

DRAWS = 2000
PICKS = 500_000  # users drawn at once
SAME = 1e-9  # mean weights this near to 1 are 1
MIN_ESS = 50  # in simulated logs, 95% intervals hold the true value in 90% to 95% of the cases above, fewer below
MAX_WEIGHT_SHARE = 0.1  # of one impression in the sum of weights


@dataclass(frozen=True, eq=False)
class Weighed:
    """What each impression adds to an estimate, which is mean(model) + Σ weighted / Σ base."""

    model: Numbers  # (impression,): what a model expects; 0 where there is none
    weighted: Numbers  # (impression,): what was earned, weighed
    base: Numbers  # (impression,): 1, or the weight where an estimate is self-normalised
    weight: Numbers  # (impression, rank): the ratios of chances as they are, before anything is done to them
    used: Numbers  # (impression, rank): the weights that the estimator makes of them, clipped or shrunk
    user: NDArray[np.intp]  # (impression,): whose it is, from 0; users are independent, their impressions are not
    dropped: int  # impressions of which the chances are not known
    unit: bool = True  # the weights of a rank have mean 1 where the chances are right

    @property
    def rows(self) -> int:
        """How many impressions there are."""
        return len(self.model)

    @cached_property
    def sums(self) -> Numbers:
        """(user, 4): the number of impressions, the model, the weighted and the base, summed up."""
        columns = (np.ones(self.rows), self.model, self.weighted, self.base)
        return np.column_stack([np.bincount(self.user, column) for column in columns])

    @property
    def value(self) -> float:
        """The estimate."""
        return float(valued(self.sums.sum(axis=0)))

    @property
    def moved(self) -> Numbers:
        """(impression,): how far each moves it: by the delta method, where it is a quotient of two sums."""
        share = self.weighted.sum() / self.base.sum()
        return self.model - self.model.mean() + (self.weighted - share * self.base) / self.base.mean()

    @property
    def error(self) -> float:
        """Its standard error over users."""
        return self.error_of_mean(self.moved)

    def error_of_mean(self, column: Numbers) -> float:
        """The standard error over users of the mean of a number of each impression; NaN where one user is all."""
        by_user = np.bincount(self.user, column - column.mean())
        users = len(by_user)
        return float(np.sqrt(users / (users - 1) * (by_user**2).sum()) / self.rows) if users > 1 else np.nan

    @property
    def used_ess(self) -> float:
        """Return (Σw)² / Σw² of the weights as used, summed over the ranks; infinite where no weight is used."""
        page = self.used.sum(axis=1)
        return float(page.sum() ** 2 / (page**2).sum()) if page.any() else np.inf

    @property
    def largest_share(self) -> float:
        """Return the largest proportion of one impression in the sum of the weights as used."""
        page = self.used.sum(axis=1)
        return float(page.max() / page.sum()) if page.any() else 0.0

    def mean_weight_p(self) -> Numbers:
        """Return for each rank the p-value that its weights have mean 1, by a t test over users."""
        from scipy.special import stdtr

        excess = self.weight.mean(axis=0) - 1
        error = np.array([self.error_of_mean(column) for column in self.weight.T])
        t = np.divide(np.abs(excess), error, out=np.where(np.abs(excess) > SAME, np.inf, 0.0), where=error > 0)
        return np.where(np.isnan(error), 1.0, 2 * stdtr(max(1, len(self.sums) - 1), -t))

    def resample(self, draws: int, seed: int) -> Numbers:
        """(draw,): the estimate of as many users as there are, drawn with replacement."""
        users = len(self.sums)
        step = max(1, PICKS // users)
        found = []
        for block, start in enumerate(range(0, draws, step)):
            size = (min(step, draws - start), users)
            picked = generator(seed, "estimate", block).integers(0, users, size)
            found.append(valued(self.sums[picked].sum(axis=1)))
        return np.concatenate(found)


def valued(sums: Numbers) -> Numbers:
    """The estimate from sums of impressions, model, weighted and base, along the last axis; NaN where no base is."""
    rows, model, weighted, base = np.moveaxis(sums, -1, 0)
    return model / rows + np.divide(weighted, base, out=np.full(np.shape(base), np.nan), where=base != 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What a policy would have earned for each impression, between what ends, and from which weights.

    ``ess`` is how many impressions of the policy itself would tell as much, (Σw)² / Σw². The mean weight is 1 where the
    chances are those by which the log was made; ``mean_weight_p`` tests that, corrected for the number of ranks. Of
    lists of documents, ``ess`` is that of the rank where it is smallest. So is the mean weight, unless the weights of a
    rank do not average 1: then it is that of the rank with the smallest p.
    """

    estimator: str
    value: float
    error: float
    low: float
    high: float
    ess: float
    max_weight: float
    mean_weight: float
    mean_weight_low: float
    mean_weight_high: float
    mean_weight_p: float  # NaN where the mean need not be 1
    used_ess: float  # of the weights as used, clipped or shrunk, summed over the ranks of a page
    largest_share: float  # of one impression in the sum of these weights
    rows: int
    dropped: int

    @property
    def doubtful(self) -> bool:
        """Whether the interval of the mean weight excludes 1, which one right log in twenty does at level 0.05."""
        return self.mean_weight_low > 1 or self.mean_weight_high < 1

    @property
    def wrong_weights(self) -> bool:
        """Whether the mean weight is not 1, at the level of all checks of logs (p < 0.001), whatever ``level`` is."""
        return self.mean_weight_p < ALARM

    @property
    def few_impressions(self) -> bool:
        """Whether a few impressions carry the estimate, so that neither its interval nor the test of weights holds."""
        return self.used_ess < MIN_ESS or self.largest_share > MAX_WEIGHT_SHARE


L = TypeVar("L")


class Estimator(Declared, ABC, Generic[L]):
    """A way to tell from the log of one policy what another would have earned."""

    name: ClassVar[str]
    cite: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]]
    at: ClassVar[str] = ""  # nothing stands behind an @
    formula: ClassVar[str]
    modelled: ClassVar[bool] = False  # whether it needs a model of rewards

    def __str__(self) -> str:
        return write(describe(self))

    __repr__ = __str__

    @abstractmethod
    def weigh(self, logged: L) -> Weighed:
        """What each impression adds."""

    def estimate(
        self, logged: L, *, level: float = LEVEL, interval: Kind = "normal", draws: int = DRAWS, seed: int = SEED
    ) -> Estimate:
        """The estimate, its standard error and interval over users, and what its weights are like."""
        check_level(level)
        if interval not in get_args(Kind):
            raise ParameterError(f"there is no interval {interval!r}", hint=f"choose: {' or '.join(get_args(Kind))}")
        if draws < 1:
            raise ParameterError(f"{draws} draws make no interval", hint="draw some thousands")
        weighed = self.weigh(logged)
        value, error, reach = weighed.value, weighed.error, NormalDist().inv_cdf(1 - level / 2)
        ends = value - reach * error, value + reach * error
        if interval == "bootstrap":
            drawn = weighed.resample(draws, seed)
            ends = tuple(np.nanquantile(drawn, [level / 2, 1 - level / 2]).tolist())
        ess = quotient(weighed.weight.sum(axis=0) ** 2, (weighed.weight**2).sum(axis=0))
        rank, p = int(ess.argmin()), np.nan
        if weighed.unit:
            each = weighed.mean_weight_p()
            p = min(1.0, len(each) * float(each.min()))
            rank = int(each.argmin()) if p < ALARM else rank
        worst = weighed.weight[:, rank]
        width = reach * weighed.error_of_mean(worst) if weighed.unit else np.nan
        return Estimate(
            estimator=str(self),
            value=value,
            error=error,
            low=ends[0],
            high=ends[1],
            ess=float(ess.min()),
            max_weight=float(weighed.weight.max()),
            mean_weight=float(worst.mean()),
            mean_weight_low=float(worst.mean() - width),
            mean_weight_high=float(worst.mean() + width),
            mean_weight_p=p,
            used_ess=weighed.used_ess,
            largest_share=weighed.largest_share,
            rows=weighed.rows,
            dropped=weighed.dropped,
        )


X = TypeVar("X", bound=Estimator[Any])


def parse_listed(catalogue: Catalogue[X], texts: str | X | Iterable[str | X], *, see: str) -> list[X]:
    """The estimators of one or many texts, each once."""
    found: list[X] = []
    for one in [texts] if isinstance(texts, str | Estimator) else texts:
        found += parse_methods(catalogue, one, see=see) if isinstance(one, str) else [one]
    if not found:
        raise ParameterError("no estimator is given", hint=f"there are: {', '.join(catalogue.names())}")
    return list(dict.fromkeys(found))


def as_numbers(name: str, given: Any, shape: tuple[int, ...] | None = None) -> Numbers:
    """A column as numbers, refused where it has another shape than the rewards."""
    numbers = np.asarray(given, dtype=float)
    if shape is not None and numbers.shape != shape:
        message = f"{name} has the shape {numbers.shape}, and the rewards have {shape}"
        raise ParameterError(message, hint="give one number for each reward")
    return numbers


def check_finite(name: str, numbers: Numbers) -> None:
    """Refuse numbers that are missing or infinite."""
    if not np.isfinite(numbers).all():
        raise ParameterError(f"{name} has a number that is not finite", hint="leave out the impressions without one")


def check_chances(name: str, chances: Numbers, *, possible: bool) -> None:
    """Refuse what is no chance; of what happened none can be 0, but it may be unknown: NaN."""
    low = (chances <= 0) if possible else ~(chances >= 0)
    if (low | (chances > 1 + 1e-9)).any():
        hint = "what was shown has a chance above 0 and up to 1, NaN where it is not known"
        raise ParameterError(f"{name} has a number that is no chance", hint=hint if possible else "between 0 and 1")


def users_of(user: Any, rows: int, kept: NDArray[np.bool_]) -> NDArray[np.intp]:
    """(impression,): the users of those that are kept as numbers from 0; each one of its own where nobody is named."""
    if user is None:
        return np.arange(int(kept.sum()))
    if len(named := np.asarray(user)) != rows:
        raise ParameterError(f"{len(named)} users for {rows} impressions", hint="name the user of each impression")
    return np.unique(named[kept], return_inverse=True)[1].ravel()


def check_any(kept: NDArray[np.bool_]) -> None:
    """Refuse a log of which nothing is left."""
    if not kept.any():
        hint = "log the chance with which each result was shown"
        raise ParameterError("there is no impression of which the chances are known", hint=hint)


def check_overlap(weight: Numbers) -> None:
    """Refuse a policy that has nothing in common with the log."""
    if not weight.any():
        hint = "only a model of rewards (dm) or an experiment can tell what it earns"
        raise ParameterError("the policy would have shown nothing of what the log holds", hint=hint)
