"""The study `power`: topics, difference or power, each from the others."""

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import cranfield as cf
from cranfield.core import CranfieldError, ParameterError, ScaleError, Study
from cranfield.stats import Range
from tests.support.reference.t_test_power import power_of_t

drawn = np.random.default_rng(3)
MATRIX = (drawn.random((12, 1)) * 0.6 + drawn.random((12, 4)) * 0.3).round(3)
SCORES: dict[str, Any] = {"topic": [f"t{i}" for i in range(12)]} | dict(zip("abcd", MATRIX.T.tolist(), strict=True))
QRELS = {topic: {"x": 1, "y": 0, "z": 1} for topic in ("1", "2", "3", "4")}
FIRST = {topic: {"x": 3.0, "y": 2.0, "z": 1.0} for topic in QRELS}
SECOND = {"1": {"x": 3.0, "z": 2.0}, "2": {"y": 3.0, "x": 2.0, "z": 1.0}, "3": {"y": 1.0}}
THIRD = {"2": {"x": 3.0}, "3": {"z": 2.0}}


def rows(study: Study, table: str = "power") -> list[dict[str, Any]]:
    return study[table].rows()


def verdict(*arguments: Any, **options: Any) -> dict[str, Any]:
    return dict(cf.power(*arguments, **options).verdict or {})


def power_of_anova(topics: int, runs: int, difference: float, variance: float, level: float = 0.05) -> float:
    """Sakai's one-way design: λ = n D² / 2σ²."""
    df = (runs - 1, runs * (topics - 1))
    return float(stats.ncf.sf(stats.f.isf(level, *df), *df, topics * difference**2 / (2 * variance)))


# From a variance


def test_topics_for_a_difference() -> None:
    found = verdict(variance=0.02, difference=0.05)
    n = next(n for n in range(2, 1000) if power_of_t(n, 0.05, 0.02) >= 0.8)
    assert (found["topics"], found["difference"], found["power"]) == (n, 0.05, 0.8)
    assert found["sentence"] == (
        f"{n} topics show 0.05 (the difference between two runs) with power 0.8 at level 0.05 "
        "(t, variance 0.02 as given)."
    )


def test_the_difference_for_topics() -> None:
    found = verdict(variance=0.02, topics=50, power=0.9, level=0.01)
    assert found["topics"] == 50
    assert power_of_t(50, found["difference"], 0.02, 0.01) == pytest.approx(0.9, abs=1e-6)


def test_the_power_of_both() -> None:
    study = cf.power(variance=0.02, topics=50, difference=0.05)
    assert study.verdict is not None
    assert study.verdict["power"] == pytest.approx(power_of_t(50, 0.05, 0.02))
    assert study["power"].caption == "power to find the difference between two runs of 0.05, variance 0.02"


def test_the_curve_holds_the_answer() -> None:
    study = cf.power(variance=0.02, difference=0.05)
    assert study.verdict is not None
    curve = {row["topics"]: row for row in rows(study)}
    assert study.verdict["topics"] in curve
    assert sorted(curve) == list(curve)
    assert (min(curve), max(curve)) == (2, pytest.approx(2 * study.verdict["topics"], abs=4))
    for topics, row in curve.items():
        assert row["power"] == pytest.approx(power_of_t(topics, 0.05, 0.02), abs=1e-9)
        assert {row["design"], row["level"], row["difference"], row["variance"]} == {"t", 0.05, 0.02}
    assert study.charts == ("power",)
    assert list(study.tables) == ["power"]


def test_the_curve_of_differences() -> None:
    for row in rows(cf.power(variance=0.02, topics=20)):
        if row["topics"] > 3:
            assert power_of_t(row["topics"], row["difference"], 0.02) == pytest.approx(0.8, abs=1e-5)
        assert row["power"] == 0.8


def test_few_topics_have_a_curve_too() -> None:
    assert [row["topics"] for row in rows(cf.power(variance=0.02, topics=2))] == list(range(2, 11))


def test_anova_of_so_many_runs() -> None:
    found = verdict(variance=0.02, difference=0.1, design="anova(runs=10)")
    n = next(n for n in range(2, 1000) if power_of_anova(n, 10, 0.1, 0.02) >= 0.8)
    assert found["topics"] == n
    assert found["design"] == "anova(runs=10)"


