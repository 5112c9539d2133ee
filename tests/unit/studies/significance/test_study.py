"""The study `test`: what is asked of which pairs, and what is said of it."""

import json
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats

import cranfield as cf
from cranfield.core import CranfieldError, ParameterError, ScaleError, Study
from cranfield.data import read_replicates
from cranfield.stats import TESTS, T

RUNS: dict[str, list[float]] = {
    "a": [0.10, 0.35, 0.20, 0.55, 0.40, 0.05, 0.30, 0.25],
    "b": [0.30, 0.45, 0.35, 0.60, 0.70, 0.25, 0.30, 0.45],
    "c": [0.20, 0.30, 0.15, 0.70, 0.35, 0.10, 0.20, 0.40],
}
SCORES: dict[str, Any] = {"topic": [f"t{i}" for i in range(8)]} | RUNS
PAIRS = list(combinations(RUNS, 2))
QRELS = {topic: {"x": 1, "y": 0, "z": 1} for topic in ("1", "2", "3")}
FIRST = {topic: {"x": 3.0, "y": 2.0, "z": 1.0} for topic in ("1", "2", "3")}
SECOND = {"1": {"x": 3.0, "z": 2.0, "y": 1.0}, "2": {"y": 3.0, "x": 2.0, "z": 1.0}}
THIRD = {"3": {"x": 3.0, "z": 2.0}}


def rows(study: Study, table: str = "tests") -> list[dict[str, Any]]:
    return study[table].rows()


def strict(study: Study) -> dict[str, Any]:
    """The JSON object, refused where it holds what is no number."""

    def never(word: str) -> object:
        raise AssertionError(word)

    found: dict[str, Any] = json.loads(study.to_json(), parse_constant=never)
    return found


def holm(p: Sequence[float]) -> list[float]:
    """By hand: the smallest times n, the next times n − 1, none below the one before, none above 1."""
    order = sorted(range(len(p)), key=lambda i: p[i])
    adjusted, least = [0.0] * len(p), 0.0
    for place, i in enumerate(order):
        least = max(least, (len(p) - place) * p[i])
        adjusted[i] = min(1.0, least)
    return adjusted


# What is asked


def test_all_pairs_by_t_and_sign() -> None:
    found = rows(cf.test(SCORES))
    assert [(row["a"], row["b"]) for row in found] == PAIRS * 2
    for (a, b), t, sign in zip(PAIRS, found[:3], found[3:], strict=True):
        peer = stats.ttest_rel(RUNS[b], RUNS[a])
        low, high = peer.confidence_interval(1 - 0.05 / 3)  # of three pairs together
        assert (t["measure"], t["test"], t["n"]) == ("score", "t", 8)
        assert t["difference"] == pytest.approx(np.mean(RUNS[b]) - np.mean(RUNS[a]))
        assert (t["statistic"], t["p"]) == pytest.approx((peer.statistic, peer.pvalue))
        assert (t["low"], t["high"]) == pytest.approx((low, high))
        ahead = sum(y > x + 1e-9 for x, y in zip(RUNS[a], RUNS[b], strict=True))
        decided = sum(abs(y - x) > 1e-9 for x, y in zip(RUNS[a], RUNS[b], strict=True))
        assert (sign["n"], sign["statistic"], sign["effect"]) == (decided, ahead, ahead / decided)
        assert sign["p"] == pytest.approx(stats.binomtest(ahead, decided).pvalue)
    for test in (found[:3], found[3:]):
        assert [row["p_adjusted"] for row in test] == pytest.approx(holm([row["p"] for row in test]))


def test_values_come_from_anywhere(tmp_path: Path) -> None:
    file = tmp_path / "scores.csv"
    pl.DataFrame(SCORES).write_csv(file)
    pl.DataFrame(SCORES).write_parquet(tmp_path / "scores.parquet")
    wanted = rows(cf.test(SCORES))
    for given in (
        file,
        str(file),
        tmp_path / "scores.parquet",
        pl.DataFrame(SCORES),
        pd.DataFrame(SCORES),
        cf.read_scores(SCORES),
    ):
        assert rows(cf.test(given)) == wanted


