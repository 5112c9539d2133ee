"""Checks of cells that one arm lacks more often than another, and of lost events."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from cranfield.data import ExcludedRows, read_log
from cranfield.online import log_checks
from tests.support.simulations.rows_of_pages import checks, failed, rows_of_pages

PAGES, PAGE = 1200, 3  # one page of three documents for each user


def of_b(page: int) -> bool:
    return page % 2 == 1


def clicked(page: int, rank: int) -> int:
    """Return 1 for both first documents of every third page, and for the first one of another third."""
    return int((page % 3 == 0 and rank < 3) or (page % 3 == 1 and rank == 1))


def log(**cells: Any) -> Any:
    """Return pages of arms A and B; a cell is one for all rows, or a function of page and rank."""
    usual: dict[str, Any] = {"user": lambda page, _: f"u{page}", "clicked": clicked}
    usual |= {"arm": lambda page, _: "AB"[of_b(page)], "time": lambda page, _: 1_700_000_000 + page}
    return rows_of_pages(PAGES, PAGE, usual | cells)


def dwell(lost: Any) -> Any:
    """Return 40 seconds on each clicked document, but for those where ``lost`` is true."""
    return lambda page, rank: 40.0 if clicked(page, rank) and not lost(page, rank) else None


def test_clicks_of_an_arm_without_dwell_are_found() -> None:
    """Page // 6 is independent of the arm and of the number of clicks."""
    assert not failed(log(dwell=dwell(lambda *_: False)))
    assert not failed(log(dwell=dwell(lambda page, _: page // 6 % 2 == 0)))
    half = checks(log(dwell=dwell(lambda page, _: of_b(page) and page // 6 % 2 == 0)))["cells missing by arm"]
    assert not half.passed
    assert half.effect == pytest.approx(0.5)
    assert failed(log(dwell=dwell(lambda page, _: of_b(page)))) >= {"cells missing by arm", "outcomes of every arm"}


def test_the_last_click_of_a_page_may_have_no_dwell() -> None:
    """More pages of B than of A have two clicks, so that other proportions of their clicks are the last."""

    def clicks(page: int, rank: int) -> int:
        return int(rank == 1 or (rank == 2 and page // 6 % (2 if of_b(page) else 4) == 0))

    def last(page: int, rank: int) -> bool:
        return rank == 2 or not clicks(page, 2)

    def of_click(page: int, rank: int) -> float | None:
        return 40.0 if clicks(page, rank) and not last(page, rank) else None

    times: Any = {"click_time": lambda page, rank: 1_700_000_000 + page + 10 * rank if clicks(page, rank) else None}
    some = log(clicked=lambda page, rank: clicks(page, rank) if page % 6 < 4 else 0, dwell=of_click, **times)
    assert "cells missing by arm" not in failed(some)

    def lost(page: int, rank: int) -> float | None:
        return None if of_b(page) and page // 12 % 3 == 0 else of_click(page, rank)

    some["dwell"] = log(dwell=lost)["dwell"]
    assert "cells missing by arm" in failed(some)


OUTCOMES = [("converted", 0, 1), ("revenue", 0.0, 9.5)]


@pytest.mark.parametrize(("name", "no", "yes"), OUTCOMES)
def test_empty_outcomes_of_an_arm_are_found(name: str, no: Any, yes: Any) -> None:
    """Every fourth page has the outcome, in its first row, and others say so."""

    def outcome(page: int, rank: int) -> Any:
        return yes if rank == 1 and page // 6 % 4 == 0 else no

    assert not failed(log(**{name: outcome}))
    half = log(**{name: lambda page, rank: None if of_b(page) and page // 12 % 2 else outcome(page, rank)})
    assert checks(half)["cells missing by arm"].effect == pytest.approx(0.5)
    assert failed(half) == {"cells missing by arm"}
    alike = log(**{name: lambda page, rank: None if page // 12 % 2 else outcome(page, rank)})
    assert not failed(alike)
    rows = log(**{name: lambda page, rank: None if of_b(page) and (page // 12 + rank) % 3 else outcome(page, rank)})
    assert failed(rows) == {"cells missing by arm"}  # two rows of every page of B


@pytest.mark.parametrize(("name", "no", "yes"), OUTCOMES)
def test_usual_ways_to_log_outcomes_raise_no_alarm(name: str, no: Any, yes: Any) -> None:
    """Only where there is one, only in the first row, or only on clicked documents, of which B has twice as many."""

    def outcome(page: int) -> Any:
        return yes if page // 6 % 2 == 0 else no

    sparse = log(**{name: lambda page, rank: yes if rank == 1 and page // 6 % (2 if of_b(page) else 4) == 0 else None})
    assert not failed(sparse)
    assert not failed(log(**{name: lambda page, rank: outcome(page) if rank == 1 else None}))

    def clicks(page: int, rank: int) -> int:
        return int(rank == 1 and page // 6 % (2 if of_b(page) else 4) == 0)

    assert not failed(
        log(clicked=clicks, **{name: lambda page, rank: outcome(page // 6) if clicks(page, rank) else None})
    )


@pytest.mark.parametrize(("name", "no", "yes"), OUTCOMES)
@pytest.mark.parametrize("empty", [True, False])
def test_an_arm_without_any_outcome_is_no_result(name: str, no: Any, yes: Any, empty: bool) -> None:
    """Of 600 pages of A 150 have an outcome, so that 150 of B are expected."""
    none = None if empty else no

    def outcome(page: int, rank: int) -> Any:
        return yes if rank == 1 and not of_b(page) and page // 6 % 4 == 0 else none

    assert failed(log(**{name: outcome})) == {"outcomes of every arm"}
    few = log(**{name: lambda page, rank: outcome(page, rank) if page < 600 else none})
    assert not failed(few)  # 75 expected


def test_pages_of_an_arm_without_session_are_found() -> None:
    def session(page: int, lost: bool) -> str | None:
        return None if lost and page // 6 % 4 == 0 else f"s{page}"

    assert not failed(log(session=lambda page, _: session(page, lost=True)))
    assert failed(log(session=lambda page, _: session(page, of_b(page)))) == {"cells missing by arm"}


def test_more_than_one_percent_of_lost_events_fail() -> None:
    """The log has 1,200 clicks: two on every third page, one on another third."""
    read = read_log(log())
    for lost, passed in ((12, True), (13, False)):
        excluded = ExcludedRows(100_000, (("event without query_id", None, lost),))
        (check,) = [one for one in log_checks(replace(read, excluded=excluded)) if one.check == "events lost"]
        assert check.passed == passed
        assert check.effect == pytest.approx(lost / (1200 + lost))
    assert "events lost" not in checks(log())
