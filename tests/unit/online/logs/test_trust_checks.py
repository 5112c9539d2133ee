"""Trust checks of logs: excluded rows, missing ranks, names of arms, and arms without clicks."""

from typing import Any

import numpy as np
import pytest

from cranfield.data import ExcludedRows, read_log
from cranfield.online import Check, arm_names_check, doubts, excluded_rows_checks, log_checks

PAGE = 5  # documents


def excluded(a: int, b: int, *, total: int = 45_000, rows_together: float = 1.0) -> ExcludedRows:
    counts = (("no user", "A", a), ("no user", "B", b))
    return ExcludedRows(2 * total, counts, {"A": total, "B": total}, rows_together)


def log(pages: int = 400, lost: Any = lambda page, rank: False, **cells: Any) -> dict[str, list[Any]]:
    """Return pages of five documents in arms A and B, without the rows for which ``lost`` is true."""
    usual = {"impression": lambda page, _: f"i{page}", "user": lambda page, _: f"u{page // 2}", "topic": "q"}
    usual |= {"rank": lambda _, rank: rank, "document": lambda _, rank: f"d{rank}"}
    usual |= {"clicked": lambda page, rank: int(rank == 1 + page % 3), "arm": lambda page, _: "AB"[page // 2 % 2]}
    where = [(page, rank) for page in range(pages) for rank in range(1, PAGE + 1) if not lost(page, rank)]
    return {
        name: [cell(page, rank) if callable(cell) else cell for page, rank in where]
        for name, cell in (usual | cells).items()
    }


def checks(data: Any) -> dict[str, Check]:
    return {check.check: check for check in log_checks(read_log(data))}


def failed(data: Any) -> set[str]:
    return {name for name, check in checks(data).items() if not check.passed}


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


def test_names_of_arms_that_differ_only_by_case_are_doubtful() -> None:
    assert arm_names_check({"old": 10, "New": 20}).passed
    assert arm_names_check({"a": 10, "A": 20}).passed  # an experiment has two arms
    check = arm_names_check({"old": 50, "new": 40, "New": 10})
    assert not check.passed
    assert check.effect == 0.1
    assert "New" in check.detail
    third = log(arm=lambda page, _: ["old", "new", "New"][page // 2 % 3])
    assert failed(third) == {"names of arms"}
