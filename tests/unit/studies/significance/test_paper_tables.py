"""The table of a paper: marks and best values against scipy and Holm's method by hand, in both directions."""

import json
import pickle
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import cranfield as cf
from cranfield.core import ParameterError, ScaleError, Verdict
from cranfield.data import Values
from cranfield.measures import parse_measure
from cranfield.studies.significance.paper_tables import PaperTable

TOPICS = 40
RUNS = [f"r{i}" for i in range(8)]
COLUMNS = ["run", "measure", "mean", "best", "better_than", "worse_than"]


def scored(matrix: np.ndarray[Any, Any], *measures: str, runs: Sequence[str] = RUNS) -> Values:
    """Values of runs from a matrix (topic, run), the same for every measure."""
    frame = {"topic": [f"t{i}" for i in range(len(matrix))]} | dict(zip(runs, matrix.T, strict=True))
    one = cf.read_scores(frame)
    n = len(measures)
    return replace(
        one,
        measures=tuple(map(parse_measure, measures)),
        cube=np.repeat(one.cube, n, axis=2),
        without_relevant=np.repeat(one.without_relevant, n, axis=0),
        order=None,
    )


def holm(p: Sequence[float]) -> list[float]:
    """Adjust by hand: the smallest times n, the next times n − 1, none below the one before, none above 1."""
    adjusted, least = [0.0] * len(p), 0.0
    for place, i in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        least = max(least, (len(p) - place) * p[i])
        adjusted[i] = min(1.0, least)
    return adjusted


@pytest.fixture(scope="module")
def matrix() -> np.ndarray[Any, Any]:
    """(topic, run): topics differ in difficulty, runs in their mean; some pairs differ clearly, some do not."""
    draw = np.random.default_rng(7)
    noise = draw.normal(0, 0.15, (TOPICS, len(RUNS)))
    return draw.uniform(0.2, 0.6, (TOPICS, 1)) + np.linspace(-0.15, 0.15, len(RUNS)) + noise


def expected(
    matrix: np.ndarray[Any, Any], baselines: Sequence[str], runs: Sequence[str] = RUNS
) -> dict[tuple[str, str], int]:
    """1 where the mean of a run is significantly higher than that of a baseline, −1 where lower, 0 elsewhere."""
    pairs = [(run, base) for base in baselines for run in runs if run not in baselines]
    found = [stats.ttest_rel(matrix[:, runs.index(run)], matrix[:, runs.index(base)]) for run, base in pairs]
    adjusted = holm([one.pvalue for one in found])
    return {
        pair: int(np.sign(one.statistic)) if p <= 0.05 else 0
        for pair, one, p in zip(pairs, found, adjusted, strict=True)
    }


def signs(paper: PaperTable, measure: str, baselines: Sequence[str]) -> dict[tuple[str, str], int]:
    """What the exact rows say, in the form of :func:`expected`."""
    said: dict[tuple[str, str], int] = {}
    rows: list[dict[str, Any]] = list(paper.study["paper"].rows())
    for row in rows:
        if row["measure"] == measure and row["run"] not in baselines:
            better, worse = (row[name].split(", ") if row[name] else [] for name in ("better_than", "worse_than"))
            said |= {(row["run"], base): (base in better) - (base in worse) for base in baselines}
    return said


# Marks and best values


@pytest.mark.parametrize("baselines", [["r3"], ["r4", "r2", "r6"]])
@pytest.mark.parametrize(("measure", "good"), [("AP", 1), ("ESL", -1)])
def test_marks_are_those_of_scipy_and_holm(
    matrix: np.ndarray[Any, Any], baselines: list[str], measure: str, good: int
) -> None:
    wanted = {pair: good * sign for pair, sign in expected(matrix, baselines).items()}
    assert set(wanted.values()) == {-1, 0, 1}  # every kind of answer occurs
    paper = cf.paper_table(scored(matrix, measure), baselines, scale="ignore")
    assert signs(paper, measure, baselines) == wanted
    tests = paper.study["tests"]
    assert list(zip(tests["b"], tests["a"], strict=True)) == list(wanted)
    p = [stats.ttest_rel(matrix[:, RUNS.index(run)], matrix[:, RUNS.index(base)]).pvalue for run, base in wanted]
    assert tests["p_adjusted"].tolist() == pytest.approx(holm(p))  # type: ignore[union-attr]