def test_values_come_from_runs() -> None:
    values = cf.evaluate(QRELS, {"first": FIRST, "second": SECOND}, "AP P@2")
    found = rows(cf.test(values, "t"))
    assert [(row["measure"], row["n"]) for row in found] == [("AP", 3), ("P@2", 3)]
    # AP: 5/6 in every topic, and 1, (1/2 + 2/3)/2, 0; P@2: 1/2 in every topic, and 1, 1/2, 0
    peer = stats.ttest_rel([1, 7 / 12, 0], [5 / 6] * 3)
    assert (found[0]["difference"], found[0]["p"]) == pytest.approx((19 / 36 - 5 / 6, peer.pvalue))
    assert found[1]["difference"] == pytest.approx(0.0)


def test_a_baseline_is_a() -> None:
    found = rows(cf.test(SCORES, "t", baseline="b"))
    assert [(row["a"], row["b"]) for row in found] == [("b", "a"), ("b", "c")]
    assert found[0]["p"] == pytest.approx(stats.ttest_rel(RUNS["a"], RUNS["b"]).pvalue)
    assert found[0]["difference"] < 0
    assert [row["p_adjusted"] for row in found] == pytest.approx(holm([row["p"] for row in found]))


def test_each_run_is_tested_against_each_of_several_baselines() -> None:
    four = SCORES | {"d": [0.5, 0.1, 0.6, 0.4, 0.2, 0.3, 0.6, 0.1]}
    found = rows(cf.test(four, "t", baseline=["c", "a"]))
    assert [(row["a"], row["b"]) for row in found] == [("c", "b"), ("c", "d"), ("a", "b"), ("a", "d")]
    assert found[0]["p"] == pytest.approx(stats.ttest_rel(RUNS["b"], RUNS["c"]).pvalue)
    assert [row["p_adjusted"] for row in found] == pytest.approx(holm([row["p"] for row in found]))
    assert rows(cf.test(four, "t", baseline=["a", "a"])) == rows(cf.test(four, "t", baseline="a"))


def test_given_pairs_are_the_family() -> None:
    found = rows(cf.test(SCORES, "t", pairs=[("c", "a"), ("a", "b")], correct="bonferroni"))
    assert [(row["a"], row["b"]) for row in found] == [("c", "a"), ("a", "b")]
    assert [row["p_adjusted"] for row in found] == pytest.approx([min(1, 2 * row["p"]) for row in found])
    assert all("; bonferroni over 2 tests; " in row["note"] for row in found)


def test_families_over_measures() -> None:
    values = cf.evaluate(QRELS, {"first": FIRST, "second": SECOND}, "AP P@2")
    found = rows(cf.test(values, "t sign", correct="bonferroni", family="all"))
    assert [row["p_adjusted"] for row in found] == pytest.approx([min(1, 4 * row["p"]) for row in found])
    found = rows(cf.test(values, "t sign", correct="bonferroni", family="measures"))
    assert all("; bonferroni over 2 tests" in row["note"] for row in found)


def test_settings_reach_the_tests_that_have_them() -> None:
    study = cf.test(SCORES, "t randomisation max-t", alternative="greater", draws=50, seed=9, level=0.2)
    assert list(dict.fromkeys(row["test"] for row in rows(study))) == [
        "t(alternative='greater')",
        "randomisation(alternative='greater',draws=50)",
        "max-t(alternative='greater',draws=50)",
    ]
    assert rows(study)[0]["p"] == pytest.approx(stats.ttest_rel(RUNS["b"], RUNS["a"], alternative="greater").pvalue)
    assert rows(study)[0]["high"] is None
    assert study.made_by is not None
    assert (study.made_by.seed, study["tests"].made_by) == (9, study.made_by)
    assert study.verdict is not None
    assert (study.verdict["level"], study.verdict["pairs"]) == (0.2, 3)


def test_one_sided_tests_name_the_good_side_where_lower_is_better() -> None:
    values = cf.evaluate(QRELS, {"first": FIRST, "second": SECOND, "third": THIRD}, "AP ESL")

    def sides(measure: str, tests: Any = "t sign", **options: Any) -> list[str]:
        notes = cf.test(values.of_measures(measure.split()), tests, scale="ignore", **options)["tests"].notes
        return [note for note in notes if "lower is better" in note]

    assert sides("AP ESL") == sides("AP", alternative="greater") == []
    lower = "ESL: lower is better; "
    assert sides("AP ESL", alternative="greater") == [
        f"{lower}alternative='greater' tests whether b has the higher value, which is worse"
    ]
    assert sides("ESL", T(alternative="less")) == [
        f"{lower}alternative='less' tests whether b has the lower value, which is better"
    ]