def test_an_interval_has_no_power() -> None:
    study = cf.power(variance=0.02, difference=0.05, design="interval")
    assert study.verdict is not None
    n = study.verdict["topics"]
    assert study.verdict["power"] is None
    assert "with power" not in study.sentence
    assert {row["power"] for row in rows(study)} == {None}
    width = {row["topics"]: row["difference"] for row in rows(study)}
    assert width[n] <= 0.05
    # 2 t √(σ²/n), times what a standard deviation falls short of σ on average: nearly 1 by now
    assert 2 * stats.t.isf(0.025, n - 1) * np.sqrt(0.02 / n) == pytest.approx(width[n], rel=0.01)


# From a pilot


def test_the_variance_of_a_pilot() -> None:
    differences = [MATRIX[:, b] - MATRIX[:, a] for a, b in combinations(range(4), 2)]
    mean = float(np.mean([d.var(ddof=1) for d in differences]))
    found = verdict(SCORES, difference=0.05)
    assert found["variance"] == pytest.approx(mean)
    assert found["sentence"].endswith(f"(t, variance {mean:.4g} as the pilot has it).")
    largest = float(np.max([d.var(ddof=1) for d in differences]))
    assert verdict(SCORES, difference=0.05, pilot="largest")["variance"] == pytest.approx(largest)
    within = float(MATRIX.var(axis=0, ddof=1).mean())
    assert verdict(SCORES, difference=0.05, design="anova")["variance"] == pytest.approx(within)


def test_one_pair_of_a_pilot() -> None:
    found = verdict(SCORES, difference=0.05, pair=("d", "b"))
    assert found["variance"] == pytest.approx((MATRIX[:, 1] - MATRIX[:, 3]).var(ddof=1))
    study = cf.power(SCORES, difference=0.05, pair=("d", "b"))
    assert [(row["a"], row["b"]) for row in rows(study, "achieved")] == [("d", "b")]


def test_a_pair_needs_its_own_topics_alone() -> None:
    values = cf.evaluate(QRELS, {"a": FIRST, "b": SECOND, "c": THIRD}, "AP", topics="both")
    # AP of b: 1, (1/2 + 2/3)/2, 0; of a 5/6 in each of these topics
    variance = float(np.var([1 - 5 / 6, 7 / 12 - 5 / 6, -5 / 6], ddof=1))
    study = cf.power(values, pair=("a", "b"), difference=0.5, scale="ignore")
    assert study.verdict is not None
    assert study.verdict["variance"] == pytest.approx(variance)
    assert study["power"].notes == ("1 of 4 topics are left out: some run has no value there",)
    every = cf.power(values, difference=0.5, scale="ignore")
    assert every["power"].notes == ("2 of 4 topics are left out: some run has no value there",)


def test_a_variance_takes_the_place_of_the_pilots() -> None:
    found = verdict(SCORES, difference=0.05, variance=0.02)
    assert found["variance"] == 0.02
    assert found["sentence"].endswith("variance 0.02 as given).")


def test_the_topics_of_the_pilot_count() -> None:
    found = verdict(SCORES)
    assert found["topics"] == 12
    assert power_of_t(12, found["difference"], found["variance"]) == pytest.approx(0.8, abs=1e-6)


@pytest.mark.parametrize(
    ("design", "pair", "named"),
    [
        ("anova", None, "anova(runs=4)"),
        ("anova", ("a", "b"), "anova"),  # two, as it is by itself
        ("anova(runs=9)", None, "anova(runs=9)"),
        ("anova(runs=2)", None, "anova"),
        (Range(runs=6), None, "anova(runs=6)"),
        ("anova(model='two-way')", None, "anova(model='two-way',runs=4)"),
        ("range", None, "anova(runs=4)"),
        ("t", None, "t"),
    ],
    ids=str,
)
def test_the_runs_of_the_pilot_count(design: Any, pair: tuple[str, str] | None, named: str) -> None:
    assert verdict(SCORES, design=design, pair=pair)["design"] == named


def test_what_was_achieved() -> None:
    study = cf.power(SCORES, difference=0.05)
    assert list(study.tables) == ["achieved", "power"]
    for (a, b), row in zip(combinations(range(4), 2), rows(study, "achieved"), strict=True):
        d = MATRIX[:, b] - MATRIX[:, a]
        assert row["topics"] == 12
        assert row["difference"] == pytest.approx(d.mean())
        assert row["power"] == pytest.approx(power_of_t(12, abs(d.mean()), d.var(ddof=1)), abs=1e-8)


