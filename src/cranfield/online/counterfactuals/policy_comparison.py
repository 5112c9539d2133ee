"""Compare the estimated reward of each policy with the observed reward of the log."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from statistics import NormalDist
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield.core import SEED, CranfieldError, ParameterError, Table, UnknownName, listed
from cranfield.data import Choices
from cranfield.online.experiments.sample_ratio_checks import Check
from cranfield.online.logs.trust_checks import doubts, excluded_rows_checks
from cranfield.stats import LEVEL, Holm, interval_level

from .estimates import DRAWS, MIN_ESS, Estimate, Estimator, Kind, Numbers, Weighed
from .reward_checks import reward_checks
from .row_estimators import IPS, Logged, parse_estimators
from .slate_estimators import IIPS, SIPS, Slates, parse_slate_estimators
from .slate_estimators import Chances as Pages

Parser: TypeAlias = Callable[[Any], Sequence[Estimator[Any]]]
Propensity: TypeAlias = Literal["given", "at-rank", "counted"]
PROPENSITIES: dict[Propensity, str] = {
    "given": "the chance of a document at its rank, given those above it",
    "at-rank": "its chance there, whatever stands above it",
    "counted": "none is logged: how often its topic has it there counts, whatever stands above it",
}
BETTER = ("policy", "estimator", "value", "logged", "difference", "relative", "low", "high", "p", "p_adjusted")


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """A policy beside the log: what it would have earned for each impression, and how much more that is."""

    policy: str
    estimate: Estimate
    logged: float
    difference: float
    low: float
    high: float
    p: float  # that they earn the same


def known_policies(choices: Choices) -> Sequence[str]:
    """The policies that a log knows, refused where there are none or the log's own chances are not known."""
    if not choices.policies:
        hint = "name a column with its chances to show the same (--policy), or a run (--run)"
        raise ParameterError(f"there is no policy to hold against {choices.source.name}", hint=hint)
    if choices.propensity is None:
        hint = "add the chance with which each document was shown, or have it counted: --propensity counted"
        raise ParameterError(f"{choices.source.name} has no column propensity", hint=hint)
    return tuple(choices.policies)


def seen_by(choices: Choices, policy: str | None, propensity: Propensity) -> Logged | Slates:
    """The log as a policy sees it; None: the one that made it."""
    known_policies(choices)
    own: Any = choices.propensity
    target = np.nan_to_num(own) if policy is None else choices.policies[policy]
    model, expected = (choices.model, choices.expected.get(policy)) if policy is not None else (None, None)
    if not choices.pages:
        return Logged(choices.reward, own, target, model, expected, choices.user)
    first = np.flatnonzero(choices.rank == 1)

    def paged(column: Numbers | None) -> NDArray[Any]:
        """(impression, rank): NaN where there is no document."""
        pages = np.full((choices.impressions, int(choices.rank.max())), np.nan)
        if column is not None:
            pages[choices.impression, choices.rank - 1] = column
        return pages

    chances = Pages(paged(own), paged(target))
    return Slates(
        paged(choices.reward),
        given=chances if propensity == "given" else None,
        at_rank=None if propensity == "given" else chances,
        model=None if model is None else paged(model),
        expected=None if expected is None else paged(expected),
        user=None if choices.user is None else choices.user[first],
    )


def estimators_for(choices: Choices, texts: Any, propensity: Propensity) -> Sequence[Estimator[Any]]:
    """The estimators of texts, or those that suit a log: the one that counts first."""
    modelled = choices.model is not None and bool(choices.expected)
    parse: Parser
    other: Parser
    if choices.pages:
        usual = "iips" if propensity != "given" else "cascade-dr rips sips" if modelled else "rips sips"
        parse, other, of, hint = parse_slate_estimators, parse_estimators, "single documents", "this log has pages"
    else:
        usual = "dr sndr switch-dr dm snips ips" if modelled else "snips ips"
        parse, other, of = parse_estimators, parse_slate_estimators, "pages of several documents"
        hint = "this log has no impressions with ranks"
    try:
        return parse(texts or usual)
    except UnknownName:
        if name := _first(other, texts):
            raise ParameterError(f"{name} is an estimator of {of}", hint=f"{hint}: choose another") from None
        raise


