"""Effects of arms beside scipy and arithmetic; what is refused; what is said."""

import gzip
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from cranfield.core import CranfieldError, Direction, ParameterError, Table
from cranfield.online import (
    Check,
    Experiment,
    Metric,
    analyse_experiment,
    confidence_sequence,
    effects_of_arms_table,
    experiment_sentence,
    experiment_tables,
    read_sums,
)
from tests.support.simulations.experiment_users import users

RATIO = Metric("ctr", "clicks", "impressions")


def split(data: pl.DataFrame, *columns: str) -> list[list[np.ndarray]]:
    """The columns of each arm."""
    return [[data.filter(arm=arm)[column].to_numpy().astype(float) for column in columns] for arm in ("a", "b")]


def analysed(data: object, *metrics: str | Metric, **options: object) -> Experiment:
    return analyse_experiment(data, metrics, control="a", user="user", **options)  # type: ignore[arg-type]  # by name


def test_means_are_compared_as_welch_does() -> None:
    data = users(effect=0.3)
    (effect,) = analysed(data, "clicks").effects
    (a,), (b,) = split(data, "clicks")
    expected = stats.ttest_ind(b, a, equal_var=False)
    ends = expected.confidence_interval(0.95)
    assert_allclose([effect.p, effect.low, effect.high], [expected.pvalue, ends.low, ends.high], rtol=1e-9)
    assert_allclose([effect.value_control, effect.value_treatment], [a.mean(), b.mean()])
    assert effect.difference == pytest.approx(b.mean() - a.mean())
    assert effect.relative == pytest.approx(b.mean() / a.mean() - 1)
    assert effect.relative_low < effect.relative < effect.relative_high
    assert effect.users == len(data)
    assert effect.variance_left == pytest.approx(1)


def test_ratios_are_compared_by_the_delta_method() -> None:
    data = users(effect=0.2)
    (effect,) = analysed(data, RATIO).effects
    found = []
    for y, x in split(data, "clicks", "impressions"):
        variance = (
            y.var(ddof=1) / x.mean() ** 2
            + y.mean() ** 2 * x.var(ddof=1) / x.mean() ** 4
            - 2 * y.mean() * np.cov(x, y)[0, 1] / x.mean() ** 3
        )
        found.append((y.sum() / x.sum(), variance / len(y), len(y)))
    (value_a, square_a, n_a), (value_b, square_b, n_b) = found
    error = np.sqrt(square_a + square_b)
    df = error**4 / (square_a**2 / (n_a - 1) + square_b**2 / (n_b - 1))
    assert effect.difference == pytest.approx(value_b - value_a)
    assert effect.p == pytest.approx(2 * stats.t.sf(abs(value_b - value_a) / error, df))
    assert effect.high - effect.low == pytest.approx(2 * stats.t.isf(0.025, df) * error)
    low, high = confidence_sequence(value_b - value_a, error * np.sqrt(n_a + n_b), n_a + n_b, planned=5000)
    assert_allclose([effect.always_low, effect.always_high], [float(low), float(high)])


def test_a_covariate_takes_out_what_was_known_before() -> None:
    data = users(effect=0.2)
    with_before = Metric("clicks", covariate="clicks_before")
    (plain,), (adjusted,) = analysed(data, "clicks").effects, analysed(data, with_before).effects
    (y_a, x_a), (y_b, x_b) = split(data, "clicks", "clicks_before")
    y, x = np.concatenate((y_a, y_b)), np.concatenate((x_a, x_b))
    theta = np.cov(x, y)[0, 1] / x.var(ddof=1)  # deng2013cuped: y' = y − θ (x − x̄)
    a, b = y_a - theta * (x_a - x.mean()), y_b - theta * (x_b - x.mean())
    expected = stats.ttest_ind(b, a, equal_var=False)
    assert adjusted.difference == pytest.approx(b.mean() - a.mean())
    assert adjusted.p == pytest.approx(expected.pvalue)
    squared = a.var(ddof=1) / len(a) + b.var(ddof=1) / len(b)
    whole = y_a.var(ddof=1) / len(a) + y_b.var(ddof=1) / len(b)
    assert adjusted.variance_left == pytest.approx(squared / whole)
    assert adjusted.variance_left < 0.9
    assert adjusted.high - adjusted.low < plain.high - plain.low
    assert adjusted.always_high - adjusted.always_low < plain.always_high - plain.always_low


def test_a_ratio_may_have_a_ratio_as_its_covariate() -> None:
    data = users(3000)
    before = Metric("ctr", "clicks", "impressions", "clicks_before", "impressions_before")
    assert 0 < analysed(data, before).effects[0].variance_left < 1


