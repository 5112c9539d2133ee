"""Online measures over a log, beside plain Python that goes through its pages one by one."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from math import exp, log, sqrt
from typing import Any

import pytest

from cranfield.core import CranfieldError, definition
from cranfield.data import read_log
from cranfield.online import ONLINE_MEASURES, online_table, parse_online
from tests.support.simulations import search_logs

Pairs = list[tuple[str, float, float]]  # user, amount, how many count
HALF = 1.959963984540054  # of the normal distribution at 95 %


def log_of(rows: list[search_logs.Row]) -> Any:
    return read_log(search_logs.as_arrow(rows))


def sessions(pages: list[search_logs.Row]) -> dict[str, list[list[search_logs.Row]]]:
    """The sessions of each user, in order."""
    by: dict[str, dict[str, list[search_logs.Row]]] = defaultdict(lambda: defaultdict(list))
    for page in sorted(pages, key=lambda one: (one["time"], one["impression"])):
        by[page["user"]][page["session"]].append(page)
    return {user: list(own.values()) for user, own in by.items()}


def ended(session: list[search_logs.Row]) -> float:
    return float(max(max(page["time"], page["last_click"] or 0.0) for page in session))


WEIGHTS = {  # log-odds of satisfaction, any numbers
    "abandoned": -0.4,
    "clicks": 0.1,
    "impressions": -0.2,
    "log_dwell": 0.15,
    "log_seconds": -0.05,
    "read": 0.3,
    "reciprocal_rank": 0.25,
    "reformulated": -0.35,
}
SATISFACTION = f"satisfaction(base=0.5,weights='{' '.join(f'{name}={weight}' for name, weight in WEIGHTS.items())}')"


def chance(session: list[search_logs.Row]) -> float:
    """That the user of a session was satisfied, by these weights."""
    features = {
        "impressions": len(session),
        "clicks": sum(page["clicks"] for page in session),
        "abandoned": sum(page["shown"] > 0 and not page["clicks"] for page in session),
        "reformulated": sum(a["topic"] != b["topic"] for a, b in pairwise(session)),
        "reciprocal_rank": sum(1 / page["first_rank"] for page in session if page["clicks"]),
        "log_seconds": log(1 + ended(session) - session[0]["time"]),
        "read": sum(page["satisfied"] for page in session),
        "log_dwell": log(1 + sum(page["dwell"] or 0 for page in session)),
    }
    return 1 / (1 + exp(-(0.5 + sum(WEIGHTS[name] * value for name, value in features.items()))))


def literal(rows: list[search_logs.Row]) -> dict[str, Pairs]:
    """What every impression, session or user has of each measure, in plain Python."""
    pages = search_logs.impressions(rows)
    found: dict[str, Pairs] = defaultdict(list)
    for page in pages:
        user, clicks, hit = page["user"], page["clicks"], page["clicks"] > 0
        near = [row for row in rows if row["impression"] == page["impression"] and (row["rank"] or 99) <= 3]
        found["ctr"].append((user, hit, 1))
        found["ctr_at(k=3)"].append((user, sum(bool(row["clicked"]) for row in near), len(near)))
        found["clicks"].append((user, clicks, 1))
        found["click_rank"].append((user, page["first_rank"] or 0, hit))
        found["click_reciprocal_rank"].append((user, 1 / page["first_rank"] if hit else 0, 1))
        for name in ("first", "last"):
            waited = page[f"{name}_click"] - page["time"] if hit else 0
            found[f"time_to_{name}_click"].append((user, waited, hit))
        found["dwell"].append((user, page["dwell"] or 0, page["dwelled"]))
        found["satisfied_clicks"].append((user, page["satisfied"], 1))
        found["abandonment"].append((user, page["shown"] > 0 and not hit, page["shown"] > 0))
        found["good_abandonment"].append((user, not hit and page["answered"] > 0, 1))
        found["zero_results"].append((user, page["shown"] == 0, 1))
        found["conversion"].append((user, page["converted"], 1))
    for user, own in sessions(pages).items():
        found["revenue"].append((user, sum(page["revenue"] for session in own for page in session), 1))
        found["sessions_per_user"].append((user, len(own), 1))
        long_ago = max(ended(session) for all_of in sessions(pages).values() for session in all_of) - ended(own[0])
        counts = long_ago >= 7 * 86400
        back = len(own) > 1 and own[1][0]["time"] - ended(own[0]) <= 7 * 86400
        found["return_within"].append((user, counts and back, counts))
        for session, following in zip(own, [*own[1:], None], strict=True):
            topics = [page["topic"] for page in session]
            found["reformulation"] += [
                (user, a != b, 1) for a, b in zip(topics, [*topics[1:], topics[-1]], strict=True)
            ]
            found["queries_per_session"].append((user, len(session), 1))
            found["session_length"].append((user, ended(session) - session[0]["time"], 1))
            found["session_success"].append((user, any(page["satisfied"] for page in session), 1))
            absent = (following[0]["time"] - ended(session)) / 3600 if following else 0
            found["absence_time"].append((user, absent, following is not None))
            said = [page["satisfaction"] for page in session if page["satisfaction"] is not None]
            found["said_satisfied"].append((user, min(said, default=0), bool(said)))
            found[SATISFACTION].append((user, chance(session), 1))
    return found


def expected(pairs: Pairs) -> tuple[float, float]:
    """The ratio of sums, and its standard error by the delta method over users, from the definition."""
    users: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for user, amount, counted in pairs:
        users[user][0] += amount
        users[user][1] += counted
    n = len(users)
    y, x = (sum(own[side] for own in users.values()) / n for side in (0, 1))
    syy = sum((own[0] - y) ** 2 for own in users.values()) / (n - 1)
    sxx = sum((own[1] - x) ** 2 for own in users.values()) / (n - 1)
    sxy = sum((own[0] - y) * (own[1] - x) for own in users.values()) / (n - 1)
    return y / x, sqrt((syy / x**2 + y**2 * sxx / x**4 - 2 * y * sxy / x**3) / n)


@pytest.fixture(scope="module")
def rows() -> list[search_logs.Row]:
    stays, _ = search_logs.cleaned(search_logs.made_up(500, 11))
    return stays


def test_every_measure_is_that_of_plain_python(rows: list[search_logs.Row]) -> None:
    by_hand = literal(rows)
    names = list(by_hand)
    assert {parse_online(name)[0].name for name in names} == set(ONLINE_MEASURES.names())
    table = online_table(log_of(rows), names)
    for row in table.rows():
        value, error = expected(by_hand[str(row["measure"])])
        assert row["value"] == pytest.approx(value, rel=1e-12), row["measure"]
        assert row["high"] - row["value"] == pytest.approx(HALF * error, rel=1e-9), row["measure"]  # type: ignore[operator]
        assert row["users"] == len({user for user, *_ in by_hand["ctr"]})


def test_arms_are_apart(rows: list[search_logs.Row]) -> None:
    table = online_table(log_of(rows), ["ctr", "sessions_per_user"], by_arm=True)
    assert [(row["measure"], row["arm"]) for row in table.rows()] == [
        (name, arm) for name in ("ctr", "sessions_per_user") for arm in "ab"
    ]
    for row in table.rows():
        pairs = literal([one for one in rows if one["arm"] == row["arm"]])[str(row["measure"])]
        assert row["value"] == pytest.approx(expected(pairs)[0], rel=1e-12)


@pytest.mark.parametrize(("per", "name"), [("session", "queries_per_session"), ("user", "sessions_per_user")])
def test_what_is_counted_on_impressions_can_be_asked_for_sessions_and_users(
    rows: list[search_logs.Row], per: str, name: str
) -> None:
    by_hand = literal(rows)
    clicks = sum(amount for _, amount, _ in by_hand["clicks"])
    (row,) = online_table(log_of(rows), f"clicks(per={per!r})").rows()
    assert row["unit"] == per
    assert row["value"] == pytest.approx(clicks / len(by_hand[name]), rel=1e-12)


def test_a_log_without_users_says_so() -> None:
    log = read_log({"impression": ["i", "j"], "topic": ["q", "q"], "rank": [1, 1], "document": "ab", "clicked": [1, 0]})
    table = online_table(log, "ctr abandonment")
    assert [row["value"] for row in table.rows()] == [0.5, 0.5]
    assert table.notes == ("the log knows no users: impressions are taken to be independent",)
    with pytest.raises(CranfieldError, match="time_to_first_click needs the column time: log has none"):
        online_table(log, "time_to_first_click")
    with pytest.raises(CranfieldError, match="values by arm needs the column arm"):
        online_table(log, "ctr", by_arm=True)
    with pytest.raises(CranfieldError, match="there is no online measure named 'crt'"):
        online_table(log, "crt")


@pytest.mark.parametrize("cls", list(ONLINE_MEASURES), ids=lambda cls: cls.name)
def test_every_measure_says_what_it_is_and_reads_what_it_writes(cls: Any) -> None:
    measure = cls()
    assert parse_online(str(measure)) == [measure]
    assert measure.direction in ("higher", "lower")
    assert ("lower is better" in definition(cls)) == (measure.direction == "lower")
