"""Trust checks of excluded rows: too many, or more of one arm than of another."""

import pytest

from cranfield.data import ExcludedRows
from cranfield.online import excluded_rows_checks, excluded_rows_doubt


def excluded(a: int, b: int, *, total: int = 45_000, rows_per_page: float = 1.0) -> ExcludedRows:
    counts = (("no user", "A", a), ("no user", "B", b))
    return ExcludedRows(2 * total, counts, {"A": total, "B": total}, rows_per_page)


def test_a_share_above_one_percent_fails() -> None:
    few, many = (excluded_rows_checks(ExcludedRows(1000, (("no rank", None, rows),)))[0] for rows in (10, 11))
    assert few.passed
    assert not many.passed
    assert many.effect == 0.011
    assert excluded_rows_doubt(ExcludedRows(1000, (("no rank", None, 11),)))


def test_arms_are_compared_by_the_chi_square_test() -> None:
    from scipy.stats import chi2_contingency

    _, check = excluded_rows_checks(excluded(180, 260))
    assert check.p == pytest.approx(chi2_contingency([[180, 44_820], [260, 44_740]], correction=False).pvalue)
    assert check.p < 0.001
    assert not check.passed
    assert check.effect == pytest.approx(80 / 45_000)
    assert "B" in excluded_rows_doubt(excluded(180, 260))


def test_rows_of_one_page_count_once() -> None:
    from scipy.stats import chi2_contingency

    _, check = excluded_rows_checks(excluded(180, 260, rows_per_page=10))
    assert check.p == pytest.approx(chi2_contingency([[18, 4482], [26, 4474]], correction=False).pvalue)
    assert check.passed
    assert not excluded_rows_doubt(excluded(180, 260, rows_per_page=10))


def test_nothing_excluded_passes() -> None:
    share, arms = excluded_rows_checks(excluded(0, 0))
    assert share.passed
    assert arms.passed
    assert arms.p == 1
    assert len(excluded_rows_checks(ExcludedRows(10))) == 1