def test_tests_of_signs_count_higher_values_also_where_lower_is_better() -> None:
    # ESL of first is 1 in all three topics; of the second run 1, 2 and missing: a higher value is not a better one.
    values = cf.evaluate(QRELS, {"first": FIRST, "second": SECOND}, "ESL")
    study = cf.test(values, "sign signed-rank")
    (effects,) = rows(study, "effects")
    assert (effects["b_ahead"], effects["equal"], effects["a_ahead"]) == (0, 1, 1)
    assert [row["statistic"] for row in rows(study)] == [1, 1]
    assert all("b has the higher value" in row["note"] for row in rows(study))


def test_tests_may_be_values_of_their_own() -> None:
    assert rows(cf.test(SCORES, [T(alternative="less"), "sign"])) == rows(
        cf.test(SCORES, ["t(alternative='less')", "sign"])
    )


def test_an_interval_chooses_the_test_to_which_it_belongs() -> None:
    assert rows(cf.test(SCORES, interval="t")) == rows(cf.test(SCORES, "t"))
    found = rows(cf.test(SCORES, interval="bca", draws=99))
    assert {row["test"] for row in found} == {"bootstrap(draws=99)"}
    assert all("; bca interval; " in row["note"] for row in found)
    assert all(row["low"] < row["estimate"] == row["difference"] < row["high"] for row in found)


def test_medians() -> None:
    found = rows(cf.test(SCORES, "sign t", aggregate="median"))
    medians = {run: float(np.median(values)) for run, values in RUNS.items()}
    for (a, b), row in zip(PAIRS * 2, found, strict=True):
        assert row["difference"] == pytest.approx(medians[b] - medians[a])
        assert (row["low"] is None) == (row["test"] == "t")  # the interval of the sign test is not one of means


def test_a_transform_comes_first() -> None:
    study = cf.test(SCORES, "t", transform="arcsine-root")
    bent = {run: np.arcsin(np.sqrt(values)) for run, values in RUNS.items()}
    for (a, b), row in zip(PAIRS, rows(study), strict=True):
        assert row["p"] == pytest.approx(stats.ttest_rel(bent[b], bent[a]).pvalue)
    assert "values are arcsine-root of score" in study["tests"].notes


def test_norms_from_a_file(tmp_path: Path) -> None:
    from cranfield.data import write_norms
    from cranfield.stats import norms_of

    place = tmp_path / "norms.csv"
    write_norms(norms_of(cf.read_scores(SCORES)), place)
    two = {run: SCORES[run] for run in ("topic", "a", "b")}
    wanted = rows(cf.test(SCORES, "t", pairs=[("a", "b")], transform="z-score"))
    assert rows(cf.test(two, "t", transform="z-score", norms=place)) == wanted
    assert rows(cf.test(two, "t", transform="z-score")) != wanted


def test_beliefs_and_swaps_when_asked() -> None:
    assert list(cf.test(SCORES).tables) == ["summary", "effects", "tests"]
    study = cf.test(SCORES, rope=0.02, swaps=True, draws=200)
    assert list(study.tables) == ["summary", "effects", "beliefs", "swaps", "tests"]
    for row in rows(study, "beliefs"):
        assert row["a_better"] + row["equal"] + row["b_better"] == pytest.approx(1)
    # C(8, 4) splits into halves read both ways are all there are: 70 for each pair
    assert sum(row["pairs"] for row in rows(study, "swaps")) == 70 * len(PAIRS)