def test_one_query_serves_an_engine_and_every_frame() -> None:
    import ibis

    data = users()
    base = effects_of_arms_table(analysed(data, "clicks", RATIO, "bought"))
    columns = data.to_dict(as_series=False)
    for form in (ibis.memtable(data), data.to_pandas(), data.to_arrow(), Table(columns), columns):
        assert effects_of_arms_table(analysed(form, "clicks", RATIO, "bought")) == base


def test_only_sums_leave_the_engine() -> None:
    sums = read_sums(users(), [RATIO], arm="arm", user="user")
    assert list(sums) == ["a", "b"]
    assert sums["a"].count() + sums["b"].count() == 400
    assert set(sums["a"].mean_) == {"clicks", "impressions"}


def test_p_values_are_corrected_over_metrics_and_treatments() -> None:
    data = users(600, arms=("a", "b", "c"))
    found = analysed(data, "clicks", "bought").effects
    assert [(effect.treatment, effect.metric.name) for effect in found] == [
        ("b", "clicks"),
        ("b", "bought"),
        ("c", "clicks"),
        ("c", "bought"),
    ]
    raw = np.array([effect.p for effect in found])
    order = raw.argsort()
    holm = np.maximum.accumulate(raw[order] * [4, 3, 2, 1]).clip(max=1)
    assert_allclose(np.array([effect.p_adjusted for effect in found])[order], holm)
    (alone,) = analysed(data, "clicks", treatments=["c"], correct="none").effects
    assert (alone.treatment, alone.p_adjusted) == ("c", alone.p)
    assert alone.p == found[2].p


def test_what_a_user_gets() -> None:
    tables = experiment_tables(analysed(users(), "clicks", weights={"a": 1, "b": 1}))
    assert tables["arms"].columns == ("arm", "users", "share", "expected")
    contract = ("measure", "control", "treatment", "difference", "relative", "low", "high", "p", "p_adjusted")
    assert tables["effects"].columns[: len(contract)] == contract
    assert tables["checks"].columns == ("check", "p", "effect", "passed", "detail")
    assert [row["check"] for row in tables["checks"].rows()] == ["sample ratio"]
    assert "NaN" not in tables["effects"].to_json()


def test_users_who_do_not_differ_say_nothing_of_chance() -> None:
    data = pl.DataFrame({"user": range(4), "arm": list("aabb"), "same": [2, 2, 2, 2], "other": [1, 1, 3, 3]})
    same, other = analysed(data, "same", "other").effects
    assert (same.difference, same.p, same.p_adjusted, same.relative) == (0, 1, 1, 0)
    assert (other.difference, other.relative) == (2, 2)
    assert np.isnan([other.p, other.p_adjusted, other.low, other.always_low]).all()
    assert other.better(0.05) is None


@pytest.mark.parametrize("shift", [-100.0, -5.0])
def test_nothing_is_relative_to_a_control_that_is_not_above_0(shift: float) -> None:
    data = users().with_columns(loss=pl.col("clicks") + shift)
    (effect,) = analysed(data, "loss").effects
    assert np.isnan([effect.relative, effect.relative_low, effect.relative_high]).all()
    assert effect.low < effect.difference < effect.high


def test_lower_may_be_better() -> None:
    data = users(2000, effect=0.6)
    higher, lower = analysed(data, Metric("up", "clicks"), Metric("down", "clicks", direction=Direction.LOWER)).effects
    assert (higher.better(0.05), lower.better(0.05)) == (True, False)


@pytest.mark.parametrize(
    ("change", "options", "said"),
    [
        ({"clicks": None}, {}, "no number in clicks"),
        ({"clicks": np.nan}, {}, "no number in clicks"),
        ({"clicks": np.inf}, {}, "no number in clicks"),
        ({"user": "u1"}, {}, "user u1 is in several arms"),
        ({"user": "u1", "arm": "a"}, {}, "hold 399 users"),
        ({"user": None}, {}, "no user"),
        ({"arm": None}, {}, "no arm"),
        ({}, {"control": "z"}, "arm 'z'"),
        ({}, {"treatments": ["z"]}, "arm 'z'"),
        ({}, {"treatments": ["a"]}, "no treatment"),
        ({}, {"treatments": ["b", "b"]}, "no treatment"),
        ({}, {"treatments": []}, "no treatment"),
        ({}, {"metrics": ["missing"]}, "column 'missing'"),
        ({}, {"metrics": ["user"]}, "holds no numbers"),
        ({}, {"metrics": []}, "no metric"),
        ({}, {"metrics": ["clicks", Metric("clicks")]}, "one name"),
        ({}, {"metrics": [Metric("x", "clicks", "zero")]}, "not above 0"),
        ({}, {"level": 0.0}, "level"),
        ({}, {"planned": 0}, "planned"),
        ({}, {"looks": "often"}, "often"),
        ({}, {"weights": {"a": -1.0, "b": 1.0}}, "no weights"),
        ({}, {"correct": "nobody"}, "nobody"),
        ({"arm": "c"}, {}, "fewer than 2 users"),
    ],
    ids=str,
)
def test_what_is_no_experiment_is_refused(change: dict[str, object], options: dict[str, object], said: str) -> None:
    data = users().with_columns(pl.col("clicks").cast(float), zero=pl.lit(0))
    for column, value in change.items():
        data = pl.concat([data[:-1], data[-1:].with_columns(pl.lit(value).cast(data.schema[column]).alias(column))])
    asked: dict[str, object] = {"metrics": ["clicks"], "control": "a", "user": "user", **options}
    with pytest.raises(CranfieldError, match=said) as caught:
        analyse_experiment(data, **asked)  # type: ignore[arg-type]  # by name
    assert caught.value.hint


