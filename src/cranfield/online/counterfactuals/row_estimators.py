"""Counterfactual estimators for one action per impression: IPS, SNIPS, doubly robust."""

from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Catalogue, ParameterError, Positive

from .estimates import (
    Clip,
    Estimator,
    Numbers,
    Weighed,
    as_numbers,
    check_any,
    check_chances,
    check_finite,
    check_overlap,
    parse_listed,
    users_of,
)


@dataclass(frozen=True, eq=False)
class Logged:
    """What a policy chose and what came of it, one row for each impression, seen by the policy in question.

    Rows whose propensity is NaN are dropped by every estimator, and counted.
    """

    reward: Numbers  # (impression,)
    propensity: Numbers  # (impression,): the chance with which the log's policy chose what it chose; NaN: not known
    target: Numbers  # (impression,): the chance with which the policy in question chooses the same
    model: Numbers | None = None  # (impression,): what a model expects of that choice
    expected: Numbers | None = None  # (impression,): what it expects of the policy in question, over all its choices
    user: NDArray[Any] | None = None  # (impression,): whose it is; None: each of another user

    def __post_init__(self) -> None:
        reward = as_numbers("reward", self.reward)
        if reward.ndim != 1 or not reward.size:
            hint = "give one number for each impression"
            raise ParameterError(f"rewards of shape {reward.shape} are no column", hint=hint)
        given = {"reward": reward}
        for name in ("propensity", "target", "model", "expected"):
            if getattr(self, name) is not None:
                given[name] = as_numbers(name, getattr(self, name), reward.shape)
        for name in given.keys() & {"reward", "model", "expected"}:
            check_finite(name, given[name])
        check_chances("propensity", given["propensity"], possible=True)
        check_chances("target", given["target"], possible=False)
        for name, numbers in given.items():
            object.__setattr__(self, name, numbers)


class RowEstimator(Estimator[Logged]):
    """An estimate from one weight for each impression, with or without a model of rewards."""

    normalised: ClassVar[bool] = False
    weighs: ClassVar[bool] = True  # what it says depends on weights

    @abstractmethod
    def weight(self, ratio: Numbers) -> Numbers:
        """(impression,): what is made of the ratio of chances."""

    def weigh(self, logged: Logged) -> Weighed:
        kept = ~np.isnan(logged.propensity)
        check_any(kept)
        ratio = logged.target[kept] / logged.propensity[kept]
        if self.weighs:
            check_overlap(ratio)
        weight = self.weight(ratio)
        model, expected = modelled(self.name, logged, kept) if self.modelled else (np.zeros(len(ratio)),) * 2
        return Weighed(
            model=expected,
            weighted=weight * (logged.reward[kept] - model),
            base=weight if self.normalised else np.ones(len(ratio)),
            weight=ratio[:, None],
            used=weight[:, None],
            user=users_of(logged.user, len(kept), kept),
            dropped=int((~kept).sum()),
        )


def modelled(name: str, logged: Logged, kept: NDArray[np.bool_]) -> tuple[Numbers, Numbers]:
    """(impression,) twice: what the model expects of what was chosen, and of the policy in question."""
    if logged.model is None or logged.expected is None:
        hint = "give model, of the logged choice, and expected, of the policy in question; ips and snips need neither"
        raise ParameterError(f"{name} needs a model of the rewards", hint=hint)
    return logged.model[kept], logged.expected[kept]


class Weighing(RowEstimator):
    """An estimate that rests on weights; ``clip`` lowers large ones: less variance, and a bias to 0 or to the model."""

    clip: Clip = None

    def weight(self, ratio: Numbers) -> Numbers:
        return ratio if self.clip is None else np.minimum(ratio, self.clip)


ESTIMATORS: Catalogue[RowEstimator] = Catalogue("estimator")
E = TypeVar("E", bound=RowEstimator)


def estimator(name: str, *, cite: str, aliases: tuple[str, ...] = ()) -> Callable[[type[E]], type[E]]:
    """Give an estimator its name and its source, and list it."""
    return ESTIMATORS.declare(name, cite=cite, aliases=aliases)


@estimator("ips", cite="horvitz1952,bottou2013", aliases=("ipw",))
class IPS(Weighing):
    """Inverse propensity scoring: each reward counts as often as the policy would have earned it.

    Unbiased where the log tried all that the policy does; a few large weights make it vary.
    """

    formula: ClassVar[str] = "mean(w r), w = π_e / π_b"


@estimator("snips", cite="swaminathan2015snips", aliases=("snipw",))
class SNIPS(Weighing):
    """Self-normalised inverse propensity scoring: the mean reward, each weighed as the policy would have earned it.

    It stays within the rewards, and moves with them when a constant is added; biased, but less and less with more rows.
    """

    formula: ClassVar[str] = "Σ w r / Σ w"
    normalised: ClassVar[bool] = True


@estimator("dm", cite="dudik2014")
class DirectMethod(RowEstimator):
    """Direct method: what a model of rewards expects of the policy; as biased as the model is."""

    formula: ClassVar[str] = "mean(Σ_a π_e(a) q(a))"
    modelled: ClassVar[bool] = True
    weighs: ClassVar[bool] = False

    def weight(self, ratio: Numbers) -> Numbers:
        return np.zeros(len(ratio))


@estimator("dr", cite="dudik2014")
class DoublyRobust(Weighing):
    """Doubly robust: what a model expects, set right by weighed errors of that model.

    Unbiased where the propensities are right or the model is.
    """

    formula: ClassVar[str] = "mean(Σ_a π_e(a) q(a) + w (r − q))"
    modelled: ClassVar[bool] = True


@estimator("sndr", cite="kallus2019,dudik2014")
class SNDR(DoublyRobust):
    """Self-normalised doubly robust: what a model expects, set right by the weighted mean of its errors."""

    formula: ClassVar[str] = "mean(Σ_a π_e(a) q(a)) + Σ w (r − q) / Σ w"
    normalised: ClassVar[bool] = True


@estimator("switch-dr", cite="wang2017switch")
class SwitchDR(DoublyRobust):
    """Switch doubly robust: where a weight is above ``threshold``, the model alone is believed."""

    formula: ClassVar[str] = "mean(Σ_a π_e(a) q(a) + w [w ≤ threshold] (r − q))"

    threshold: Positive = 10.0

    def weight(self, ratio: Numbers) -> Numbers:
        return np.where(ratio <= self.threshold, super().weight(ratio), 0.0)


@estimator("dr-os", cite="su2020dros", aliases=("dros",))
class DRos(DoublyRobust):
    """Doubly robust with optimistic shrinkage: large weights fade out; one of √``shrink`` counts half."""

    formula: ClassVar[str] = "mean(Σ_a π_e(a) q(a) + λ w / (w² + λ) (r − q)), λ = shrink"

    shrink: Positive = 100.0

    def weight(self, ratio: Numbers) -> Numbers:
        weight = super().weight(ratio)
        return self.shrink * weight / (weight**2 + self.shrink)


def parse_estimators(texts: str | RowEstimator | Iterable[str | RowEstimator]) -> list[RowEstimator]:
    """The estimators of one or many texts, each once: ``"ips(clip=10) snips"``."""
    return parse_listed(ESTIMATORS, texts, see="cranfield.online.ESTIMATORS")