def test_values_come_from_runs() -> None:
    values = cf.evaluate(QRELS, {"a": FIRST, "b": SECOND}, "AP P@2")
    assert verdict(values, measure="P@2", difference=0.5)["variance"] > 0
    with pytest.raises(ParameterError) as caught:
        cf.power(values, difference=0.5)
    assert (caught.value.problem, caught.value.hint) == ("which measure?", "there are: AP, P@2")


def test_scale() -> None:
    values = cf.evaluate(QRELS, {"a": FIRST, "b": SECOND}, "AP")
    (note,) = cf.power(values, difference=0.5)["power"].notes
    assert note.startswith("the t design needs interval numbers; AP is ordinal (ferrante2021). ")
    with pytest.raises(ScaleError, match="the t design needs interval numbers"):
        cf.power(values, difference=0.5, scale="refuse")


def test_trec_8(shared_data: Path) -> None:
    found = verdict(shared_data / "score-matrices" / "adhoc8_ap.csv", difference=0.05)
    # The error of the two-way analysis is 85.3502 / 6272; a difference has it twice
    assert found["variance"] == pytest.approx(2 * 85.3502 / 6272, rel=1e-4)
    n = next(n for n in range(2, 1000) if power_of_t(n, 0.05, found["variance"]) >= 0.8)
    assert found["topics"] == n


def test_json_has_no_nan() -> None:
    def never(word: str) -> object:
        raise AssertionError(word)

    for design in ("t", "anova", "interval"):
        found = json.loads(cf.power(SCORES, design=design).to_json(), parse_constant=never)
        columns = ["design", "topics", "level", "power", "difference", "variance"]
        assert all(list(row) == columns for row in found["tables"]["power"])


# What is refused


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({}, "there is no variance to plan with"),
        ({"variance": 0.02}, "there is nothing to solve for"),
        ({"variance": 0.02, "difference": 0.05, "pair": ("a", "b")}, "there is no pilot that the pair could be of"),
        ({"variance": 0.02, "difference": 0.05, "pilot": "median"}, "there is no pilot that median could be of"),
        ({"variance": 0.02, "difference": 0.05, "design": "anov"}, "there is no design named 'anov'"),
        ({"variance": 0.0, "difference": 0.05}, "a variance of 0 is not above 0"),
        ({"variance": 0.02, "difference": -1.0}, "a difference of -1 is not above 0"),
        ({"variance": 0.02, "difference": 0.05, "power": 0.04}, "a power of 0.04 is not between the level 0.05 and 1"),
        ({"variance": 0.02, "difference": 0.05, "power": 1.0}, "a power of 1 is not between the level 0.05 and 1"),
        ({"variance": 0.02, "difference": 0.05, "level": 0.0}, "a level of 0 is not between 0 and 1"),
        ({"variance": 0.02, "topics": 1}, "1 is no number of topics to plan with"),
        ({"variance": 0.02, "topics": 0, "difference": 0.1}, "0 is no number of topics to plan with"),
        ({"variance": 0.02, "difference": 1e-9}, "that needs more than 1,000,000,000 topics"),
        (
            {"variance": 0.02, "difference": 0.05, "topics": 9, "design": "interval"},
            "the interval design has no power to solve for",
        ),
    ],
    ids=str,
)
def test_refused(given: dict[str, Any], problem: str) -> None:
    with pytest.raises(CranfieldError) as caught:
        cf.power(**given)
    assert caught.value.problem == problem
    assert caught.value.hint


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"pair": ("a", "a")}, "a would be compared with itself"),
        ({"pair": ("a", "x")}, "there is no run named x"),
        ({"pilot": "mean"}, "a pilot has no variance 'mean'"),
        ({"measure": "AP"}, "there are no values of AP"),
        ({"variance": 0.0, "difference": 0.1}, "a variance of 0 is not above 0"),
    ],
    ids=str,
)
def test_refused_of_a_pilot(given: dict[str, Any], problem: str) -> None:
    with pytest.raises(CranfieldError) as caught:
        cf.power(SCORES, **given)
    assert caught.value.problem == problem


@pytest.mark.parametrize("scores", [{"a": [0.1, 0.2]}, {"a": [0.1], "b": [0.2]}], ids=["one run", "one topic"])
def test_a_pilot_that_is_too_small(scores: dict[str, list[float]]) -> None:
    with pytest.raises(ParameterError, match="too few to analyse"):
        cf.power(scores, difference=0.05)
