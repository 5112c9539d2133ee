"""Few users that dominate an arm: bots are found, ordinary heavy tails are not; caps and exclusions."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import f

from cranfield.core import CranfieldError, Study
from cranfield.online import Metric
from cranfield.studies import ab

CTR = Metric("ctr", "clicks", "pages")


def activity(kind: str, n: int, seed: int) -> Any:
    random = np.random.default_rng(seed)
    if kind == "lognormal":
        return np.ceil(random.lognormal(1.0, 1.5, n))
    return np.ceil(random.pareto(1.5, n) + 1) if kind == "pareto" else random.poisson(5, n) + 1.0


def users(kind: str = "lognormal", n: int = 600, seed: int = 0, bots: int = 0, bot_pages: int = 3000) -> pl.DataFrame:
    """Users in two arms, and bots without clicks in arm b."""
    random = np.random.default_rng([seed, 1])
    pages = activity(kind, n, seed)
    clicks = random.binomial(pages.astype(int), random.beta(2, 4, n))
    names = [f"u{i}" for i in range(n)] + [f"bot{i}" for i in range(bots)]
    return pl.DataFrame(
        {
            "user": names,
            "arm": ["a", "b"] * (n // 2) + ["b"] * bots,
            "pages": [*pages, *[float(bot_pages)] * bots],
            "clicks": [*clicks, *[0] * bots],
        }
    )


def concentration(study: Study) -> dict[str, Any]:
    (row,) = (row for row in study["checks"].rows() if row["check"] == "concentration of users")
    return dict(row)


def test_five_bots_are_named_and_the_verdict_is_not_trusted() -> None:
    """They turn a difference of nothing into a large one: 15,000 pages without a click."""
    data = users(bots=5)
    row = concentration(study := ab(data, CTR))
    held = 15_000 / data.filter(pl.col("arm") == "b")["pages"].sum()
    assert row["passed"] is False
    assert row["effect"] == pytest.approx(held)
    assert all(name in row["detail"] for name in ("bot0", "bot1", "bot2", " b "))
    assert "bot3" not in row["detail"]
    assert study.verdict is not None
    assert study.verdict["trusted"] is False
    assert row["detail"] in study.sentence
    assert concentration(ab(users(), CTR))["passed"] is True


@pytest.mark.parametrize("kind", ["poisson", "lognormal", "pareto"])
def test_ordinary_heavy_tails_pass(kind: str) -> None:
    """At a level of 0.01 three of twenty logs fail with a probability of 0.001 at most."""
    failed = [concentration(ab(users(kind, seed=seed), [CTR, "pages"]))["passed"] is False for seed in range(20)]
    assert sum(failed) < 3


def test_the_gap_has_the_p_value_of_the_f_distribution() -> None:
    """One user above 60 others of a Pareto tail, estimated from the 25 largest; 5 numbers of users × 2 arms."""
    sizes = np.array([(60.5 / (i + 0.5)) ** 0.5 for i in range(60)])
    top = 400 * sizes[0]
    data = pl.DataFrame({"arm": ["a"] * 61 + ["b"] * 60, "spent": [top, *sizes, *sizes]})
    row = concentration(ab(data, "spent", control="b"))
    spacings = [i * np.log(x / y) for i, x, y in zip(range(2, 25), sizes[:23], sizes[1:24], strict=True)]
    expected = 10 * f.sf(np.log(400) / np.mean(spacings), 2, 2 * len(spacings))
    assert row["p"] == pytest.approx(expected, rel=1e-9)
    assert row["effect"] == pytest.approx(top / (top + sizes.sum()))


def test_rare_flags_are_no_concentration() -> None:
    """Four users of 800 bought something: they hold all of it, and that is no fault."""
    data = users(n=800).with_columns(bought=(pl.int_range(pl.len()) % 200 == 0))
    assert concentration(ab(data, "bought"))["passed"] is True


def test_a_player_of_cookie_cats_is_named(shared_data: Path) -> None:
    """One player has 49,854 rounds, the next of the arm 2,961; without the player the mean falls from 52.5 to 51.3."""
    row = concentration(ab(shared_data / "ab-cookiecats" / "cookie_cats.csv.gz", "sum_gamerounds"))
    assert row["passed"] is False
    assert "6390605" in row["detail"]
    assert row["effect"] == pytest.approx(49_854 / (44_700 * 52.456), rel=1e-3)


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