# What is said


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"tests": "t", "pairs": [("a", "b")]},
            "b is higher than a on score (+0.1500, 95% CI [0.0694, 0.2306], p = 0.003, paired t-test, 8 topics).",
        ),
        (
            {"tests": "t(alternative='less')", "pairs": [("a", "b")]},
            "a and b do not differ significantly on score "
            "(+0.1500, 95% CI [−∞, 0.2145], p = 1.00, paired t-test (alternative='less'), 8 topics).",
        ),
        (
            {"tests": "tost(margin=0.3)", "pairs": [("a", "b")]},
            "a and b are equivalent on score within ±0.3 "
            "(+0.1500, 90% CI [0.0855, 0.2145], p = 0.002, two one-sided t-tests (margin=0.3), 8 topics).",
        ),
        (
            {"tests": "tost", "pairs": [("a", "b")]},
            "a and b are not shown to be equivalent on score within ±0.05 "
            "(+0.1500, 90% CI [0.0855, 0.2145], p = 0.99, two one-sided t-tests, 8 topics).",
        ),
        (
            {"tests": "t sign", "pairs": [("a", "b")], "level": 0.01},
            "b − a = +0.1500 in score; at level 0.01, t (p = 0.003) is significant, "
            "sign (p = 0.016) is not significant.",
        ),
        (
            {"tests": "t sign", "pairs": [("a", "c")]},
            "c − a = +0.0250 in score; at level 0.05, t (p = 0.50) and sign (p = 1.00) are not significant.",
        ),
        (
            {"tests": "t sign", "pairs": [("a", "b")]},
            "b − a = +0.1500 in score; at level 0.05, t (p = 0.003) and sign (p = 0.016) are significant.",
        ),
        (
            {"tests": "t tost(margin=0.3)"},
            "At level 0.05, t on score: 1 of 3 pairs differ; tost(margin=0.3) on score: 3 of 3 pairs are equivalent.",
        ),
    ],
    ids=str,
)
def test_a_sentence(given: dict[str, Any], said: str) -> None:
    """By scipy's ttest_rel, p = 0.00315 (a, b) and 0.502 (a, c); b is ahead in 7 of 7 topics, 2/2⁷ = 0.0156."""
    assert cf.test(SCORES, **given).sentence == said


def test_the_numbers_of_the_sentences() -> None:
    """Those that stand in the sentences above, from scipy and by hand."""
    d = np.array(RUNS["b"]) - np.array(RUNS["a"])
    error = d.std(ddof=1) / np.sqrt(8)
    assert d.mean() == pytest.approx(0.15)
    assert stats.ttest_rel(RUNS["b"], RUNS["a"]).pvalue == pytest.approx(0.00315, abs=5e-6)
    assert d.mean() + np.array([-1, 1]) * stats.t.ppf(0.975, 7) * error == pytest.approx([0.0694, 0.2306], abs=5e-5)
    assert d.mean() + np.array([-1, 1]) * stats.t.ppf(0.95, 7) * error == pytest.approx([0.0855, 0.2145], abs=5e-5)
    assert stats.t.cdf((d.mean() - 0.3) / error, 7) == pytest.approx(0.00157, abs=5e-6)
    assert stats.t.cdf((d.mean() - 0.05) / error, 7) == pytest.approx(0.989, abs=5e-4)
    every = holm([float(stats.ttest_rel(RUNS[b], RUNS[a]).pvalue) for a, b in PAIRS])
    assert sum(p <= 0.05 for p in every) == 1
    assert stats.binomtest(7, 7).pvalue > 0.01  # sign: b is ahead in seven topics, and equal in one


def test_one_pair_of_two_measures() -> None:
    values = cf.evaluate(QRELS, {"first": FIRST, "second": SECOND}, "AP P@2")
    assert cf.test(values, "t tost(margin=2)").sentence == (
        "At level 0.05, t on AP: no difference is shown; tost(margin=2.0) on AP: "
        "the runs are equivalent within the margin; t on P@2: no difference is shown; "
        "tost(margin=2.0) on P@2: the runs are equivalent within the margin."
    )


def test_a_chance_of_0_is_not_told() -> None:
    moved = {"a": [0.1, 0.2, 0.3], "b": [0.2, 0.3, 0.4]}
    assert cf.test(moved, "t").sentence == (
        "b is higher than a on score (+0.1000, 95% CI [0.1000, 0.1000], p < 0.001, paired t-test, 3 topics)."
    )


def test_runs_without_a_common_topic() -> None:
    values = cf.evaluate(QRELS, {"second": SECOND, "third": THIRD}, "AP", topics="both")
    (row,) = rows(cf.test(values, "t"))
    assert (row["n"], row["difference"], row["p"], row["p_adjusted"], row["effect"]) == (0, None, None, None, None)
    assert row["note"] == "no topic in which both have a value; holm over 0 tests"
    assert cf.test(values, "t").sentence == (
        "second and third have no value of AP in the same topic; t has no p-value here."
    )
    assert cf.test(values, "t sign", aggregate="median").sentence == (
        "second and third have no value of AP in the same topic; at level 0.05, t and sign are without a p-value."
    )