def test_what_is_no_metric_or_table_is_refused() -> None:
    with pytest.raises(ParameterError, match="no name"):
        Metric("")
    with pytest.raises(ParameterError, match="no covariate"):
        Metric("x", covariate_denominator="y")
    with pytest.raises(ParameterError, match="no table of users"):
        analyse_experiment(7, ["clicks"], control="a")


def test_better_and_worse_in_words() -> None:
    data = users(4000, effect=0.5)
    said = experiment_sentence(analysed(data, RATIO, Metric("burden", "clicks", direction=Direction.LOWER), "bought"))
    assert said.startswith("b is better than a in ctr (+")
    assert " and worse in burden (+" in said
    assert "; no difference is shown in bought (" in said
    assert said.endswith(").")
    said = experiment_sentence(analysed(data, "bought"))
    assert said.startswith("No difference is shown between b and a in bought (")


def test_who_looks_many_times_is_told_what_holds_each_time() -> None:
    data = users(900, effect=0.25)
    once, many = (analysed(data, RATIO, "clicks", looks=looks, planned=500) for looks in ("once", "many"))
    assert [effect.p for effect in once.effects] == [effect.p for effect in many.effects]
    raw = np.array([effect.always_p for effect in many.effects])
    order = raw.argsort()
    holm = np.maximum.accumulate(raw[order] * [2, 1]).clip(max=1)
    assert_allclose(np.array([effect.p_adjusted for effect in many.effects])[order], holm)
    assert all(b.p_adjusted > a.p_adjusted for a, b in zip(once.effects, many.effects, strict=True))
    (first, _), said = many.effects, experiment_sentence(many)
    low, high = (f"{end:+.3g}".replace("-", "−") for end in (first.always_low, first.always_high))
    assert f"ctr ({first.difference:+.3g}, 97.5% CI [{low}, {high}], p = " in said


@pytest.mark.parametrize("correct", ["holm", "bonferroni", "bh"])
def test_intervals_are_corrected_as_p_is(correct: str) -> None:
    data = users(effect=0.3)
    found = analysed(data, "clicks", "bought", RATIO, correct=correct)
    assert found.tests == 3
    assert found.interval_level == pytest.approx(0.05 / 3)
    for effect in found.effects[:2]:
        (a,), (b,) = split(data, effect.metric.name)
        ends = stats.ttest_ind(b, a, equal_var=False).confidence_interval(1 - 0.05 / 3)
        assert_allclose([effect.low, effect.high], [ends.low, ends.high], rtol=1e-9)
    raw = analysed(data, "clicks", "bought", RATIO, correct="none")
    assert raw.interval_level == 0.05
    for wide, narrow in zip(found.effects, raw.effects, strict=True):
        assert wide.p == narrow.p
        assert wide.low < narrow.low < narrow.high < wide.high
        assert wide.relative_low < narrow.relative_low < narrow.relative_high < wide.relative_high
        assert wide.always_low < narrow.always_low < narrow.always_high < wide.always_high


@pytest.mark.parametrize("looks", ["once", "many"])
def test_0_is_outside_where_the_bonferroni_p_is_significant(looks: str) -> None:
    shown = []
    for effect in np.linspace(0, 0.4, 15):
        data = users(900, effect=effect)
        found = analysed(data, RATIO, "clicks", "bought", correct="bonferroni", looks=looks, planned=500)
        for one in found.effects:
            low, high = (one.low, one.high) if looks == "once" else (one.always_low, one.always_high)
            assert (low > 0 or high < 0) == (one.p_adjusted <= 0.05)
            shown.append(one.p_adjusted <= 0.05)
    assert 0 < sum(shown) < len(shown)


