"""Measures fitted to pages with clicks: counts by hand, chances that are found again, and what is refused."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import cranfield as cf
from cranfield.core import CranfieldError, UnknownName
from cranfield.data import read_log, read_qrels
from cranfield.online import CALIBRATIONS, CLICK_MODELS, Pages, Steps, calibrate_measure, read_steps
from tests.support.simulations import search_logs
from tests.support.simulations.click_logs import known, shown, written

PAGES = written("6 A b", "3 a B", "1 b")
GRADED = read_qrels({"t": {"a": 1, "b": 0}})
STEPS = Steps(np.array([1, 2]), np.array([2, 1]), np.array([3, 1]))


def values(found: Any) -> dict[str, float]:
    return {one.parameter: one.value for one in found.estimates}


def test_rbp_counts_how_deep_users_click() -> None:
    # Three went on once; six stopped before the end of the page, three at its end, which says nothing.
    found = calibrate_measure("rbp", PAGES)
    assert str(found) == "RBP(p=0.3333)"
    assert values(found) == {"p": 3 / (3 + 6)}
    assert found.notes == ("impressions without a click, which say nothing: 1",)


def test_cwl_counts_who_goes_on() -> None:
    found = calibrate_measure("CWL", PAGES)
    assert values(found) == {"continuation(1)": 3 / 9}
    assert str(found) == "CWL(continuation='0.3333')@2"


def test_err_counts_clicks_by_grade_down_to_the_last() -> None:
    # a was looked at nine times and clicked six; b three times, each a click; every click was the last.
    for name, measure in (("ERR", "rrSDBN"), ("EBU", "uSDBN")):
        found = calibrate_measure(name, PAGES, qrels=GRADED)
        assert str(found) == f"{measure}(attraction='1 0.6667',satisfaction='1 1')@2"
        assert found.notes == ()


def test_tbg_counts_the_same_documents() -> None:
    found = calibrate_measure("TBG", PAGES, qrels=GRADED)
    assert values(found) == {"click_relevant": 6 / 9, "click_other": 3 / 3}


def test_mp_counts_steps() -> None:
    # One step between any two ranks is there before any data.
    found = calibrate_measure("MP", PAGES, steps=STEPS)
    rows = {"transitions(1,1)": 1 / 5, "transitions(1,2)": 4 / 5, "transitions(2,1)": 2 / 3, "transitions(2,2)": 1 / 3}
    assert values(found) == pytest.approx(rows)


@pytest.mark.parametrize("name", CALIBRATIONS)
def test_every_fitted_measure_is_one_that_evaluate_reads(name: str) -> None:
    found = calibrate_measure(name, PAGES, qrels=GRADED, steps=STEPS)
    assert cf.parse_measure(str(found)) == found.measure
    assert all(one.low <= one.value <= one.high for one in found.estimates)
    qrels, run = {"t": {"a": 1, "b": 0}}, {"t": {"a": 2.0, "b": 1.0}}
    means = cf.evaluate(qrels, {"mine": run}, str(found)).mean()
    (value,) = means[means.columns[-1]]
    assert value > 0  # type: ignore[operator]


@pytest.mark.parametrize("name", ["uPBM", "uUBM", "uDCM", "rrDBN", "uCCM"])
def test_chances_of_grades_are_found_again(name: str) -> None:
    """Users of a model whose chances depend on the grade alone: fitting by grade gives them back."""
    pages = shown(topics=1, documents=6, depth=3, each=20_000)
    grade = [0, 0, 1, 1, 2, 2]
    model = CLICK_MODELS[name.removeprefix("u").removeprefix("rr")]()
    start = replace(pages, clicked=pages.pair % 3 == 0)
    by_grade = {"attraction": (0.1, 0.4, 0.7), "satisfaction": (0.1, 0.3, 0.6)}
    attraction, satisfaction = ([chances[g] for g in grade] for chances in by_grade.values())
    made = known(model, start, attraction=attraction, satisfaction=satisfaction)
    if "examination" in made.estimates:  # the first rank is always looked at
        made.estimates["examination"].value[0] = 1.0
    judged = read_qrels({"t0": {f"d{place}": each for place, each in enumerate(grade)}})
    found = values(calibrate_measure(name, made.simulate(pages), qrels=judged))
    # 40,000 pages: the standard error of a chance of an examined document is below .01 for all of them.
    for what, chances in by_grade.items():
        if what in made.estimates:
            assert [found[f"{what}({g})"] for g in range(3)] == pytest.approx(chances, abs=0.03), what


def test_what_nobody_judged_is_of_grade_zero_and_counted() -> None:
    pages = written("4 A b", "2 a B")
    found = calibrate_measure("ERR", pages, qrels=read_qrels({"t": {"a": 1}}))
    assert found.notes == ("50.0% of the documents shown are not judged: they count as grade 0",)
    columns: Any = zip(*[(1, "t", 1, "a", 1), (1, "t", 2, "b", 1), (2, "u", 1, "a", 1)], strict=True)
    other = Pages.from_rows(*columns)
    found = calibrate_measure("ERR", other, qrels=GRADED)
    assert found.notes == ("impressions of topics without judgments, left out: 1",)


@pytest.mark.parametrize(
    ("name", "qrels", "error"),
    [
        ("ERR", None, "ERR is fitted by grade"),
        ("uPBM", {"x": {"a": 1}}, "judges no topic of the log"),
        ("uPBM", {"t": {"a": 2, "b": 0}}, "shows no document of grade 1"),
        ("uPBM", {"t": {"a": 0}}, "shows no document of grade 1"),
        ("MP", None, "MP needs the steps"),
    ],
)
def test_what_cannot_be_fitted_is_refused(name: str, qrels: Any, error: str) -> None:
    with pytest.raises(CranfieldError, match=error):
        calibrate_measure(name, PAGES, qrels=None if qrels is None else read_qrels(qrels))


def test_decimals_and_unknown_names_are_refused() -> None:
    with pytest.raises(CranfieldError, match="needs whole grades"):
        calibrate_measure("ERR", PAGES, qrels=read_qrels({"t": {"a": 0.5, "b": 1.0}}, gains=True))
    with pytest.raises(UnknownName, match="'nDCG'"):
        calibrate_measure("nDCG", PAGES)


def test_steps_are_those_of_plain_python() -> None:
    rows, _ = search_logs.cleaned(search_logs.made_up(300, 3))
    clicks = defaultdict(list)
    for row in rows:
        if row["rank"] is not None and row["clicked"]:
            clicks[row["impression"]].append((row["click_time"], row["rank"]))
    ways = Counter[tuple[int, int]]()
    for some in clicks.values():
        ranks = [rank for _, rank in sorted(some)]
        ways.update(pairwise(ranks))
    steps = read_steps(read_log(search_logs.as_arrow(rows)))
    found = zip(steps.start.tolist(), steps.end.tolist(), steps.count.tolist(), strict=True)
    assert {(start, end): many for start, end, many in found} == ways


def test_steps_need_times_and_two_clicks() -> None:
    columns = {"impression": ["i"], "topic": ["t"], "rank": [1], "document": ["a"], "clicked": [1]}
    with pytest.raises(CranfieldError, match="MP needs the column click_time"):
        read_steps(read_log(columns))
    with pytest.raises(CranfieldError, match="no page with two clicks"):
        read_steps(read_log(columns | {"click_time": [5.0]}))