def test_what_has_no_chance_is_told() -> None:
    study = cf.test({"a": [0.1], "b": [0.2], "c": [0.2]})
    assert study["tests"].notes == (
        "one topic allows no test",
        "t on score: 2 of 3 pairs have no p-value (one topic has no spread: there is no p)",
        "sign: low and high are 98.3% CI (95% together, Bonferroni over 3 tests)",
    )
    assert study.sentence == "At level 0.05, t on score: 0 of 3 pairs differ; sign on score: 0 of 3 pairs differ."
    strict(study)


def test_topics_of_some_runs() -> None:
    values = cf.evaluate(QRELS, {"first": FIRST, "second": SECOND, "third": THIRD}, "AP", topics="both")
    study = cf.test(values, "t sign")
    assert [(row["a"], row["b"], row["n"]) for row in rows(study)[:3]] == [
        ("first", "second", 2),
        ("first", "third", 1),
        ("second", "third", 0),
    ]
    told = "AP: not every run has a value in every topic; a pair is compared where both have one"
    assert told in study["tests"].notes
    strict(study)


def test_too_few_draws_are_told() -> None:
    study = cf.test(SCORES, "bootstrap(exact='never') t", draws=20)
    assert study["tests"].notes[1:] == (
        "bootstrap: too few draws for holm over so many pairs; raise --draws, or use max-t",
        "bootstrap and t: low and high are 98.3% CI (95% together, Bonferroni over 3 tests)",
    )
    joint = cf.test(SCORES, "randomised-tukey", draws=10)
    assert joint["tests"].notes[1:] == ("randomised-tukey: too few draws for a level of 0.05; raise --draws",)
    enough = cf.test(SCORES, "bootstrap(exact='never')", draws=59)["tests"].notes  # 3/60 is the level
    assert not [note for note in enough if "draws" in note]


# Scale


AP = "AP is ordinal (ferrante2021)"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, f"t and the mean need interval numbers; {AP}. The sign test is safe, and the median (--aggregate median)"),
        ({"aggregate": "median"}, f"t needs interval numbers; {AP}. The sign test is safe"),
        ({"tests": "sign"}, f"the mean needs interval numbers; {AP}. The sign test is safe, and the median"),
        (
            {"tests": "sign(margin=0.05)", "aggregate": "median"},
            f"sign with a margin needs interval numbers; {AP}. The sign test is safe",
        ),
        (
            {"tests": "sign", "aggregate": "median", "rope": 0.1, "swaps": True},
            f"bayes-signed-rank and the swap rate need interval numbers; {AP}",
        ),
        (
            {"tests": "nemenyi", "aggregate": "median", "transform": "arcsine-root"},
            f"arcsine-root needs ratio numbers; {AP}",
        ),
        ({"interval": "bca"}, f"bootstrap, bca and the mean need interval numbers; {AP}"),
    ],
    ids=str,
)
def test_one_note_on_the_scale(given: dict[str, Any], said: str) -> None:
    values = cf.evaluate(QRELS, {"first": FIRST, "second": SECOND}, "AP")
    note, *_ = cf.test(values, **given)["tests"].notes
    assert note.startswith(said)
    assert note.endswith("--scale ignore silences this")
    assert not [note for note in cf.test(values, scale="ignore", **given)["tests"].notes if "ordinal" in note]
    with pytest.raises(ScaleError, match="numbers; AP is ordinal"):
        cf.test(values, scale="refuse", **given)


@pytest.mark.parametrize("tests", ["sign", "sign rank-sum nemenyi rank-tukey"])
def test_what_is_safe_is_never_refused(tests: str) -> None:
    values = cf.evaluate(QRELS, {"first": FIRST, "second": SECOND}, "AP nDCG RR")
    study = cf.test(values, tests, aggregate="median", scale="refuse")
    assert not [note for note in study["tests"].notes if "scale" in note]


def test_numbers_without_a_scale_have_no_note() -> None:
    assert not [note for note in cf.test(SCORES, scale="refuse")["tests"].notes if "numbers" in note]