def test_an_effect_without_p_is_not_in_the_family_of_intervals() -> None:
    data = users(900, effect=0.2).with_columns(fixed=pl.when(pl.col("arm") == "b").then(1.0).otherwise(2.0))
    found = analysed(data, "fixed", "clicks")
    assert (found.tests, found.interval_level) == (1, 0.05)
    (a,), (b,) = split(data, "clicks")
    ends = stats.ttest_ind(b, a, equal_var=False).confidence_interval(0.95)
    assert_allclose([found.effects[1].low, found.effects[1].high], [ends.low, ends.high], rtol=1e-9)


def test_a_significant_effect_whose_bonferroni_interval_contains_0_is_noted() -> None:
    # Holm leaves the larger p as it is, Bonferroni doubles it.
    for effect in np.linspace(0.1, 0.4, 31):
        found = analysed(users(900, effect=effect), RATIO, "clicks")
        contradictory = [one for one in found.effects if one.p_adjusted <= 0.05 and one.low <= 0 <= one.high]
        assert len(effects_of_arms_table(found).notes) == len(contradictory)
        if contradictory:
            return
    pytest.fail("no such effect")


def test_what_users_within_an_arm_agree_on_is_said_so() -> None:
    data = {"user": [1, 2, 3, 4], "arm": list("aabb"), "other": [1, 1, 3, 3]}
    said = experiment_sentence(analysed(data, "other"))
    assert said == "No difference is shown between b and a in other (+2, users within an arm do not differ)."


def test_an_experiment_that_lost_users_is_not_trusted() -> None:
    data = users(4000, effect=0.5)
    kept = data.filter((pl.col("arm") == "a") | (pl.col("clicks") > 2))
    found = analysed(kept, RATIO)
    assert not found.trusted
    assert experiment_sentence(found).startswith("Do not trust this experiment: users are not shared out as configured")
    leak = analysed(data, RATIO, weights={"a": 1, "b": 1, "c": 0})
    assert leak.trusted
    assert [(check.check, check.passed) for check in leak.checks] == [("sample ratio", True), ("leak", True)]


def test_users_of_an_arm_that_was_to_have_none_are_a_leak() -> None:
    data = users(600, arms=("a", "b", "c"))
    found = analysed(data, RATIO, weights={"a": 1, "b": 1})
    assert {effect.treatment for effect in found.effects} == {"b"}
    leaked = (data["arm"] == "c").sum()
    assert experiment_sentence(found).startswith(f"Do not trust this experiment: {leaked} users are in c, which")
    assert [check.passed for check in found.checks] == [True, False]


def test_a_check_from_elsewhere_counts_too() -> None:
    found = analysed(users(), RATIO, checks=[Check("A/A of ctr", 1e-9, 0.1, passed=False)])
    assert not found.trusted
    assert experiment_sentence(found) == "Do not trust this experiment: it fails a check of A/A of ctr."


def test_cookie_cats(shared_data: Path) -> None:
    data = pl.read_csv(gzip.decompress((shared_data / "ab-cookiecats" / "cookie_cats.csv.gz").read_bytes()))
    found = analyse_experiment(
        data, ["retention_1", "retention_7"], control="gate_30", arm="version", user="userid", correct="none"
    )
    # INDEX of the data: 44,700 users with 20,034 and 8,502; 45,489 with 20,119 and 8,279.
    assert found.ratio.users.tolist() == [44_700, 45_489]
    for effect, (a, b) in zip(found.effects, [(20_034, 20_119), (8_502, 8_279)], strict=True):
        assert effect.value_control == pytest.approx(a / 44_700)
        assert effect.value_treatment == pytest.approx(b / 45_489)
    assert found.ratio.p == pytest.approx(stats.chisquare([44_700, 45_489]).pvalue)
    assert "The shares of users are odd: gate_30 has 49.56 % of them" in experiment_sentence(found)


@pytest.mark.parametrize("covariate", [None, "before"])
def test_a_metric_around_zero_has_a_difference_and_no_relative_one(covariate: str | None) -> None:
    random = np.random.default_rng(4)
    before = random.normal(size=400)
    value = before * (covariate is not None) + random.normal(size=400)
    arm = np.repeat(["a", "b"], 200)
    value[:200] -= value[:200].mean()
    (effect,) = analyse_experiment(
        {"arm": arm, "x": value, "before": before}, Metric("x", covariate=covariate), control="a"
    ).effects
    if covariate:
        both = np.concatenate([value - value.mean(), before - before.mean()]).reshape(2, -1)
        value = value - (both[0] @ both[1]) / (both[1] @ both[1]) * (before - before.mean())
    known = stats.ttest_ind(value[200:], value[:200], equal_var=False)
    ends = known.confidence_interval(0.95)
    assert (effect.p, effect.low, effect.high) == pytest.approx((known.pvalue, ends.low, ends.high), rel=1e-9)
    assert effect.difference == pytest.approx(value[200:].mean() - value[:200].mean(), rel=1e-9)
    assert effect.value_control == pytest.approx(value[:200].mean(), abs=1e-12)