def test_the_family_is_each_measure_or_all(matrix: np.ndarray[Any, Any]) -> None:
    values = scored(matrix, "AP", "ESL")
    p = [stats.ttest_rel(matrix[:, i], matrix[:, 3]).pvalue for i in range(len(RUNS)) if i != 3]
    each = cf.paper_table(values, "r3", scale="ignore").study
    assert each["tests"]["p_adjusted"].tolist() == pytest.approx(2 * holm(p))  # type: ignore[union-attr]
    every = cf.paper_table(values, "r3", family="measures", scale="ignore").study
    assert every["tests"]["p_adjusted"].tolist() == pytest.approx(holm([*p, *p]))  # type: ignore[union-attr]
    assert (each.verdict or Verdict())["comparisons"] == 7
    assert (every.verdict or Verdict())["comparisons"] == 14


def test_rows_are_the_baselines_then_the_other_runs(matrix: np.ndarray[Any, Any]) -> None:
    paper = cf.paper_table(scored(matrix, "AP"), ["r4", "r2"], scale="ignore")
    assert paper.table.cells("run") == ["r4", "r2", "r0", "r1", "r3", "r5", "r6", "r7"]
    order = [4, 2, 0, 1, 3, 5, 6, 7]
    assert paper.table.cells("AP") == pytest.approx(matrix.mean(axis=0)[order].tolist())
    rows = paper.study["paper"]
    assert list(rows.columns) == COLUMNS
    assert rows.cells("mean") == paper.table.cells("AP")
    assert rows.cells("better_than")[:2] == [None, None]  # baselines are not tested against each other
    assert None not in rows.cells("better_than")[2:]


@pytest.mark.parametrize(("measure", "best"), [("AP", {"r1", "r3"}), ("ESL", {"r0"})])
def test_all_that_are_best_are_bold(measure: str, best: set[str]) -> None:
    values = scored(np.array([[0.1, 0.5, 0.3, 0.2], [0.2, 0.2, 0.3, 0.5]]), measure, runs=RUNS[:4])
    paper = cf.paper_table(values, "r2", scale="ignore")
    assert {row["run"] for row in paper.study["paper"].rows() if row["best"]} == best
    assert paper.to_latex().count("\\textbf") == len(best)
    assert {paper.table.cells("run")[place] for place, _ in paper.table.best} == best


def test_marks_of_several_baselines_are_letters() -> None:
    # Differences are nearly constant, so that every pair is significant: x > a, x < b, y < a, y < b.
    wobble = np.tile([0.0, 0.001], 5)
    means = {"x": 0.4, "a1": 0.3, "b1": 0.5, "y": 0.1}
    matrix = np.array([mean + wobble * place for place, mean in enumerate(means.values())]).T
    paper = cf.paper_table(scored(matrix, "AP", runs=list(means)), ["a1", "b1"], scale="ignore")
    assert dict(paper.table.marks) == {(0, "run"): "a", (1, "run"): "b", (2, "AP"): "a↓b", (3, "AP"): "↓ab"}
    down = cf.paper_table(scored(matrix, "ESL", runs=list(means)), ["b1", "a1"], scale="ignore")
    assert dict(down.table.marks) == {(0, "run"): "a", (1, "run"): "b", (2, "ESL"): "a↓b", (3, "ESL"): "ab"}


def test_marks_of_one_baseline_are_daggers(matrix: np.ndarray[Any, Any]) -> None:
    paper = cf.paper_table(scored(matrix, "AP"), "r3", scale="ignore")
    daggers = {1: "†", -1: "‡"}
    wanted = {run: daggers[sign] for (run, _), sign in expected(matrix, ["r3"]).items() if sign}
    assert {paper.table.cells("run")[row]: mark for (row, _), mark in paper.table.marks.items()} == wanted
    assert "\\textsuperscript{$\\dagger$}" in paper.to_latex()
    assert "<sup>‡</sup>" in paper.to_markdown()


def test_a_constant_difference_has_a_direction() -> None:
    # t and its effect are infinite; 0.5 is exact, so that every difference is the same.
    matrix = np.array([[0.25, 0.75], [0.125, 0.625], [0.5, 1.0]])
    assert dict(cf.paper_table(scored(matrix, "AP", runs=["a", "b"]), "a", scale="ignore").table.marks) == {
        (1, "AP"): "†"
    }


