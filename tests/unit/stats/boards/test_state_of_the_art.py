"""The history of a board: which runs were the state of the art, and which of their steps were more than luck."""

import csv
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from cranfield.core import Direction, ParameterError, Provenance
from cranfield.data import Entries, Given, Values, read_entries, read_scores
from cranfield.stats import (
    Asked,
    Equivalence,
    Sign,
    SignedRank,
    T,
    Tukey,
    groups_table,
    history_table,
    sota_sentence,
    sota_table,
)
from tests.support.run_size import SIZE

NAN = float("nan")
COLUMNS = tuple("run group date mean step previous p p_adjusted significant level significant_live".split())


def board(*rows: tuple[str, str | None, float] | tuple[str, str | None, float, str]) -> Entries:
    """Rows of run, date, value, and a mark at a baseline."""
    return read_entries(
        {
            "run": [row[0] for row in rows],
            "date": [row[1] for row in rows],
            "value": [row[2] for row in rows],
            "baseline": [row[3] if len(row) > 3 else "" for row in rows],
        },
        value="value",
    )


def kinds(entries: Entries, **options: Any) -> list[tuple[str, str]]:
    table = history_table(entries, entries.values, **options)
    return [(str(row["run"]), str(row["kind"])) for row in table.rows()]


def steps(entries: Entries, **options: Any) -> list[tuple[Any, Any]]:
    table = sota_table(None, None, entries, means=entries.values, **options)
    return [(row["run"], row["previous"]) for row in table.rows()]


def test_steps_are_strictly_above_all_before() -> None:
    entries = board(
        ("late", "2020-01-09", 0.5),  # the order of the table is not that of time
        ("base", "2020-01-01", 0.3, "x"),
        ("below", "2020-01-02", 0.2),
        ("equal", "2020-01-02", 0.3),
        ("first", "2020-01-03", 0.4),
        ("same", "2020-01-04", 0.1 + 0.3),  # 0.4 as a number
        ("worse", "2020-01-05", 0.35),
    )
    assert kinds(entries) == [
        ("base", "baseline"),
        ("below", "run"),
        ("equal", "run"),
        ("first", "sota"),
        ("same", "run"),
        ("worse", "run"),
        ("late", "sota"),
    ]
    table = sota_table(None, None, entries, means=entries.values)
    assert table.columns == COLUMNS
    first, late = table.rows()
    assert (first["previous"], first["date"], first["mean"]) == ("base", date(2020, 1, 3), 0.4)
    assert first["step"] == pytest.approx(0.1, abs=1e-15)
    assert late["previous"] == "first"
    assert late["step"] == pytest.approx(0.1, abs=1e-15)
    assert [first[name] for name in ("p", "p_adjusted", "significant", "significant_live")] == [None] * 4
    assert [row["level"] for row in (first, late)] == [0.05 / 2, 0.05 / 6]  # 1 · 2, 2 · 3
    assert table.notes == ("steps are not tested: means alone have no topics to test on",)


def test_of_one_day_the_best_counts_wherever_it_stands() -> None:
    a, b, c = ("a", "2020-01-01", 0.4), ("b", "2020-01-01", 0.5), ("c", "2020-01-01", 0.5)
    assert steps(board(a, b, c)) == [("b", None)]
    assert steps(board(c, b, a)) == [("c", None)]  # of equal ones the first of the table
    assert steps(board(a, ("base", "2020-01-01", 0.45, "x"), b)) == [("b", "base")]
    assert steps(board(a, ("base", "2020-01-01", 0.6, "x"), b)) == []


def test_a_later_baseline_raises_the_bar() -> None:
    rows = [("base", "2020-01-01", 0.2, "x"), ("a", "2020-01-02", 0.3), ("strong", "2020-01-03", 0.5, "x")]
    assert steps(board(*rows, ("b", "2020-01-04", 0.4))) == [("a", "base")]  # type: ignore[arg-type]
    assert steps(board(*rows, ("b", "2020-01-04", 0.6))) == [("a", "base"), ("b", "strong")]  # type: ignore[arg-type]


def test_less_may_be_better() -> None:
    entries = board(("base", "2020-01-01", 5, "x"), ("a", "2020-01-02", 6), ("b", "2020-01-03", 4))
    assert kinds(entries, lower_is_better=True) == [("base", "baseline"), ("a", "run"), ("b", "sota")]
    table = sota_table(None, None, entries, means=entries.values, lower_is_better=True)
    assert [(row["run"], row["step"]) for row in table.rows()] == [("b", -1.0)]  # b − a, as everywhere


