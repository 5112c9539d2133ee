"""Credits from a log are those of its pages one by one."""

from typing import Any

import numpy as np
import pytest

from cranfield.core import ParameterError, generator
from cranfield.online import INTERLEAVINGS, Interleaving, interleaved_table, logged_credits, multileave

LISTS = [list("abcdef"), list("dcafeb"), list("gabcfe")]


def made_log(method: Interleaving, impressions: int = 30) -> tuple[dict[str, list[Any]], list[tuple[float, ...]]]:
    """A log in a mixed order with random clicks, and the credit of every page."""
    rng = generator(6, str(method))
    rows: list[dict[str, Any]] = []
    credit = []
    for number in range(impressions):
        page = multileave(LISTS if method.several else LISTS[:2], rng, method=method, length=5)
        clicks = (np.flatnonzero(rng.random(len(page.documents)) < 0.4) + 1).tolist()
        credit.append(page.credit(clicks))
        rows += [row | {"clicked": row["rank"] in clicks} for row in page.rows(f"i{number:03}", user=f"u{number % 7}")]
    mixed = [rows[place] for place in rng.permutation(len(rows))]
    return {name: [row[name] for row in mixed] for name in rows[0]}, credit


@pytest.mark.parametrize("method", [cls() for cls in INTERLEAVINGS], ids=str)
def test_a_log_gives_every_impression_the_credit_of_its_page(method: Interleaving) -> None:
    log, credit = made_log(method)
    found = logged_credits(log)
    assert found.runs == tuple("abc"[: len(credit[0])])
    np.testing.assert_allclose(found.credit, credit, atol=1e-12)
    assert found.user.tolist() == [number % 7 for number in range(30)]
    assert set(interleaved_table(found, method=str(method)).cells("users")) == {7}


def test_teams_are_enough() -> None:
    """Clicks on one document of each team, then on two of old; an impression without a click gives nothing."""
    log = {
        "impression": [1, 1, 1, 2, 2, 3],
        "user": ["u", "u", "u", "v", "v", "u"],
        "clicked": [1, 1, 0, 1, 1, 0],
        "team": ["old", "new", "old", "old", "old", None],
    }
    found = logged_credits(log)
    assert found.runs == ("new", "old")
    assert found.credit.tolist() == [[1, 1], [0, 2], [0, 0]]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"clicked": None}, "no column 'clicked'"),
        ({"team": None}, "whose a document is"),
        ({"team": ["x", "x"]}, "1 teams"),
        ({"user": ["u", "v"]}, "two users"),
        ({"user": ["u"]}, "differ in length"),
        ({"worth_x": [1, 0], "worth_y": [0, 1], "method": ["ppm", "balanced"]}, "several methods"),
        ({"worth_x": [None, None], "worth_y": [None, None]}, "no column 'method'"),
        ({name: [] for name in ("impression", "user", "clicked", "team")}, "no impression"),
    ],
)
def test_logs_that_cannot_be_counted_are_refused(change: dict[str, Any], says: str) -> None:
    log = {"impression": [1, 1], "user": ["u", "u"], "clicked": [1, 0], "team": ["x", "y"]} | change
    with pytest.raises(ParameterError, match=says):
        logged_credits({name: column for name, column in log.items() if column is not None})