# What is refused


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"level": 0}, "the level cannot be 0"),
        ({"level": 1.0}, "the level cannot be 1.0"),
        ({"level": float("nan")}, "the level cannot be nan"),
        ({"tests": []}, "no test is given"),
        ({"tests": "tt"}, "there is no test named 'tt'"),
        ({"correct": "hol"}, "there is no correction named 'hol'"),
        ({"interval": "bcc"}, "there is no interval named 'bcc'"),
        ({"interval": ""}, "'' holds no interval"),
        ({"transform": "logt"}, "there is no transform named 'logt'"),
        ({"norms": "norms.csv"}, "there are norms, but no transform that goes by them"),
        ({"pairs": [("a", "a")]}, "a would be compared with itself"),
        ({"pairs": [("a", "b")], "baseline": "a"}, "pairs are given, and a baseline too"),
        ({"baseline": "x"}, "there is no run named x"),
        ({"pairs": [("a", "b")], "baseline": ["a", "b"]}, "pairs are given, and a baseline too"),
        ({"baseline": ["a", "b", "c"]}, "every run is a baseline"),
        ({"baseline": ["a", "b"], "risk": 1}, "risk is relative to one baseline, not 2"),
        ({"draws": 0, "tests": "max-t"}, "max-t cannot have draws=0"),
        ({"alternative": "up"}, "t cannot have alternative='up'"),
        ({"rope": -0.1}, "bayes-signed-rank cannot have rope=-0.1"),
        ({"family": "some"}, "family cannot be 'some'"),
        ({"aggregate": "mode"}, "aggregate cannot be 'mode'"),
        ({"scale": "warn"}, "the scale policy cannot be 'warn'"),
        ({"aggregate": "median", "interval": "t"}, "t is an interval of means"),
        ({"tests": "tost", "level": 0.5}, "tost cannot be asked at level 0.5"),
    ],
    ids=str,
)
def test_refused(given: dict[str, Any], problem: str) -> None:
    with pytest.raises(CranfieldError) as caught:
        cf.test(SCORES, **given)
    assert caught.value.problem == problem
    assert caught.value.hint
    assert "\n" not in caught.value.problem + caught.value.hint


def test_one_run_is_refused() -> None:
    with pytest.raises(ParameterError, match="there is only one run"):
        cf.test({"a": [0.1, 0.2]})


def test_swaps_of_one_topic_are_refused() -> None:
    with pytest.raises(ParameterError, match="too few to analyse"):
        cf.test({"a": [0.1], "b": [0.2]}, swaps=True)


# At the edges

EDGES: dict[str, dict[str, list[float]]] = {
    "identical": {"a": [0.1, 0.5, 0.2], "b": [0.1, 0.5, 0.2], "c": [0.1, 0.5, 0.2]},
    "all zero": {"a": [0.0] * 4, "b": [0.0] * 4},
    "moved": {"a": [0.1, 0.2, 0.3], "b": [0.2, 0.3, 0.4], "c": [0.4, 0.5, 0.6]},
    "two topics": {"a": [0.1, 0.2], "b": [0.4, 0.1], "c": [0.3, 0.3]},
    "huge": {"a": [1e15, 3e15, 2e15], "b": [2e15, 1e15, 5e15]},
    "tiny": {"a": [1e-9, 3e-9, 2e-9], "b": [2e-9, 1e-9, 5e-9]},
    "negative": {"a": [-1.0, -2.5, 0.0], "b": [-3.0, 2.0, 1.0]},
    "one differs": {"a": [0.5] * 6, "b": [0.5] * 5 + [0.6]},
}


@pytest.mark.parametrize("name", EDGES)
@pytest.mark.parametrize("test", TESTS.names())
def test_every_test_at_every_edge(test: str, name: str) -> None:
    study = cf.test(EDGES[name], test, draws=20, rope=0.01, swaps=True)
    found = strict(study)["tables"]["tests"]
    for row in found:
        assert 0 <= row["p_adjusted"] <= 1
        assert row["note"]
        if row["statistic"] is None or row["effect"] is None:
            assert (
                "infinite" in row["note"]
                or "the same difference" in row["note"]
                or "certain" in row["note"]
                or (name == "moved" and row["p_adjusted"] < 1)
            )