def test_runs_without_a_date_are_no_part_of_time_and_baselines_were_always_there() -> None:
    entries = board(("a", "2020-01-02", 0.4), ("ghost", None, 0.9), ("base", None, 0.3, "x"), ("b", "2020-01-01", 0.2))
    assert kinds(entries) == [("base", "baseline"), ("b", "run"), ("a", "sota"), ("ghost", "run")]
    assert steps(entries) == [("a", "base")]
    told = history_table(entries, {**entries.values, "unknown": 1.0})
    assert told.cells("run")[-1] == "unknown"
    assert told.notes == ("2 runs have no date: not in the history of the state of the art",)
    assert history_table(entries, entries.values).notes == (
        "1 run has no date: not in the history of the state of the art",
    )


def test_without_dates_the_table_is_time() -> None:
    entries = board(("a", None, 0.4), ("b", None, 0.3), ("base", None, 0.35, "x"), ("c", None, 0.5))
    assert steps(entries) == [("a", "base"), ("c", "a")]
    assert history_table(entries, entries.values).notes == ("no run has a date: the order of the table counts as time",)
    only = board(("base", None, 0.3, "x"))
    assert (steps(only), history_table(only, only.values).notes) == ([], ())


def test_only_runs_with_a_mean_have_a_history() -> None:
    entries = board(("a", "2020-01-01", 0.4), ("b", "2020-01-02", 0.3), ("c", "2020-01-03", 0.5))
    assert [row["run"] for row in history_table(entries, {"a": 0.4, "c": NAN}).rows()] == ["a"]


@pytest.mark.parametrize(
    ("name", "value", "columns", "trophies"),
    [
        ("msmarco-document.csv", "MRR@100 (Eval)", {"baseline": ""}, 17),
        ("msmarco-passage.csv", "eval", {"baseline": "", "run": "description"}, 20),
    ],
)
def test_trophies_set_by_hand_are_found(
    shared_data: Path, tmp_path: Path, name: str, value: str, columns: dict[str, str], trophies: int
) -> None:
    path = shared_data / "leaderboards" / name
    with path.open(encoding="utf-8") as text:
        lines = list(csv.reader(text))
    for turned in (False, True):  # one table is by date, the other by value: neither order may matter
        body = lines[:0:-1] if turned else lines[1:]
        copy = tmp_path / f"{turned}.csv"
        with copy.open("w", encoding="utf-8", newline="") as out:
            csv.writer(out).writerows([lines[0], *body])
        entries = read_entries(copy, columns=columns, value=value, repeated="number")
        cup = lines[0].index("")
        marked = {entry.run for entry, row in zip(entries, body, strict=True) if row[cup] == "🏆"}
        assert len(marked) == trophies
        found = sota_table(None, None, entries, means=entries.values).cells("run")
        assert len(found) == trophies
        assert set(found) == marked


def values_of(matrix: Any, *, lower: bool = False) -> Values:
    found = read_scores({f"r{i}": column for i, column in enumerate(np.asarray(matrix).T)})
    measure = Given("m", direction=Direction.LOWER if lower else Direction.HIGHER)
    return replace(found, measures=(measure,))


def days(runs: int, *, baselines: int = 1, same_day: bool = False) -> Entries:
    dates = ["2020-01-01"] * baselines + [f"2020-02-{1 if same_day else i + 1:02d}" for i in range(runs - baselines)]
    marks = ["x"] * baselines + [""] * (runs - baselines)
    return read_entries({"run": [f"r{i}" for i in range(runs)], "date": dates, "baseline": marks})


def holm(p: list[float], i: int) -> float:
    """Holm's p of one of a family, by its definition."""
    order = sorted(range(len(p)), key=p.__getitem__)
    reached = 0.0
    for place, which in enumerate(order):
        reached = max(reached, min(1.0, (len(p) - place) * p[which]))
        if which == i:
            return reached
    raise AssertionError


@pytest.mark.parametrize("lower", [False, True])
def test_each_step_is_tested_against_the_one_before_in_its_family(lower: bool) -> None:
    rng = np.random.default_rng(5)
    quality = np.array([0.0, 0.2, -0.3, 0.35, 0.3, 0.9])
    matrix = rng.normal(size=(40, 6)) + quality
    # Noise is kept small beside these qualities: the steps are r1, r3 and r5.
    matrix += quality - matrix.mean(axis=0)
    matrix *= -1 if lower else 1
    table = sota_table(values_of(matrix, lower=lower), "m", days(6), asked=Asked(level=0.1))
    expected = [("r1", "r0", ["r1"]), ("r3", "r1", ["r2", "r3"]), ("r5", "r3", ["r1", "r2", "r4", "r5"])]
    assert len(table) == 3
    for t, (row, (run, previous, family)) in enumerate(zip(table.rows(), expected, strict=True), start=1):
        column = {f"r{i}": matrix[:, i] for i in range(6)}
        p = [float(stats.ttest_rel(column[other], column[previous]).pvalue) for other in family]
        own = family.index(run)
        assert (row["run"], row["previous"]) == (run, previous)
        assert row["step"] == pytest.approx(column[run].mean() - column[previous].mean(), rel=1e-12)
        assert row["p"] == pytest.approx(p[own], rel=1e-9)
        assert row["p_adjusted"] == pytest.approx(holm(p, own), rel=1e-9)
        assert row["significant"] == (holm(p, own) <= 0.1)
        assert row["level"] == pytest.approx(0.1 / (t * (t + 1)), rel=1e-15)
        assert row["significant_live"] == (p[own] <= 0.1 / (t * (t + 1)))
    assert {row["significant"] for row in table.rows()} == {True, False}  # both kinds are there


