"""Counterfactual estimators for whole result pages: SIPS, IIPS, RIPS, cascade doubly robust."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cranfield.core import Catalogue, ParameterError

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

Of: TypeAlias = Literal["given", "at_rank", "examined"]
IN_WORDS: dict[Of, str] = {
    "given": "the chance of each document at its rank, given those above it",
    "at_rank": "the chance of each document at its rank, whatever stands above it",
    "examined": "the chance that each document is examined, wherever it stands; examination_of makes it",
}


@dataclass(frozen=True, eq=False)
class Chances:
    """How likely what was shown is: by the policy that showed it, NaN where it is not known, and by another."""

    propensity: Numbers  # (impression, rank)
    target: Numbers  # (impression, rank)


@dataclass(frozen=True, eq=False)
class Slates:
    """Result pages that a policy showed and what each rank earned, seen by the policy in question.

    A page may be shorter than the others: its last rewards are NaN. Each estimator needs one of three kinds of chances;
    impressions of which these are not known are dropped, and counted.
    """

    reward: Numbers  # (impression, rank); NaN: there is no document
    given: Chances | None = None  # of a document at its rank, given those above it
    at_rank: Chances | None = None  # of a document at its rank, whatever stands above it
    examined: Chances | None = None  # that a document is examined, wherever it stands
    model: Numbers | None = None  # (impression, rank): what is earned from there down, given what stands up to there
    expected: Numbers | None = None  # (impression, rank): its mean over what the policy in question shows there
    user: NDArray[Any] | None = None  # (impression,): whose it is; None: each of another user

    def __post_init__(self) -> None:
        reward = as_numbers("reward", self.reward)
        if reward.ndim != 2 or not reward.size:
            hint = "give a table: one row for each impression, one column for each rank"
            raise ParameterError(f"rewards of shape {reward.shape} are no pages", hint=hint)
        there = ~np.isnan(reward)
        if not there[:, 0].all() or (there[:, 1:] > there[:, :-1]).any():
            hint = "NaN stands below the last document of a page, and nowhere else"
            raise ParameterError("a page has a reward below a rank without one", hint=hint)
        check_finite("reward", reward[there])
        object.__setattr__(self, "reward", reward)
        for kind in IN_WORDS:
            if (chances := getattr(self, kind)) is not None:
                object.__setattr__(self, kind, _checked(kind, chances, there))
        for name in ("model", "expected"):
            if getattr(self, name) is not None:
                numbers = as_numbers(name, getattr(self, name), reward.shape)
                check_finite(name, numbers[there])
                object.__setattr__(self, name, np.where(there, numbers, 0.0))

    @property
    def there(self) -> NDArray[np.bool_]:
        """(impression, rank): whether there is a document."""
        return ~np.isnan(self.reward)

    def ratio(self, kind: Of, who: str) -> Numbers:
        """(impression, rank): how much likelier the policy in question shows it; NaN: not known."""
        chances: Chances | None = getattr(self, kind)
        if chances is None:
            raise ParameterError(f"{who} needs {kind}", hint=f"give {IN_WORDS[kind]}")
        return chances.target / chances.propensity


def _checked(kind: str, chances: Chances, there: NDArray[np.bool_]) -> Chances:
    """The same, both 1 where there is no document; refused where they are no chances."""
    both = []
    for name, possible in (("propensity", True), ("target", False)):
        numbers = np.where(there, as_numbers(f"{kind}.{name}", getattr(chances, name), there.shape), 1.0)
        check_chances(f"{kind}.{name}", numbers, possible=possible)
        both.append(numbers)
    return Chances(*both)


def examination_of(chances: ArrayLike, examination: ArrayLike) -> Numbers:
    """(impression, rank): the chance that the document shown there is examined, wherever the policy puts it.

    ``chances`` is (impression, rank shown, rank): the chance that it stands at each rank; ``examination`` is (rank,):
    the chance that a rank is looked at, such as the γ of a position-based click model.
    """
    everywhere, curve = np.asarray(chances, dtype=float), np.asarray(examination, dtype=float)
    if everywhere.ndim != 3 or curve.shape != everywhere.shape[2:]:
        message = f"chances of shape {everywhere.shape} do not fit an examination of shape {curve.shape}"
        raise ParameterError(message, hint="chances are (impression, rank shown, rank), examination is (rank,)")
    check_chances("examination", curve, possible=True)
    return everywhere @ curve


class SlateEstimator(Estimator[Slates]):
    """An estimate from weights of pages or of ranks; ``clip`` lowers weights above it to it."""

    of: ClassVar[Of] = "given"

    clip: Clip = None

    def weight(self, ratio: Numbers) -> Numbers:
        """(impression, rank): the weight of each rank, from the ratios of chances; NaN where they are not known."""
        return ratio

    def earned(self, weight: Numbers, slates: Slates, kept: NDArray[np.bool_]) -> Numbers:
        """(impression,): what is earned, weighed; a rank without a document earns nothing."""
        return (weight * np.nan_to_num(slates.reward[kept])).sum(axis=1)

    def weigh(self, slates: Slates) -> Weighed:
        weight = self.weight(slates.ratio(self.of, self.name))
        kept = ~np.isnan(weight.sum(axis=1))
        check_any(kept)
        weight = weight[kept]
        check_overlap(weight)
        used = weight if self.clip is None else np.minimum(weight, self.clip)
        rows = len(weight)
        return Weighed(
            model=np.zeros(rows),
            weighted=self.earned(used, slates, kept),
            base=np.ones(rows),
            weight=weight,
            used=used,
            user=users_of(slates.user, len(kept), kept),
            dropped=int((~kept).sum()),
            unit=self.of != "examined",
        )


SLATE_ESTIMATORS: Catalogue[SlateEstimator] = Catalogue("slate estimator")
S = TypeVar("S", bound=SlateEstimator)


def slate_estimator(name: str, *, cite: str, aliases: tuple[str, ...] = ()) -> Callable[[type[S]], type[S]]:
    """Give an estimator of pages its name and its source, and list it."""
    return SLATE_ESTIMATORS.declare(name, cite=cite, aliases=aliases)


@slate_estimator("sips", cite="mcinerney2020,horvitz1952")
class SIPS(SlateEstimator):
    """Standard inverse propensity scoring of pages: what a page earns counts as often as the policy would show it.

    It supposes nothing about users; its weights are products over all ranks, and soon very large.
    """

    formula: ClassVar[str] = "mean(Π_k w_k · Σ_k r_k)"

    def weight(self, ratio: Numbers) -> Numbers:
        return np.broadcast_to(ratio.prod(axis=1, keepdims=True), ratio.shape)


@slate_estimator("iips", cite="li2018,mcinerney2020")
class IIPS(SlateEstimator):
    """Independent inverse propensity scoring: what a rank earns depends on the document there, and on no other."""

    formula: ClassVar[str] = "mean(Σ_k w_k r_k)"
    of: ClassVar[Of] = "at_rank"


@slate_estimator("rips", cite="mcinerney2020")
class RIPS(SlateEstimator):
    """Reward interaction inverse propensity scoring: what a rank earns depends on the documents down to it."""

    formula: ClassVar[str] = "mean(Σ_k (Π_{j≤k} w_j) r_k)"

    def weight(self, ratio: Numbers) -> Numbers:
        return ratio.cumprod(axis=1)


@slate_estimator("cascade-dr", cite="kiyohara2022")
class CascadeDR(RIPS):
    """Cascade doubly robust: as ``rips``, with a model of what is earned from each rank down, set right by weights.

    Unbiased where what a rank earns depends on the documents down to it, and propensities or model are right.
    """

    formula: ClassVar[str] = "mean(Σ_k w_{1:k} (r_k − q_k) + w_{1:k−1} Σ_a π_e(a) q_k(a))"
    modelled: ClassVar[bool] = True

    def earned(self, weight: Numbers, slates: Slates, kept: NDArray[np.bool_]) -> Numbers:
        if slates.model is None or slates.expected is None:
            hint = "give model, of what was shown, and expected, of the policy in question; rips needs neither"
            raise ParameterError(f"{self.name} needs a model of the rewards", hint=hint)
        before = np.column_stack((np.ones(len(weight)), weight[:, :-1]))
        error = np.nan_to_num(slates.reward[kept]) - slates.model[kept]
        return (weight * error + before * slates.expected[kept]).sum(axis=1)


@slate_estimator("pbm", cite="li2018", aliases=("position-based",))
class PositionBased(SlateEstimator):
    """Position-based inverse propensity scoring: a document earns the more, the likelier it is examined.

    Clicks come from examination, which depends on the rank alone, and from the document, wherever it stands: a document
    that the policy puts elsewhere counts too.
    """

    formula: ClassVar[str] = "mean(Σ_k r_k Σ_j π_e(d_k at j) γ_j / Σ_j π_b(d_k at j) γ_j)"
    of: ClassVar[Of] = "examined"


def parse_slate_estimators(texts: str | SlateEstimator | Iterable[str | SlateEstimator]) -> list[SlateEstimator]:
    """The estimators of pages of one or many texts, each once: ``"iips rips(clip=10)"``."""
    return parse_listed(SLATE_ESTIMATORS, texts, see="cranfield.online.SLATE_ESTIMATORS")
