"""Effects of each treatment arm on each metric, compared with the control arm."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isclose, isnan, nan, sqrt
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from cranfield.core import Direction, ParameterError
from cranfield.stats import (
    CORRECTIONS,
    LEVEL,
    Correction,
    check_level,
    family_confidence,
    interval_level,
    parse_method,
)

from .sample_ratio_checks import Check, SampleRatio, sample_ratio
from .sequential_tests import PLANNED, always_valid_p, confidence_sequence
from .user_metrics import Metric, check_sums, parse_metrics, read_sums

if TYPE_CHECKING:
    from tea_tasting.aggr import Aggregates
    from tea_tasting.metrics import MeanResult

Looks: TypeAlias = Literal["once", "many"]
LOOKS: tuple[Looks, ...] = ("once", "many")
NOTHING = 1e-9  # standard deviations


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmEffect:
    """What one treatment changes in one metric; NaN where there is no such number."""

    metric: Metric
    control: str
    treatment: str
    users: int  # of both arms
    value_control: float
    value_treatment: float
    difference: float  # treatment − control
    low: float = nan
    high: float = nan
    relative: float = nan  # to the value of the control
    relative_low: float = nan
    relative_high: float = nan
    p: float = nan
    p_adjusted: float = nan
    always_low: float = nan  # the ends of the difference that hold at every look
    always_high: float = nan
    always_p: float = nan
    variance_left: float = nan  # the share of the variance that a covariate leaves; 1 without one

    def better(self, level: float) -> bool | None:
        """Whether the treatment is shown to be better, or worse (False); None where nothing is shown."""
        if not self.p_adjusted <= level or not self.difference:
            return None
        return (self.difference > 0) == (self.metric.direction is Direction.HIGHER)


@dataclass(frozen=True, slots=True, eq=False)
class Experiment:
    """What an experiment says."""

    control: str
    ratio: SampleRatio
    effects: tuple[ArmEffect, ...]
    level: float
    planned: float
    correct: Correction
    looks: Looks
    checks: tuple[Check, ...]  # the sample ratio, a leak, and what else was asked
    tests: int = 1  # p-values that were corrected together

    @property
    def confidence(self) -> str:
        """How the intervals are named, such as "97.5% CI (95% together, Bonferroni over 2 tests)"."""
        return family_confidence(self.level, self.tests, self.correct)

    @property
    def interval_level(self) -> float:
        """The level of each interval."""
        return interval_level(self.level, self.tests, self.correct)

    @property
    def trusted(self) -> bool:
        """Whether nothing speaks against believing it."""
        return all(check.passed for check in self.checks)


def analyse_experiment(
    data: Any,
    metrics: Sequence[str | Metric] | str | Metric,
    *,
    control: str,
    treatments: Sequence[str] | None = None,
    arm: str = "arm",
    user: str | None = None,
    weights: Mapping[str, float] | None = None,
    level: float = LEVEL,
    planned: float = PLANNED,
    correct: str | Correction = "holm",
    looks: Looks = "once",
    checks: Sequence[Check] = (),
    unit: str = "user",
) -> Experiment:
    """Compare each treatment with the control in every metric, from one row for each user.

    ``data`` is an Ibis table, of which only sums leave the engine, or a frame. ``user`` names the column of users: then
    it is made sure that none is there twice. ``weights`` say how much of the users each arm was configured to have;
    without them all as many. Means are compared by Welch's test, ratios of means by the same on the delta method, both
    after CUPED where a metric has a covariate; p-values are corrected over all metrics and treatments, and all
    intervals are Bonferroni intervals of the same family unless nothing is corrected. Beside the
    interval for one look stands one for looking whenever one likes, tightest at ``planned`` users of the two arms; with
    ``looks="many"`` its p-values are those that are corrected, and a verdict may be read on any day. ``unit`` is what a
    row stands for. Arms are assigned to users, so the sample ratio of sessions or impressions is not checked.
    """
    check_level(level)
    if looks not in LOOKS:
        raise ParameterError(f"looks cannot be {looks!r}", hint=f"choose one of: {', '.join(LOOKS)}")
    asked = parse_metrics(metrics)
    correction = parse_method(CORRECTIONS, correct)
    sums = read_sums(data, asked, arm=arm, user=user)
    others = _treatments(sums, control, treatments, weights)
    configured = dict.fromkeys(sums, 1.0) if weights is None else {**dict.fromkeys(sums, 0.0), **weights}
    users = [sums[name].count() if name in sums else 0 for name in configured]
    ratio = sample_ratio(users, list(configured.values()), list(configured))
    ratio = ratio if unit == "user" else replace(ratio, p=nan)

    def compare(tests: int) -> list[ArmEffect]:
        each = interval_level(level, tests, correction)
        return [
            compare_arms(metric, sums, control, other, level=each, planned=planned)
            for other in others
            for metric in asked
        ]

    effects = compare(len(others) * len(asked))
    tests = sum(not isnan(effect.p) for effect in effects)
    if tests < len(effects):  # those without a p-value are not in the family
        effects = compare(tests)
    adjusted = correction.adjust(np.array([effect.p if looks == "once" else effect.always_p for effect in effects]))
    corrected = tuple(replace(effect, p_adjusted=float(p)) for effect, p in zip(effects, adjusted, strict=True))
    return Experiment(control, ratio, corrected, level, planned, correction, looks, (*ratio.checks, *checks), tests)


def compare_arms(
    metric: Metric,
    sums: Mapping[str, "Aggregates"],
    control: str,
    treatment: str,
    *,
    level: float = LEVEL,
    planned: float = PLANNED,
) -> ArmEffect:
    """What one treatment changes in one metric, its p-value not yet corrected."""
    a, b = sums[control], sums[treatment]
    for name in (control, treatment):
        check_sums(metric, sums[name], f"arm {name!r}")
    users = a.count() + b.count()
    coefficient = metric.coefficient(a + b)
    error = sqrt(metric.variance(a, coefficient) / a.count() + metric.variance(b, coefficient) / b.count())
    about: dict[str, Any] = {"metric": metric, "control": control, "treatment": treatment, "users": users}
    if not error:
        return _certain(about, metric.value(a), metric.value(b))
    found, raised = _tested(metric, a, b, coefficient, level)
    looks: dict[str, Any] = {"error": error * sqrt(users), "n": users, "level": level, "planned": planned}
    low, high = confidence_sequence(found.effect_size, **looks)
    least = NOTHING * sqrt(metric.variance(a))  # relative to what is 0 but for rounding there is nothing
    above, both = not raised and found.control > least, not raised and min(found.control, found.treatment) > least
    return ArmEffect(
        **about,
        value_control=float(found.control) - raised,
        value_treatment=float(found.treatment) - raised,
        difference=float(found.effect_size),
        low=float(found.effect_size_ci_lower),
        high=float(found.effect_size_ci_upper),
        relative=float(found.rel_effect_size) if above else nan,
        relative_low=float(found.rel_effect_size_ci_lower) if both else nan,
        relative_high=float(found.rel_effect_size_ci_upper) if both else nan,
        p=float(found.pvalue),
        always_low=float(low),
        always_high=float(high),
        always_p=float(always_valid_p(found.effect_size, **looks)),
        variance_left=error**2 / (metric.variance(a) / a.count() + metric.variance(b) / b.count()),
    )


def _tested(
    metric: Metric, a: "Aggregates", b: "Aggregates", coefficient: float, level: float
) -> tuple["MeanResult", float]:
    """What tea-tasting says of two arms, and by how much their values were raised for it.

    It looks at ratios too, which do not exist near 0: there both arms are raised by the same, and differ as before.
    """
    from tea_tasting.aggr import Aggregates
    from tea_tasting.metrics import RatioOfMeans

    settings: Any = {"alternative": "two-sided", "confidence_level": 1 - level, "equal_var": False, "use_t": True}
    columns = (metric.numerator, metric.denominator, metric.covariate, metric.covariate_denominator)
    with np.errstate(all="ignore"):  # relative to 0 there is nothing
        try:
            return RatioOfMeans(*columns, **settings).analyze_aggregates(a, b), 0.0
        except OverflowError:
            values = [metric.adjusted(one, a + b, coefficient) for one in (a, b)]
            variances = [metric.variance(one, coefficient) for one in (a, b)]
            raised = sqrt(max(variances)) + max(map(abs, values))
            arms = [
                Aggregates(one.count(), {"value": value + raised}, {"value": variance}, {})
                for one, value, variance in zip((a, b), values, variances, strict=True)
            ]
            return RatioOfMeans("value", **settings).analyze_aggregates(*arms), raised


def _certain(about: dict[str, Any], a: float, b: float) -> ArmEffect:
    """The effect where users do not differ within arms, so that nothing is known of chance."""
    b = a if isclose(a, b, rel_tol=NOTHING) else b
    p = 1.0 if a == b else nan
    relative = b / a - 1 if a > 0 else nan
    return ArmEffect(**about, value_control=a, value_treatment=b, difference=b - a, relative=relative, p=p, always_p=p)


def _treatments(
    sums: Mapping[str, object], control: str, treatments: Sequence[str] | None, weights: Mapping[str, float] | None
) -> list[str]:
    """The arms beside the control: those that are named, or all with a weight above 0."""
    planned = [name for name in sums if weights is None or weights.get(name, 0) > 0]
    named = [name for name in planned if name != control] if treatments is None else list(treatments)
    missing = [name for name in (control, *named) if name not in sums]
    if missing:
        raise ParameterError(f"no user is in an arm {missing[0]!r}", hint=f"there are: {', '.join(sums)}")
    if not named or control in named or len(set(named)) < len(named):
        hint = f"name other arms than {control}, each once; there are: {', '.join(sums)}"
        if len(sums) == 1:
            hint = f"all users are in the arm {control}; an experiment has two or more"
        raise ParameterError("there is no treatment to compare", hint=hint)
    return named