def test_the_topics_of_both_count() -> None:
    matrix = np.array([[0.1, 0.2], [0.2, 0.5], [0.3, 0.3], [0.4, 0.9], [0.9, 0.0]])
    found = values_of(matrix)
    counted = np.ones((2, 5), dtype=bool)
    counted[0, 4] = False
    table = sota_table(replace(found, counted=counted), "m", days(2))
    (row,) = table.rows()
    assert row["step"] == pytest.approx(matrix[:, 1].mean() - matrix[:4, 0].mean(), abs=1e-15)
    assert row["p"] == pytest.approx(stats.ttest_rel(matrix[:4, 1], matrix[:4, 0]).pvalue, rel=1e-9)


def test_the_first_of_all_has_nothing_to_beat() -> None:
    table = sota_table(values_of([[0.1, 0.5], [0.2, 0.7], [0.3, 0.6]]), "m", days(2, baselines=0))
    first, second = table.rows()
    assert [first[name] for name in ("step", "previous", "p", "significant")] == [None] * 4
    assert second["previous"] == "r0"
    assert second["p"] == pytest.approx(stats.ttest_rel([0.5, 0.7, 0.6], [0.1, 0.2, 0.3]).pvalue, rel=1e-9)


def test_a_step_without_common_topics_has_no_p() -> None:
    counted = np.array([[True, False], [False, True]])
    table = sota_table(replace(values_of([[0.1, 0.0], [0.0, 0.5]]), counted=counted), "m", days(2))
    (row,) = table.rows()
    assert [row[name] for name in ("p", "p_adjusted", "significant", "significant_live")] == [None] * 4
    assert sota_sentence(table).endswith("No step could be tested.")


def test_a_step_that_ranks_speak_against_does_not_count() -> None:
    # Nine topics are a little worse, one is much better: the mean is higher, and the signs are the other way.
    after = np.array([0.5] * 9 + [0.9])
    before = np.array([0.51] * 9 + [0.2])
    found = values_of(np.stack([before, after], axis=1))
    (row,) = sota_table(found, "m", days(2), test=Sign(), asked=Asked(level=0.05)).rows()
    assert row["p"] == pytest.approx(stats.binomtest(1, 10).pvalue, rel=1e-9)  # .0215: significant the other way
    assert row["significant"] is False
    assert row["significant_live"] is False


def test_other_tests_may_decide() -> None:
    rng = np.random.default_rng(3)
    matrix = rng.normal([0.0, 0.5], size=(30, 2))
    (row,) = sota_table(values_of(matrix), "m", days(2), test=SignedRank()).rows()
    assert row["p"] == pytest.approx(stats.wilcoxon(matrix[:, 1] - matrix[:, 0], method="exact").pvalue, rel=1e-9)
    (row,) = sota_table(values_of(matrix), "m", days(2), test=T(alternative="greater")).rows()
    one_sided = stats.ttest_rel(matrix[:, 1], matrix[:, 0], alternative="greater").pvalue
    assert row["p"] == pytest.approx(one_sided, rel=1e-9)


@pytest.mark.parametrize("test", [Tukey(), Equivalence(margin=0.1)])
def test_tests_of_something_else_are_refused(test: Any) -> None:
    with pytest.raises(ParameterError, match="cannot test a step"):
        sota_table(values_of([[0.1, 0.2], [0.2, 0.2]]), "m", days(2), test=test)


def test_what_is_asked_is_checked() -> None:
    with pytest.raises(ParameterError, match="neither values nor means"):
        sota_table(None, None, days(2))
    with pytest.raises(ParameterError, match="the level cannot be 2"):
        sota_table(None, None, days(2), means={"r1": 1.0}, asked=Asked(level=2))
    with pytest.raises(ParameterError, match="there are no values of AP"):
        sota_table(values_of([[0.1], [0.2]]), "AP", days(1))


def test_progress_is_told_by_steps() -> None:
    seen: list[tuple[int, int]] = []
    matrix = np.arange(12.0).reshape(4, 3) ** 2
    asked = Asked(progress=lambda done, total: seen.append((done, total)))
    made_by = Provenance(command="me")
    table = sota_table(values_of(matrix), "m", days(3), asked=asked, made_by=made_by)
    assert seen == [(1, 2), (2, 2)]
    assert table.made_by == made_by
    assert history_table(days(3), {"r0": 1.0}, made_by=made_by).made_by == made_by