def test_marks_follow_the_test_where_the_means_say_otherwise() -> None:
    # b is ahead in 19 of 20 topics (sign test: p = 2 · 21 / 2²⁰), and loses so much in one that its mean is lower.
    a, b = np.full(20, 0.1), np.full(20, 0.11)
    a[0], b[0] = 0.9, 0.0
    values = scored(np.array([a, b]).T, "AP", runs=["a", "b"])
    assert b.mean() < a.mean()
    paper = cf.paper_table(values, "a", test="sign", scale="ignore")
    assert dict(paper.table.marks) == {(1, "AP"): "†"}
    assert [note for note in paper.study["paper"].notes if "contradicts" in note and "b and a on AP" in note]


@pytest.mark.parametrize("test", ["signed-rank", "rank-sum", "randomisation", "bootstrap", "tukey", "nemenyi", "max-t"])
@pytest.mark.parametrize(("measure", "good"), [("AP", 1), ("ESL", -1)])
def test_every_test_knows_who_is_better(matrix: np.ndarray[Any, Any], test: str, measure: str, good: int) -> None:
    values = scored(matrix + np.linspace(0, 0.6, len(RUNS)), measure)  # the runs are far apart
    said = signs(cf.paper_table(values, "r3", test=test, scale="ignore"), measure, ["r3"])
    assert said["r0", "r3"] == -good
    assert said["r7", "r3"] == good


@pytest.mark.shared
def test_the_runs_of_trec_8_against_three_baselines(shared_data: Path) -> None:
    path = shared_data / "score-matrices" / "adhoc8_ap.csv"
    names = path.read_text().partition("\n")[0].split(",")
    matrix = np.loadtxt(path, delimiter=",", skiprows=1)
    baselines = ["run125", "run1", "run60"]
    wanted = expected(matrix, baselines, runs=names)
    assert len(wanted) == 378
    paper = cf.paper_table(scored(matrix, "AP", runs=names), baselines, scale="ignore")
    assert signs(paper, "AP", baselines) == wanted
    best = [row["run"] for row in paper.study["paper"].rows() if row["best"]]
    assert best == [names[matrix.mean(axis=0).argmax()]]


# The legend


def test_caption_and_legend_name_what_was_done(matrix: np.ndarray[Any, Any]) -> None:
    paper = cf.paper_table(scored(matrix, "AP", "ESL"), ["r0", "r1"], level=0.01, scale="ignore")
    assert paper.table.caption == "Means over 40 topics"
    for words in ("paired t-test, two-sided", "Holm over the 12 comparisons of each measure", "p ≤ 0.01"):
        assert words in paper.table.legend
    assert (paper.study.verdict or Verdict()) == {
        "test": "t",
        "correct": "holm",
        "family": "pairs",
        "level": 0.01,
        "comparisons": 12,
        "baselines": ["r0", "r1"],
    }


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"correct": "bh"}, "Benjamini–Hochberg over the 7 comparisons of each measure"),
        ({"correct": "none"}, "not corrected for the 7 comparisons of each measure"),
        ({"family": "measures"}, "Holm over the 14 comparisons of all measures"),
        ({"test": "max-t", "family": "measures"}, "corrected by the test for all comparisons of each measure"),
        ({"test": "signed-rank(zeros='pratt')"}, "signed-rank test (zeros='pratt'), two-sided"),
        ({"alternative": "greater"}, "one-sided (greater)"),
    ],
)
def test_the_legend_follows_the_settings(matrix: np.ndarray[Any, Any], settings: Any, words: str) -> None:
    assert words in cf.paper_table(scored(matrix, "AP", "ESL"), "r0", scale="ignore", **settings).table.legend


def test_the_legend_of_one_measure_and_one_comparison(matrix: np.ndarray[Any, Any]) -> None:
    assert "Holm over the 7 comparisons, p" in cf.paper_table(scored(matrix, "AP"), "r0", scale="ignore").table.legend
    two = scored(matrix[:, :2], "AP", runs=RUNS[:2])
    assert "two-sided, one comparison, p" in cf.paper_table(two, "r0", scale="ignore").table.legend


def test_a_one_sided_test_marks_one_side(matrix: np.ndarray[Any, Any]) -> None:
    paper = cf.paper_table(scored(matrix, "AP"), "r3", alternative="greater", scale="ignore")
    assert set(paper.table.marks.values()) == {"†"}


