"""The log of the time before an experiment: refused where it is part of it, and checked as any other log."""

from typing import Any

import polars as pl
import pytest

from cranfield.core import CranfieldError, Study
from cranfield.studies import ab
from tests.support.simulations.experiment_log import DAYS, log_of

START = 1_700_000_000.0  # of the simulated logs
BEFORE = START - 86_400 * (DAYS + 1)
TIMELESS = ("time",)


def frame(*, start: float = START, seed: int = 3, users: int = 400) -> pl.DataFrame:
    return pl.DataFrame(log_of(users, start=start, seed=seed))


def failed(study: Study) -> list[str]:
    found: list[dict[str, Any]] = study["checks"].rows()
    return [row["check"] for row in found if not row["passed"]]


@pytest.mark.parametrize("start", [START, START - 86_400, START + 86_400 * 30])
def test_a_log_that_reaches_into_the_experiment_is_refused(start: float) -> None:
    with pytest.raises(CranfieldError, match="the log before reaches into the experiment") as caught:
        ab(frame(), "ctr", before=frame(start=start))
    assert "2023-11-14 22:13" in caught.value.hint  # the time 1,700,000,000


def test_pages_of_the_experiment_are_no_log_before_without_times() -> None:
    log = frame().drop(TIMELESS)
    pages = log["impression"].n_unique()
    with pytest.raises(CranfieldError, match=f"{pages} of {pages} pages of the log before are in the experiment too"):
        ab(log, "ctr", before=log)
    with pytest.raises(CranfieldError, match="are in the experiment too"):
        ab(frame(), "ctr", before=log)


def test_times_of_a_clock_without_dates_are_not_compared() -> None:
    """Both logs count seconds from 0: the pages differ, so that this is no fault."""
    log, earlier = frame(start=0), frame(start=0, seed=8).with_columns(impression="before " + pl.col("impression"))
    assert ab(log, "ctr", before=earlier).verdict == ab(frame(), "ctr", before=frame(start=BEFORE, seed=8)).verdict


def test_a_good_log_before_says_that_no_row_is_excluded() -> None:
    earlier = frame(start=BEFORE, seed=8)
    study = ab(frame(), "ctr", before=earlier)
    assert not failed(study)
    assert f"rows excluded of the log before: none of {len(earlier):,}" in study["arms"].notes


def test_excluded_rows_of_the_log_before_fail_a_check() -> None:
    """Every fiftieth row (2%) has no user."""
    earlier = frame(start=BEFORE, seed=8)
    holed = earlier.with_columns(user=pl.when(pl.int_range(pl.len()) % 50 > 0).then(pl.col("user")))
    study = ab(frame(), "ctr", before=holed.drop("arm"))
    lost = -(-len(earlier) // 50)
    assert failed(study) == ["rows excluded of the log before"]
    (note,) = (note for note in study["arms"].notes if note.startswith("rows excluded of the log before: "))
    assert f"{lost} of {len(earlier):,} (no user: {lost})" in note
    assert study.verdict is not None
    assert (study.verdict["rows_excluded"], study.verdict["trusted"]) == (0, False)


def test_how_the_log_before_was_read_is_reported() -> None:
    earlier = frame(start=BEFORE, seed=8).with_columns(clicked=pl.when("clicked").then(1))
    study = ab(frame(), "ctr", before=earlier)
    empty = earlier["clicked"].null_count()
    assert (
        f"log before: {empty:,} empty cells of clicked are read as no click: the column has no 0" in study["arms"].notes
    )


def test_users_of_one_arm_who_are_not_in_the_log_before_are_a_fault() -> None:
    """The names of half the users of b are in capitals there: u1, u5, u9 and so on."""
    earlier = frame(start=BEFORE, seed=8)
    renamed = (
        pl.when(pl.col("user").str.slice(1).cast(int) % 4 == 1)
        .then(pl.col("user").str.to_uppercase())
        .otherwise(pl.col("user"))
    )
    study = ab(frame(), "ctr", before=earlier.with_columns(user=renamed).drop("arm"))
    assert "users in the log before" in failed(study)


def test_a_log_before_of_other_users_is_refused() -> None:
    earlier = frame(start=BEFORE, seed=8).with_columns(user="x" + pl.col("user"))
    with pytest.raises(CranfieldError, match="no user of the experiment has ctr in the log before"):
        ab(frame(), "ctr", before=earlier)


def test_pages_without_users_have_no_time_before() -> None:
    with pytest.raises(CranfieldError, match="a log from before needs the column user"):
        ab(frame().drop("user"), "ctr", before=frame(start=BEFORE, seed=8))