def _first(parse: Parser, texts: Any) -> str:
    """The name of the first estimator, if these are estimators."""
    try:
        return parse(texts)[0].name
    except CranfieldError:
        return ""


def hold_beside(
    choices: Choices,
    estimators: Sequence[Estimator[Any]],
    *,
    propensity: Propensity = "given",
    level: float = LEVEL,
    interval: Kind = "normal",
    draws: int = DRAWS,
    seed: int = SEED,
) -> list[Beside]:
    """Every policy by every estimator, beside what the same users gave the log: the difference is of pairs."""
    logged = seen_by(choices, None, propensity)
    mean: Estimator[Any] = IPS() if isinstance(logged, Logged) else SIPS() if propensity == "given" else IIPS()
    own = mean.weigh(logged)
    each = interval_level(level, len(known_policies(choices)), Holm())  # policies are corrected for their number
    reach = NormalDist().inv_cdf(1 - each / 2)
    asked: Any = {"level": level, "interval": interval, "draws": draws, "seed": seed}
    found = []
    for policy in known_policies(choices):
        view = seen_by(choices, policy, propensity)
        for estimator in estimators:
            estimate, weighed = _estimated(policy, estimator, view, asked)
            apart, error = estimate.value - own.value, weighed.error_of_mean(weighed.moved - own.moved)
            low, high = apart - reach * error, apart + reach * error
            p = 2 * NormalDist().cdf(-abs(apart) / error) if error > 0 else float("nan") if apart else 1.0
            if asked["interval"] == "bootstrap":  # one seed draws the same users for both
                drawn = weighed.resample(asked["draws"], asked["seed"]) - own.resample(asked["draws"], asked["seed"])
                low, high = np.nanquantile(drawn, [each / 2, 1 - each / 2]).tolist()
                p = _bootstrap_p(drawn[~np.isnan(drawn)]) if error > 0 else p
            ends = {"low": low, "high": high, "p": p}
            found.append(Beside(policy=policy, estimate=estimate, logged=own.value, difference=apart, **ends))
    return found


def _bootstrap_p(drawn: NDArray[np.float64]) -> float:
    """Return the p-value that belongs to the percentile interval: twice the smaller proportion beyond 0."""
    beyond = min((drawn <= 0).sum(), (drawn >= 0).sum())
    return float(min(1.0, 2 * (beyond + 1) / (len(drawn) + 1)))


def _estimated(policy: str, estimator: Estimator[Any], view: Any, asked: Any) -> tuple[Estimate, Weighed]:
    """What an estimator says, and of which weights; where it has nothing to say, of which policy."""
    try:
        return estimator.estimate(view, **asked), estimator.weigh(view)
    except ParameterError as error:
        raise ParameterError(f"{policy}: {error.problem}", hint=error.hint) from None


def by_policy(found: Sequence[Beside]) -> Mapping[str, Sequence[Estimate]]:
    """The estimates of each policy."""
    policies = dict.fromkeys(one.policy for one in found)
    return {policy: [one.estimate for one in found if one.policy == policy] for policy in policies}


def policies_table(found: Sequence[Beside]) -> Table:
    """Return how much more each policy would have earned than the log did.

    p is corrected by Holm over policies, and the intervals of ``hold_beside`` by Bonferroni.
    """
    several = len({one.estimate.estimator for one in found})
    p = np.array([one.p for one in found]).reshape(-1, several)  # (policy, estimator)
    adjusted = np.column_stack([Holm().adjust(column) for column in p.T]).ravel()
    rows = [
        {"policy": one.policy, "estimator": one.estimate.estimator, "value": one.estimate.value}
        | {name: getattr(one, name) for name in ("logged", "difference", "low", "high", "p")}
        | {"relative": one.difference / one.logged if one.logged else np.nan, "p_adjusted": raised}
        for one, raised in zip(found, adjusted.tolist(), strict=True)
    ]
    made = Table.from_rows(rows, BETTER, caption="each policy beside the log, for each impression")
    return Table(made.data, made.caption, ends={"difference": ("low", "high")})