def test_medians(matrix: np.ndarray[Any, Any]) -> None:
    paper = cf.paper_table(scored(matrix, "AP"), "r0", test="sign", aggregate="median", scale="refuse")
    assert paper.table.caption == "Medians over 40 topics"
    assert paper.table.cells("AP") == pytest.approx(np.median(matrix, axis=0).tolist())
    with pytest.raises(ScaleError):
        cf.paper_table(scored(matrix, "AP"), "r0", scale="refuse")


# What has no marks


def test_without_a_baseline_there_are_means_and_best_values(matrix: np.ndarray[Any, Any]) -> None:
    paper = cf.paper_table(scored(matrix, "AP"))
    assert (dict(paper.table.marks), paper.table.legend, paper.study.verdict) == ({}, "", None)
    assert list(paper.study.tables) == ["paper"]
    assert paper.table.cells("run") == RUNS
    assert len(paper.table.best) == 1


def test_a_count_is_shown_but_not_tested() -> None:
    qrels = {str(topic): {"x": 1, "y": 0} for topic in range(6)}
    good = {str(topic): {"x": 2.0, "y": 1.0} for topic in range(6)}
    bad = {str(topic): {"y": 2.0, "x": 1.0} for topic in range(6)}
    values = cf.evaluate(qrels, {"bad": bad, "good": good}, "P@1 NumRet GMAP")
    paper = cf.paper_table(values, "bad", scale="ignore")
    assert set(paper.study["tests"]["measure"]) == {"P@1"}
    assert dict(paper.table.marks) == {(1, "P@1"): "†"}
    rows: list[dict[str, Any]] = list(paper.study["paper"].rows())
    assert {row["measure"] for row in rows if row["better_than"] is not None} == {"P@1"}
    notes = [note for note in paper.study["paper"].notes if "no marks" in note]
    assert len(notes) == 2
    assert [name in note for name, note in zip(("NumRet", "GMAP"), notes, strict=True)] == [True, True]


def test_runs_with_values_in_different_topics_have_no_best(matrix: np.ndarray[Any, Any]) -> None:
    values = scored(matrix, "AP")
    holes = values.cube.copy()
    holes[0, 0] = np.nan
    paper = cf.paper_table(replace(values, cube=holes), "r1", scale="ignore")
    assert not paper.table.best
    assert paper.table.caption == "Means over 39 to 40 topics"
    assert [note for note in paper.study["paper"].notes if "no value is in bold" in note]
    assert not paper.table.notes  # never inside the table


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"baselines": ["r0", "nope"]}, "nope"),
        ({"baselines": RUNS}, "every run is a baseline"),
        ({"baselines": "r0", "test": "t sign"}, "one test, not 2"),
        ({"baselines": "r0", "test": "tost(margin=0.1)"}, "tost looks for equality"),
        ({"baselines": "r0", "level": 2}, "level"),
    ],
)
def test_what_cannot_be_marked_is_refused(matrix: np.ndarray[Any, Any], settings: Any, problem: str) -> None:
    with pytest.raises(ParameterError, match=problem) as caught:
        cf.paper_table(scored(matrix, "AP"), scale="ignore", **settings)
    assert caught.value.hint


def test_scores_of_unknown_direction_are_refused(matrix: np.ndarray[Any, Any]) -> None:
    frame = {"topic": [str(i) for i in range(TOPICS)]} | dict(zip(RUNS, matrix.T, strict=True))
    with pytest.raises(ParameterError, match="score cannot have marks") as caught:
        cf.paper_table(frame, "r0")
    assert "measure" in caught.value.hint
    assert not cf.paper_table(frame).table.best


# The object


def test_it_shows_itself_and_travels(matrix: np.ndarray[Any, Any]) -> None:
    paper = cf.paper_table(scored(matrix, "AP"), "r0", scale="ignore")
    assert str(paper) == str(paper.table)
    assert paper._repr_html_().startswith("<table><caption>Means over 40 topics, the best of each column in bold. †")
    assert pickle.loads(pickle.dumps(paper.table)) == paper.table
    assert "0.4" in paper.to_markdown(digits=1)
    found = json.loads(paper.study.to_json())
    assert found["study"] == "paper"
    assert [list(row) for row in found["tables"]["paper"]] == [COLUMNS] * len(RUNS)
    assert all("<sup>" not in str(row) for row in found["tables"]["paper"])
