"""Very active users: their values are capped, or they are excluded and counted."""

import numpy as np
import polars as pl
import pytest

from cranfield.core import CranfieldError
from cranfield.studies import ab
from tests.support.heavy_tailed_users import concentration, users


def test_a_cap_is_the_quantile_over_all_arms() -> None:
    data = users(bots=2)
    study = ab(data, ["pages"], cap=0.95)
    limit = float(np.quantile(data["pages"].to_numpy(), 0.95))
    capped = data.with_columns(pl.col("pages").clip(upper_bound=limit))
    means = {arm: capped.filter(pl.col("arm") == arm)["pages"].mean() for arm in ("a", "b")}
    (row,) = study["effects"].rows()
    assert (row["value_control"], row["value_treatment"]) == pytest.approx((means["a"], means["b"]))
    above = [int((data.filter(pl.col("arm") == arm)["pages"] > limit).sum()) for arm in ("a", "b")]
    (note,) = (note for note in study["arms"].notes if "capped" in note)
    assert f"{above[0]} users of a, {above[1]} users of b" in note
    assert concentration(study)["passed"] is True


def test_a_cap_that_removes_everything_is_refused() -> None:
    data = users().with_columns(spent=pl.when(pl.int_range(pl.len()) < 3).then(50.0).otherwise(0.0))
    with pytest.raises(CranfieldError, match="a cap there would remove all values"):
        ab(data, "spent", cap=0.9)
    for cap in (0.0, 1.0, 99.0):
        with pytest.raises(CranfieldError, match="cap cannot be"):
            ab(data, "clicks", cap=cap)


def log(bots: int = 0, n: int = 600, pages: int = 60) -> pl.DataFrame:
    """Users with two pages of two documents each, and bots with many in arm b."""
    random = np.random.default_rng(4)
    rows = []
    for who in [*range(n), *(f"bot{i}" for i in range(bots))]:
        arm = "b" if isinstance(who, str) or who % 2 else "a"
        for page in range(pages if isinstance(who, str) else 2):
            rows += [(f"{who}-{page}", f"{who}", arm, "q", rank, f"d{rank}", random.random() < 0.3) for rank in (1, 2)]
    return pl.DataFrame(
        rows, schema=["impression", "user", "arm", "topic", "rank", "document", "clicked"], orient="row"
    )


def test_users_with_many_pages_can_be_excluded() -> None:
    """5 of 605 users have 60 pages of 2 rows: 600 of 3,000 rows, all of arm b."""
    study = ab(log(bots=5), ["ctr"], exclude_users_above=10)
    expected = ab(log(), ["ctr"])
    assert study["effects"].cells("value_control") == pytest.approx(expected["effects"].cells("value_control"))
    assert study.verdict is not None
    assert (study.verdict["rows"], study.verdict["rows_excluded"]) == (3000, 600)
    assert "b 33.3%" in study.excluded
    (row,) = (row for row in study["checks"].rows() if row["check"] == "users excluded")
    assert row["effect"] == pytest.approx(5 / 605)
    assert row["passed"] is True
    assert study.verdict["trusted"] is True


def test_too_many_excluded_users_fail_a_check() -> None:
    study = ab(log(bots=10), ["ctr"], exclude_users_above=10)  # 10 of 610 are 1.6%
    assert [row["check"] for row in study["checks"].rows() if not row["passed"]] == ["users excluded"]


def test_pages_can_only_be_counted_in_a_log() -> None:
    with pytest.raises(CranfieldError, match="a table of users has none"):
        ab(users(), "clicks", exclude_users_above=10)
    with pytest.raises(CranfieldError, match="every user has more than 1 page"):
        ab(log(), "ctr", exclude_users_above=1)
