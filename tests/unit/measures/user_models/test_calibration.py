"""Measures fitted to logs: small ones by hand, and made ones from which the users come back that made them."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from cranfield.core import ParameterError
from cranfield.core.seed import generator
from cranfield.measures import (
    CWL,
    MP,
    RBP,
    RRSDBN,
    TBG,
    USDBN,
    Calibrated,
    calibrate_cwl,
    calibrate_cwl_from_clicks,
    calibrate_each,
    calibrate_err,
    calibrate_mp,
    calibrate_rbp,
    calibrate_tbg,
    parse_measure,
)

PAGE = 10
USERS = 20_000
ERRORS = 5  # standard errors


def estimate(found: Calibrated, parameter: str) -> tuple[float, float, float, int]:
    (row,) = (row for row in found.table.rows() if row["parameter"] == parameter)
    return row["value"], row["low"], row["high"], row["n"]  # type: ignore[return-value]


def near(found: Calibrated, parameter: str, true: float) -> None:
    """Show that a value is as near to the truth as its interval of 95 % lets one expect, with much to spare."""
    value, low, high, _ = estimate(found, parameter)
    assert low <= value <= high
    assert abs(value - true) < ERRORS * (high - low) / (2 * 1.959964)


def reads_back(found: Calibrated) -> bool:
    return parse_measure(str(found)) == found.measure


def test_persistence_by_hand() -> None:
    # Three stopped at ranks 1, 2 and 4, one came to the end at 5, one clicked nothing: 0 + 1 + 3 + 4 steps, 3 stops.
    found = calibrate_rbp([1, 2, 4, 5, 0], [1, 1, 1, 0, 0])
    value, low, high, n = estimate(found, "p")
    assert (value, n) == (8 / 11, 11)
    # wilson1927 with 8 of 11 and z = 1.959964: centre (8 + z²/2) / (11 + z²), half-width as printed.
    z2 = 1.959963985**2
    half = (z2 * (8 * 3 / 11 + z2 / 4)) ** 0.5 / (11 + z2)
    assert (low, high) == pytest.approx(((8 + z2 / 2) / (11 + z2) - half, (8 + z2 / 2) / (11 + z2) + half), abs=1e-9)
    assert found.measure == RBP(p=0.7273)
    assert found.table.notes == ("impressions without a click, which say nothing: 1",)
    assert reads_back(found)


def test_impressions_that_are_alike_can_be_counted() -> None:
    once = calibrate_rbp([1, 2, 2, 3, 3, 3], [1, 1, 1, 0, 0, 0])
    assert calibrate_rbp([1, 2, 3], [1, 1, 0], [1, 2, 3]) == once


def pages(p: float, *words: str) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """How far users come who step on with probability p, on pages of ten."""
    deep = generator(1, "pages", *words).geometric(1 - p, USERS)
    return np.minimum(deep, PAGE).astype(float), deep <= PAGE - 1


@pytest.mark.parametrize("p", [0.3, 0.8, 0.95])
def test_the_persistence_of_made_users_comes_back(p: float) -> None:
    last, stopped = pages(p, str(p))
    near(calibrate_rbp(last, stopped), "p", p)


def test_segments_are_fitted_one_by_one() -> None:
    some, others = pages(0.3, "phone"), pages(0.8, "desk")
    last, stopped = (np.concatenate(columns) for columns in zip(some, others, strict=True))
    found = calibrate_each(["phone"] * USERS + ["desk"] * USERS, calibrate_rbp, last=last, stopped=stopped)
    assert found == {"desk": calibrate_rbp(*others), "phone": calibrate_rbp(*some)}


def test_how_documents_of_a_grade_satisfy_by_hand() -> None:
    # Page 1: clicks at ranks 1 and 2 of three; page 2: at rank 2 only; page 3: none, which says nothing.
    impression = ["p1", "p1", "p1", "p2", "p2", "p2", "p3"]
    found = calibrate_err(impression, [1, 2, 3, 1, 2, 3, 1], grade=[0, 1, 1, 0, 1, 0, 1], clicked=[1, 1, 0, 0, 1, 0, 0])
    # Looked at: grade 0 twice, one click, never the last; grade 1 twice, two clicks, both the last.
    assert [estimate(found, f"attraction({g})")[0::3] for g in (0, 1)] == [(1 / 2, 2), (1.0, 2)]
    assert [estimate(found, f"satisfaction({g})")[0::3] for g in (0, 1)] == [(0.0, 1), (1.0, 2)]
    assert found.measure == RRSDBN(attraction="0.5 1", satisfaction="0 1", k=3)
    assert reads_back(found)


def test_the_satisfaction_of_made_users_comes_back() -> None:
    attraction, satisfaction = np.array([0.2, 0.5, 0.9]), np.array([0.1, 0.4, 0.8])
    rng = generator(2, "satisfaction")
    grade = rng.integers(0, 3, (USERS // 10, 40))  # so long that everybody is satisfied in the end
    click = rng.random(grade.shape) < attraction[grade]
    stop = click & (rng.random(grade.shape) < satisfaction[grade])
    assert stop.any(axis=1).mean() > 0.999
    clicked = click & (np.arange(40) <= np.where(stop.any(axis=1), stop.argmax(axis=1), 40)[:, None])
    impression, rank = np.indices(grade.shape)
    columns = [column.ravel() for column in (impression, rank + 1, grade, clicked)]
    found = calibrate_err(*columns, of="uSDBN")
    for g in range(3):
        near(found, f"attraction({g})", attraction[g])
        near(found, f"satisfaction({g})", satisfaction[g])
    assert isinstance(found.measure, USDBN)
    assert reads_back(found)


def test_time_biased_gain_by_hand() -> None:
    found = calibrate_tbg(
        [1, 2, 0, 0, 0],
        [1, 0, 1, 0, 0],
        saved=[1, 0, 0, 0, 0],
        summary=[4, 6],
        dwell=([100, 200, 300], [15, 25, 35]),
        visits=([60, 100, 40], [1, 1, 0]),
    )
    values = {row["parameter"]: row["value"] for row in found.table.rows()}
    assert values == pytest.approx(
        {
            "click_relevant": 1 / 2,
            "click_other": 1 / 3,
            "save": 1.0,
            "summary": 5.0,
            "reading": 0.1,
            "opening": 5.0,
            "half_life": 200 * np.log(2) / 2,
        },
        abs=1e-12,
    )
    assert isinstance(found.measure, TBG)
    assert (found.measure.click_other, found.measure.half_life) == (0.3333, 69.3147)
    assert reads_back(found)


def test_what_is_not_in_the_log_stays_as_published() -> None:
    found = calibrate_tbg([1, 0], [1, 0])
    assert found.measure == TBG(click_relevant=1.0, click_other=0.0)


def test_the_seconds_of_made_users_come_back() -> None:
    rng = generator(3, "seconds")
    grade = rng.integers(0, 2, USERS)
    clicked = rng.random(USERS) < np.where(grade == 1, 0.6, 0.3)
    words = rng.uniform(50, 2000, USERS)
    stay = rng.exponential(224 / np.log(2), USERS)
    found = calibrate_tbg(
        grade,
        clicked,
        summary=rng.exponential(4.4, USERS),
        dwell=(words, 0.018 * words + 7.8 + rng.uniform(-5, 5, USERS)),
        visits=(np.minimum(stay, 300), stay <= 300),
    )
    made = {"click_relevant": 0.6, "click_other": 0.3, "summary": 4.4, "reading": 0.018, "opening": 7.8}
    for parameter, true in (made | {"half_life": 224}).items():
        near(found, parameter, true)


def test_time_is_never_below_nothing() -> None:
    # The longer the sooner: a mean is all there is. And where a line would start below 0, it starts there.
    shorter = calibrate_tbg([1, 0], [1, 1], dwell=([1, 2, 3], [9, 6, 3]))
    assert (estimate(shorter, "reading")[0], estimate(shorter, "opening")[0]) == (0.0, 6.0)
    steep = calibrate_tbg([1, 0], [1, 1], dwell=([1, 2, 3], [0, 1, 5]))
    assert (estimate(steep, "reading")[0], estimate(steep, "opening")[0]) == pytest.approx((17 / 14, 0.0), abs=1e-12)


def test_continuation_from_views_by_hand() -> None:
    found = calibrate_cwl([100, 80, 80, 20, 0, 0])
    assert found.measure == CWL(continuation="0.8 1 0.25", k=4)
    assert [row["n"] for row in found.table.rows()] == [100, 80, 80]
    assert reads_back(found)


def test_more_views_than_above_are_no_more_than_all() -> None:
    assert calibrate_cwl([100, 50, 60, 30]).measure == CWL(continuation="0.5 1 0.5", k=4)


def test_a_deep_log_is_read_as_far_as_a_measure_has_room() -> None:
    found = calibrate_cwl(np.arange(300, 0, -1))
    assert found.measure.k == 101
    assert found.table.notes == ("users were followed down to rank 101 only",)
    assert reads_back(found)


def test_continuation_from_clicks_leaves_out_who_came_to_the_end() -> None:
    # Deepest clicks: 1 and 1 stopped, 2 at the end of a page of two, 3 stopped.
    found = calibrate_cwl_from_clicks([1, 1, 2, 3], [1, 1, 0, 1])
    # After 1: two of four went on; after 2: the one who was asked; after 3: the one who was asked did not.
    assert found.measure == CWL(continuation="0.5 1 0", k=4)
    assert [row["n"] for row in found.table.rows()] == [4, 1, 1]


def test_one_persistence_is_the_mean_of_the_continuations_by_who_was_asked() -> None:
    last, stopped = pages(0.7, "both")
    by_rank, one = calibrate_cwl_from_clicks(last, stopped).table, calibrate_rbp(last, stopped)
    asked = np.array([row["n"] for row in by_rank.rows()], dtype=float)
    value = np.array([row["value"] for row in by_rank.rows()], dtype=float)
    assert (value * asked).sum() / asked.sum() == pytest.approx(estimate(one, "p")[0], abs=1e-12)


def test_a_walk_from_moves_by_hand() -> None:
    found = calibrate_mp([1, 1, 1, 2, 2], [2, 2, 1, 1, 2], dwell=([0, 1, 1], [5, 10, 20]))
    assert found.measure == MP(transitions="0.3333 0.6667/0.5 0.5", holding="5 15")
    assert estimate(found, "transitions(1,2)")[0::3] == (2 / 3, 3)
    assert reads_back(found)


def test_ranks_that_nobody_left_need_a_prior() -> None:
    with pytest.raises(ParameterError, match="nobody went on from rank 2\nhint: give a prior"):
        calibrate_mp([1], [2])
    # One half more of every move: 0.5 and 1.5 of 2, 0.5 and 0.5 of 1.
    assert calibrate_mp([1], [2], prior=0.5).measure == MP(transitions="0.25 0.75/0.5 0.5")


@pytest.mark.parametrize(
    ("fit", "says"),
    [
        (lambda: calibrate_rbp([], []), "the log is empty"),
        (lambda: calibrate_rbp([1, 2], [1]), "not of one length"),
        (lambda: calibrate_rbp([[1]], [[1]]), "not of one length"),
        (lambda: calibrate_rbp([1, np.nan], [1, 1]), "last has a number that is not finite"),
        (lambda: calibrate_rbp([1.5, 2], [1, 1]), "last is no whole number"),
        (lambda: calibrate_rbp([1, 2], [1, 2]), "stopped is neither 0 nor 1"),
        (lambda: calibrate_rbp([1, 1], [1, 1]), "nobody went on"),
        (lambda: calibrate_rbp([5, 5], [0, 0]), "nobody stopped"),
        (lambda: calibrate_rbp([1, 2], [1, 1], level=1.0), "level=1.0 is not known"),
        (lambda: calibrate_err(["a", "a"], [1, 1], [0, 1], [1, 1]), "two documents at one rank"),
        (lambda: calibrate_err(["a"], [1, 2], [0, 1], [1, 1]), "not of one length"),
        (lambda: calibrate_err(["a", "a"], [1, 2], [0, 2], [1, 1]), "nobody looked at a document of grade 1"),
        (lambda: calibrate_err(["a", "a"], [1, 2], [0, 1], [1, 0]), "nobody looked at a document of grade 1"),
        (lambda: calibrate_err(["a"], [1], [0], [1]), "nobody looked at a document of grade 1"),
        (lambda: calibrate_err(["a"], [0], [0], [1]), "rank is no whole number from 1 up"),
        (lambda: calibrate_err(["a", "a"], [1, 2], [0, 1], [1, 1], of="ERR"), "'ERR' is not fitted here"),  # type: ignore[arg-type]
        (lambda: calibrate_tbg([1, 1], [1, 0]), "all documents are alike"),
        (lambda: calibrate_tbg([1, 0], [1, 0], dwell=([1, 1, 1], [1, 2, 3])), "cannot be told apart"),
        (lambda: calibrate_tbg([1, 0], [1, 0], visits=([5, 6], [0, 0])), "nobody left"),
        (lambda: calibrate_cwl([100]), "nobody went on below the first rank"),
        (lambda: calibrate_cwl([100, -1]), "views has a number that is not finite, or below 0"),
        (lambda: calibrate_cwl_from_clicks([0, 0], [0, 0]), "nobody went on below the first rank"),
        (lambda: calibrate_mp([1, 11], [11, 1]), "the walk goes down to rank 11"),
        (lambda: calibrate_mp([1], [1], dwell=([1], [5])), "nobody read a document of grade 0"),
        (lambda: calibrate_each(["a"], calibrate_rbp, last=[1, 2], stopped=[1, 1]), "not of one length"),
    ],
)
def test_a_log_that_says_nothing_is_refused(fit: Callable[[], object], says: str) -> None:
    with pytest.raises(ParameterError, match=rf"{says}.*\nhint: "):
        fit()
