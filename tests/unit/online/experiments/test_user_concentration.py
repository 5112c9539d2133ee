"""Few users that dominate an arm: bots are found, ordinary heavy tails are not."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import f

from cranfield.online import Metric
from cranfield.studies import ab
from tests.support.heavy_tailed_users import concentration, users

CTR = Metric("ctr", "clicks", "pages")


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
    """One user above 60 others of a Pareto tail, estimated from the 25 largest; 2 arms × 1 / (share ½ of one user)."""
    sizes = np.array([(60.5 / (i + 0.5)) ** 0.5 for i in range(60)])
    top = 400 * sizes[0]
    data = pl.DataFrame({"arm": ["a"] * 61 + ["b"] * 60, "spent": [top, *sizes, *sizes]})
    row = concentration(ab(data, "spent", control="b"))
    spacings = [i * np.log(x / y) for i, x, y in zip(range(2, 25), sizes[:23], sizes[1:24], strict=True)]
    expected = 2 * 2 * f.sf(np.log(400) / np.mean(spacings), 2, 2 * len(spacings))
    assert row["p"] == pytest.approx(expected, rel=1e-9)
    assert row["effect"] == pytest.approx(top / (top + sizes.sum()))


def test_a_tail_of_whole_numbers_starts_half_below_its_smallest() -> None:
    """A count stands for any value that rounds to it; without this, small arms fail up to 6 times as often as 1%.

    The 25 largest of 61 users end at 4, which many have, so the tail starts at 3.5.
    """
    sizes = np.array([30, 20, 15, 12, 10, 9, 8, 8, 7, 7, 6, 6, 6, *[5] * 5, *[4] * 12, *[3] * 30])
    data = pl.DataFrame({"arm": ["a"] * 61 + ["b"] * 60, "spent": [9000, *sizes, *sizes]})
    row = concentration(ab(data, "spent", control="b"))
    tail = [*sizes[:23].astype(float), sizes[23] - 0.5]
    spacings = [i * np.log(x / y) for i, x, y in zip(range(2, 25), tail[:-1], tail[1:], strict=True)]
    expected = 2 * 2 * f.sf(np.log(8999.5 / 30.5) / np.mean(spacings), 2, 2 * len(spacings))
    assert row["p"] == pytest.approx(expected, rel=1e-9)


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
