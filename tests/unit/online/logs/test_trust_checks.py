"""Trust checks of logs: excluded rows, missing ranks, names of arms, and arms without clicks."""

from typing import Any

import numpy as np
import pytest

from cranfield.data import ExcludedRows, read_log
from cranfield.online import arm_names_check, doubts, excluded_rows_checks
from tests.support.simulations.rows_of_pages import checks, failed, never_lost, rows_of_pages

PAGE = 5  # documents


def excluded(a: int, b: int, *, total: int = 45_000, rows_together: float = 1.0) -> ExcludedRows:
    counts = (("no user", "A", a), ("no user", "B", b))
    return ExcludedRows(2 * total, counts, {"A": total, "B": total}, rows_together)


def log(pages: int = 400, lost: Any = never_lost, **cells: Any) -> dict[str, list[Any]]:
    """Return pages of five documents in arms A and B, without the rows for which ``lost`` is true.

    Of seven pages in a row each of the first five has a click, on another rank.
    """
    usual: dict[str, Any] = {"user": lambda page, _: f"u{page // 2}", "arm": lambda page, _: "AB"[page // 2 % 2]}
    usual |= {"clicked": lambda page, rank: int(rank == 1 + page % 7)}
    return rows_of_pages(pages, PAGE, usual | cells, lost)


def test_a_share_above_one_percent_fails() -> None:
    few, many = (excluded_rows_checks(ExcludedRows(1000, (("no rank", None, rows),)))[0] for rows in (10, 11))
    assert few.passed
    assert not many.passed
    assert many.effect == 0.011
    assert doubts((few, many))
    assert not doubts((few,))


def test_arms_are_compared_by_the_chi_square_test() -> None:
    from scipy.stats import chi2_contingency

    _, check = excluded_rows_checks(excluded(180, 260))
    assert check.p == pytest.approx(chi2_contingency([[180, 44_820], [260, 44_740]], correction=False).pvalue)
    assert check.p < 0.001
    assert not check.passed
    assert check.effect == pytest.approx(80 / 45_000)
    assert "B" in check.detail


def test_rows_that_come_together_count_once() -> None:
    """18 and 26 units; fewer than 25 are expected of each arm, so each arm's part of the 44 is tested exactly."""
    from scipy.stats import binomtest

    _, check = excluded_rows_checks(excluded(180, 260, rows_together=10))
    assert check.p == pytest.approx(min(1, 2 * binomtest(18, 44, 0.5).pvalue))
    assert check.passed


def test_nothing_excluded_passes() -> None:
    share, arms = excluded_rows_checks(excluded(0, 0))
    assert share.passed
    assert arms.passed
    assert arms.p == 1
    assert len(excluded_rows_checks(ExcludedRows(10))) == 1


@pytest.mark.parametrize("part", [0.5, 0.05])
def test_users_whose_rows_are_excluded_by_chance_raise_no_alarm(part: float) -> None:
    """Rows of ten users, drawn at random: at a level of 0.001, two of 40 logs fail with p < 0.001.

    Users have up to 400 pages, so the χ² test on pages would fail far more often.
    """
    alarms = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        pages = np.ceil(rng.pareto(1.2, 400) + 1).clip(max=400).astype(int)
        bad = set(rng.choice(400, 10, replace=False).tolist())
        user = np.repeat(np.arange(400), pages)
        arm = (rng.random(400) < part)[user]
        data = {
            "impression": [f"i{i}" for i in range(len(user))],
            "user": [f"u{one}" for one in user],
            "topic": ["q"] * len(user),
            "rank": [1] * len(user),
            "document": ["d"] * len(user),
            "clicked": [None if one in bad else i % 2 for i, one in enumerate(user.tolist())],
            "arm": np.where(arm, "B", "A").tolist(),
        }
        check = next(one for one in excluded_rows_checks(read_log(data).excluded) if "by arm" in one.check)
        alarms += not check.passed
    assert alarms < 2


def test_good_pages_pass() -> None:
    """Later pages of a search, with ranks 6 to 10, and a short last page are as good as first ones."""
    assert failed(log()) == set()
    assert failed(log(rank=lambda page, rank: rank + PAGE * (page % 3 == 0))) == set()
    assert failed(log(lost=lambda page, rank: page % 7 == 0 and rank > 2)) == set()


def test_missing_ranks_are_found() -> None:
    """Of 400 pages 2% and 1%: the second and the first document are lost."""
    for rank in (1, 2):
        found = checks(log(lost=lambda page, place, rank=rank: page < 8 and place == rank))
        assert not found["ranks without gaps"].passed
        assert found["ranks without gaps"].effect == 8 / 400
    assert failed(log(lost=lambda page, rank: page < 4 and rank == 2)) == set()


def test_missing_ranks_are_compared_between_arms() -> None:
    """Of 4,000 pages 0.75% lack a rank, all of them in arm B: 30 pages of 15 users."""
    from scipy.stats import binomtest

    found = checks(log(4000, lost=lambda page, rank: page < 60 and page // 2 % 2 == 1 and rank == 2))
    assert found["ranks without gaps"].passed
    by_arm = found["ranks without gaps by arm"]
    assert not by_arm.passed
    assert by_arm.p == pytest.approx(2 * binomtest(0, 15, 0.5).pvalue)
    assert by_arm.effect == pytest.approx(30 / 2000)


def test_an_arm_without_clicks_is_no_result() -> None:
    assert failed(log(clicked=lambda page, rank: int(rank == 1 and page // 2 % 2 == 0))) == {"clicks of every arm"}
    few = log(40, clicked=lambda page, rank: int(rank == 1 and page // 2 % 2 == 0))
    assert failed(few) == set()  # 20 clicks of A promise 20 of B, which may be chance


def test_an_arm_with_clicks_on_all_documents_is_no_result() -> None:
    def of_arm(page: int, rank: int) -> int:
        return int(page // 2 % 2 == 0 or rank == 1)

    assert failed(log(clicked=of_arm)) == {"clicks of every arm"}
    assert "1,000 documents of A" in checks(log(clicked=of_arm))["clicks of every arm"].detail
    assert failed(log(clicked=1)) == {"clicks of every arm"}
    whole = log(clicked=1)
    del whole["arm"]
    assert failed(whole) == {"clicks of every arm"}
    assert not failed(log(pages=16, clicked=1))  # 80 documents, 40 of each arm


def timed(**cells: Any) -> dict[str, list[Any]]:
    """Return a log in which clicks come 5 seconds after their page and documents are read for 40 seconds."""
    times: dict[str, Any] = {"time": lambda page, _: 1_700_000_000 + 60 * page, "dwell": 40.0}
    times["click_time"] = lambda page, _: 1_700_000_005 + 60 * page
    return log(**times | cells)


def of_b(page: int) -> bool:
    return page // 2 % 2 == 1


def test_times_of_an_arm_in_another_unit_or_by_another_clock_are_found() -> None:
    assert not failed(timed())
    in_ms = timed(dwell=lambda page, _: 40_000.0 if of_b(page) else 40.0)
    assert failed(in_ms) == {"times of clicks by arm"}
    assert "dwell of B is 1,000 times that of A" in checks(in_ms)["times of clicks by arm"].detail
    late = timed(click_time=lambda page, _: 1_700_000_005 + 60 * page + 3600 * of_b(page))  # 3,605 against 5 seconds
    assert failed(late) == {"times of clicks by arm"}
    assert "721 times" in checks(late)["times of clicks by arm"].detail
    assert not failed(timed(dwell=lambda page, _: 360.0 if of_b(page) else 40.0))  # nine times
    assert not failed(timed(dwell=lambda page, _: 40_000_000.0 if page == 2 else 40.0))  # a window left open
    del in_ms["click_time"]
    assert failed(in_ms) == {"times of clicks by arm"}


def test_clicks_of_an_arm_without_times_are_found() -> None:
    def some(page: int, third: bool) -> int | None:
        return None if third and page % 3 == 0 else 1_700_000_005 + 60 * page

    lost = timed(click_time=lambda page, _: some(page, of_b(page)))
    assert failed(lost) == {"times of clicks by arm"}
    assert checks(lost)["times of clicks by arm"].effect == pytest.approx(1 / 3, abs=0.01)
    assert not failed(timed(click_time=lambda page, _: some(page, third=True)))


def test_few_excluded_rows_do_not_fail_as_missing_ranks_too() -> None:
    """0.4% of the rows have no document: 8 of 2,000. They leave gaps on 2% of the pages, 8 of 400."""

    def document(page: int, rank: int) -> str | None:
        return None if page % 50 in (7, 8) and page < 200 and rank == 3 else f"d{rank}"

    assert not failed(log(document=document))
    assert checks(log(document=document))["rows excluded"].effect == 0.004
    assert failed(log(lost=lambda page, rank: document(page, rank) is None)) == {"ranks without gaps"}


def test_names_of_arms_that_differ_only_by_case_are_doubtful() -> None:
    assert arm_names_check({"old": 10, "New": 20}).passed
    assert arm_names_check({"a": 10, "A": 20}).passed  # an experiment has two arms
    check = arm_names_check({"old": 50, "new": 40, "New": 10})
    assert not check.passed
    assert check.effect == 0.1
    assert "New" in check.detail
    third = log(arm=lambda page, _: ["old", "new", "New"][page // 2 % 3])
    assert failed(third) == {"names of arms"}


def test_pages_that_are_excluded_as_a_whole_excuse_no_gaps() -> None:
    """Two pages have no user: 10 rows of 1,992, and no gap. Of the other 398 pages, 8 lack rank 2."""
    damaged = log(
        lost=lambda page, rank: of_b(page) and page < 16 and rank == 2,
        user=lambda page, _: None if page in (100, 101) else f"u{page // 2}",
    )
    assert failed(damaged) == {"ranks without gaps"}
    assert checks(damaged)["ranks without gaps"].effect == pytest.approx(8 / 398)


def test_arms_in_which_all_pages_have_a_click_are_no_result() -> None:
    """Pages without a click are lost."""
    every = log(clicked=lambda page, rank: int(rank == 1))
    assert failed(every) == {"clicks of every arm"}
    of_one = log(clicked=lambda page, rank: int(rank == 1 and (of_b(page) or page % 2 == 0)))
    assert failed(of_one) == {"clicks of every arm"}
    assert "200 pages of B" in checks(of_one)["clicks of every arm"].detail
    del every["arm"]
    assert failed(every) == {"clicks of every arm"}
    assert not failed(log(80, clicked=lambda page, rank: int(rank == 1)))  # fewer than 100 pages


def test_an_arm_that_is_logged_to_one_rank_only_is_found() -> None:
    """All 200 pages of B end at rank 3, and none of the 200 of A."""
    found = checks(log(lost=lambda page, rank: of_b(page) and rank > 3))
    assert {name for name, check in found.items() if not check.passed} == {"last rank of every arm"}
    assert found["last rank of every arm"].effect == 1
    assert not failed(log(lost=lambda page, rank: page % 3 == 0 and rank > 3))  # telephones, in both arms
    assert not failed(log(lost=lambda page, rank: of_b(page) and page % 5 == 0 and rank > 3))  # few results
    assert not failed(log(8, lost=lambda page, rank: of_b(page) and rank > 3))  # two users of each arm


def test_rows_that_are_pages_are_found() -> None:
    """Of five rows each of which is a page, four do not start at rank 1."""
    found = checks(log(impression=lambda page, rank: f"{page}-{rank}"))
    assert {name for name, check in found.items() if not check.passed} == {"ranks without gaps"}
    assert found["ranks without gaps"].effect == pytest.approx(4 / 5)
    assert "one id" in found["ranks without gaps"].detail
    assert not failed(log(lost=lambda page, rank: rank > 1, clicked=lambda page, rank: page % 7 == 0))


def two_lengths(page: int) -> int:
    return 2 if page % 4 == 0 else PAGE


def test_later_pages_of_two_lengths_pass() -> None:
    """Every fourth page has 2 documents instead of 5, and every seventh page is the second of its search."""
    good: Any = {"rank": lambda page, rank: rank + two_lengths(page) * (page % 7 == 0)}
    assert not failed(log(lost=lambda page, rank: rank > two_lengths(page), **good))

    def lost(page: int, rank: int) -> bool:
        """Lose the first two ranks of eight pages of five: they start where a second page of two would."""
        return rank > two_lengths(page) or (page < 32 and page % 4 == 1 and rank <= 2)

    assert checks(log(lost=lost))["ranks without gaps"].effect == 8 / 400


def clicked_first(page: int, rank: int) -> bool:
    return rank == 1 + page % 7


def test_times_of_documents_without_a_click_are_found() -> None:
    """A third of the clicks of B is lost, but their times are not."""

    def clicked(page: int, rank: int) -> int:
        return int(clicked_first(page, rank) and not (of_b(page) and page % 3 == 0))

    times: dict[str, Any] = {"dwell": lambda page, rank: 40.0 if clicked_first(page, rank) else 0.0}
    times["click_time"] = lambda page, rank: 1_700_000_005 + 60 * page if clicked_first(page, rank) else None
    assert not failed(timed(**times))
    pages = [page for page in range(400) if page % 7 < PAGE]  # with a click
    lost = sum(of_b(page) and page % 3 == 0 for page in pages)
    for name in times:
        damaged = timed(**times, clicked=clicked)
        del damaged[name]
        assert failed(damaged) == {"times without a click"}
        assert checks(damaged)["times without a click"].effect == pytest.approx(lost / (len(pages) - lost))


def test_times_that_belong_to_pages_are_no_clicks() -> None:
    assert not failed(timed(dwell=lambda page, _: 40.0 + page % 9 if page % 7 < PAGE else None))
    assert not failed(timed(dwell=lambda page, rank: 1.0 + rank if page % 3 == 0 else 0.0))  # visible documents