@pytest.mark.parametrize("same_day", [False, True])
def test_luck_is_seldom_called_a_step(same_day: bool) -> None:
    """Twenty runs as good as the baseline, one a day or all at once: is one called a significant step?

    All at once, the best of twenty is chosen: alone its p is wrong in far more than the level of the boards.
    """
    boards, wrong, alone, runs = min(SIZE.draws, 4000), 0, 0, 21
    rng = np.random.default_rng(11)
    entries = days(runs, same_day=same_day)
    for _ in range(boards):
        matrix = rng.normal(size=(30, 1)) + rng.normal(size=(30, runs))
        rows = sota_table(values_of(matrix), "m", entries).rows()
        wrong += any(row["significant"] for row in rows)
        alone += any(row["p"] <= 0.05 for row in rows)  # type: ignore[operator]
    most = stats.binom.ppf(1 - 1e-4, boards, 0.05)  # a right procedure is beyond it once in ten thousand
    assert wrong <= most, f"{wrong} of {boards}"
    assert (alone > 2 * most) == same_day, f"{alone} of {boards}"


def test_sentences() -> None:
    means = board(("base", "2020-01-01", 0.2, "x"), ("a", "2020-01-02", 0.3), ("b", "2020-01-03", 0.40001))
    said = sota_sentence(sota_table(None, None, means, means=means.values))
    assert "2 steps from 2020-01-02 to 2020-01-03, the last one to b (mean 0.4)" in said
    assert said.endswith("No step could be tested.")
    none = sota_sentence(sota_table(None, None, means, means={"base": 0.5, "a": 0.3}))
    assert none == "No run is above the baselines."
    sure = np.array([[0.1, 0.5, 0.9], [0.2, 0.61, 0.95], [0.1, 0.52, 0.97], [0.15, 0.5, 0.92]])
    said = sota_sentence(sota_table(values_of(sure), "m", days(3)))
    assert "2 of 2 tested steps are significant (t, Holm over all runs submitted up to each step), and 2 at" in said
    one = sota_sentence(sota_table(values_of(sure[:, :2]), "m", days(2)))
    assert "is significant (t, Holm" in one
    unsure = np.array([[0.1, 0.5], [0.4, 0.2], [0.1, 0.2]])
    assert "is not significant (t, Holm" in sota_sentence(sota_table(values_of(unsure), "m", days(2)))


def test_groups_and_their_busiest_month() -> None:
    entries = read_entries(
        {
            "run": ["a1", "a2", "a3", "b1", "b2", "c1", "base", "lone", "a4"],
            "group": ["A", "A", "A", "B", "B", "C", "A", None, "A"],
            "date": [*("2020-01-31 2020-02-01 2020-02-29 2021-02-03 2020-02-03".split()), None, *["2020-01-01"] * 3],
            "baseline": [*[""] * 6, "x", "", ""],
        }
    )
    means = {"a1": 0.1, "a2": 0.4, "a3": 0.4, "b1": 0.5, "b2": NAN, "c1": 0.2, "base": 0.9, "lone": 0.3, "new": 0.1}
    table = groups_table(entries, means)
    assert table.columns == ("group", "runs", "first", "last", "best_run", "best", "per_month")
    expected = [
        ("A", 3, date(2020, 1, 31), date(2020, 2, 29), "a2", 0.4, 2),  # a4 has no mean: it is not on the board
        ("B", 2, date(2020, 2, 3), date(2021, 2, 3), "b1", 0.5, 1),
        ("C", 1, None, None, "c1", 0.2, None),
    ]
    assert [tuple(row.values()) for row in table.rows()] == expected
    assert table.notes == ("2 runs have no group",)
    lower = groups_table(entries, {"a1": 0.1, "a2": 0.4, "lone": 1.0, "b2": NAN}, lower_is_better=True)
    assert [(row["best_run"], row["best"]) for row in lower.rows()] == [("a1", 0.1), (None, None)]
    assert lower.notes == ("1 run has no group",)
    assert len(groups_table(entries, {})) == 0


def test_groups_of_the_document_board(shared_data: Path) -> None:
    path = shared_data / "leaderboards" / "msmarco-document.csv"
    entries = read_entries(path, columns={"baseline": ""}, value="MRR@100 (Eval)")
    rows = groups_table(entries, entries.values).rows()
    with path.open(encoding="utf-8") as lines:
        teams = [row["team"] for row in csv.DictReader(lines) if row[""] != "🏛"]
    assert {row["group"]: row["runs"] for row in rows} == {team: teams.count(team) for team in set(teams)}
    assert sum(int(str(row["runs"])) for row in rows) == 114  # 117 less three baselines