@pytest.mark.parametrize("test", TESTS.names())
def test_identical_runs(test: str) -> None:
    for row in strict(cf.test(EDGES["identical"], test, draws=20))["tables"]["tests"]:
        assert row["p_adjusted"] == (0.0 if test == "tost" else 1.0)
        assert row["difference"] == 0
        assert (row["statistic"], row["effect"]) != (None, None)


def test_numbers_equal_as_decimals_tie() -> None:
    (row,) = rows(cf.test({"a": [0.3, 0.5, 0.1, 0.4], "b": [0.1 + 0.2, 0.9, 0.3 - 0.1, 0.7 - 0.3]}, "sign"))
    assert (row["n"], row["statistic"]) == (2, 2)
    (row,) = rows(cf.test({"a": [0.0, 0.0, 0.5], "b": [0.3 - 0.1, 0.2, 0.4]}, "signed-rank"))
    assert row["statistic"] == 5.0  # 2.5 + 2.5 of ranks 2.5, 2.5, 1


# Real values


def test_8256_pairs_of_trec_8(shared_data: Path) -> None:
    file = shared_data / "score-matrices" / "adhoc8_ap.csv"
    study = cf.test(file, "tukey tukey(df='inf') tukey(error='one-way')")
    assert [row["significant"] for row in rows(study, "summary")][::2] == [3423, 1786]
    (first, known, one_way) = (rows(study, "summary")[i] for i in range(3))
    assert first["pairs"] == known["pairs"] == one_way["pairs"] == 8256
    tukey, infinite = (rows(study)[place] for place in (0, 8256))
    assert (tukey["high"] - tukey["low"]) / 4 == pytest.approx(0.0515, abs=5e-5)  # half of half of it
    assert infinite["note"].startswith("studentised range of 129 runs, two-way error with ∞ degrees of freedom")
    assert tukey["low"] < infinite["low"] < infinite["high"] < tukey["high"]
    assert sum(row["p_adjusted"] <= 0.05 for row in rows(study)[:8256]) == 3423


def test_8256_pairs_by_scipy(shared_data: Path) -> None:
    file = shared_data / "score-matrices" / "adhoc8_ap.csv"
    values = np.loadtxt(file, delimiter=",", skiprows=1)
    p = np.array([row["p"] for row in rows(cf.test(file, "t", correct="bh"))])
    a, b = np.triu_indices(129, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        peer = np.asarray(stats.ttest_rel(values[:, b], values[:, a]).pvalue)
    there = ~np.isnan(peer)
    np.testing.assert_allclose(p[there], peer[there], rtol=1e-9, atol=1e-300)
    assert (p[~there] == 1).all()
    adjusted = [row["p_adjusted"] for row in rows(cf.test(file, "t", correct="bh"))]
    np.testing.assert_allclose(adjusted, stats.false_discovery_control(p), rtol=1e-12)


@pytest.mark.slow
def test_many_topics_and_many_runs() -> None:
    values = np.random.default_rng(0).random((2000, 200)).round(4)
    study = cf.test(pl.DataFrame(values, schema=[f"r{i}" for i in range(200)], orient="row"), "t nemenyi")
    assert len(study["tests"]) == 2 * 200 * 199 / 2
    first, other = values.T[:2].tolist()
    assert rows(study)[0]["p"] == pytest.approx(stats.ttest_rel(other, first).pvalue)


def test_replicates_are_for_anova() -> None:
    frame = pl.DataFrame({"topic": [1, 1, 2, 2], "seed": [1, 2, 1, 2], "a": [0.1, 0.2, 0.3, 0.4], "b": [0.2] * 4})
    with pytest.raises(cf.ParameterError, match="these values have replicates"):
        cf.test(read_replicates(frame))


def test_norms_are_among_the_inputs(tmp_path: Path) -> None:
    norms = tmp_path / "norms.csv"
    norms.write_text("topic,mean,sd\n1,0.2,0.1\n2,0.3,0.1\n")
    scores = pl.DataFrame({"topic": [1, 2], "a": [0.1, 0.4], "b": [0.3, 0.2]})
    made_by = cf.test(scores, transform="z-score", norms=norms).made_by
    assert made_by is not None
    assert [(source.name, source.kind) for source in made_by.inputs] == [("scores", "scores"), (str(norms), "norms")]