def policies_verdict(
    compared: Sequence[Beside], choices: Choices | None = None, *, level: float = LEVEL
) -> dict[str, Any]:
    """Return which policy would have earned most by the first estimator, and whether it is better than the log.

    The verdict is not ``trusted`` where the weights of a policy do not average 1 (p < 0.001), where a few impressions
    carry its estimate or, of ``choices``, where a check of the rewards or of the excluded rows fails.
    """
    table, name = policies_table(compared), compared[0].estimate.estimator
    rows = [row for row in table.rows() if row["estimator"] == name]
    several = [one for one in compared if one.estimate.estimator == name]
    first = max(range(len(rows)), key=lambda i: float(str(rows[i]["value"])))
    best: Any = rows[first]
    estimate = several[first].estimate
    differs = best["p_adjusted"] is not None and best["p_adjusted"] <= level and not estimate.few_impressions
    better = "neither" if not differs else "policy" if best["difference"] > 0 else "log"
    who = best["policy"] if len(rows) == 1 else f"Of {len(rows)} policies {best['policy']} does best: it"
    sentence = f"{who} would have earned {estimate.value:.4g} for each impression by {name}; the log earned"
    sentence += f" {best['logged']:.4g}, {_size(best, differs=differs, reliable=not estimate.few_impressions)}."
    checks = weight_checks(several)
    if choices is not None:
        checks += (*reward_checks(choices), *excluded_rows_checks(choices.excluded))
    sentence = " ".join(filter(None, (sentence, doubts(checks))))
    trusted = all(check.passed for check in checks)
    return {"policy": best["policy"], "estimator": name, "better": better, "trusted": trusted, "sentence": sentence}


def weight_checks(several: Sequence[Beside]) -> tuple[Check, ...]:
    """Check that weights average 1, as they do where propensities are right, and that many impressions have weight."""
    estimates = [one.estimate for one in several]
    wrong = [one for one in several if one.estimate.wrong_weights]
    few = [one for one in several if one.estimate.few_impressions]
    p, effect = min(one.mean_weight_p for one in estimates), max(abs(one.mean_weight - 1) for one in estimates)
    share = max(one.largest_share for one in estimates)
    return (
        Check("mean weight", p, effect, not wrong, _weights_off_one(wrong) if wrong else ""),
        Check("impressions with weight", nan, share, not few, _few_impressions(few) if few else ""),
    )


def _weights_off_one(wrong: Sequence[Beside]) -> str:
    """Return a clause on weights that do not average 1."""
    means = listed([f"{one.estimate.mean_weight:.3f} for {one.policy}" for one in wrong])
    advice = "check the propensities, and whether the log shows everything that the policy shows"
    return f"weights should average 1, and average {means} ({advice})"


def _few_impressions(few: Sequence[Beside]) -> str:
    """Return a clause on estimates that a few impressions carry."""
    clauses = []
    for one in few:
        worth = f"{one.estimate.used_ess:.0f} of {one.estimate.rows:,} impressions"
        largest = f"{one.estimate.largest_share:.1%} of their sum"
        clauses.append(f"the weights of {one.policy} are worth {worth}, and the largest is {largest}")
    advice = " (look for small propensities)" if any(one.estimate.rows >= MIN_ESS for one in few) else ""
    return f"{' and '.join(clauses)}{advice}"


def _size(row: Mapping[str, Any], *, differs: bool, reliable: bool) -> str:
    if row["p_adjusted"] is None or row["low"] is None:
        return "and how sure that is cannot be said of one user"
    ends = f"(difference {row['difference']:+.4g}, {row['low']:+.4g} to {row['high']:+.4g})"
    if not reliable:
        return f"and the interval of the difference is not reliable {ends}"
    size = "less" if row["difference"] > 0 else "more"
    return f"which is {size} {ends}" if differs else f"which cannot be told from it {ends}"
