"""Simulated users: they click as the model says, and what they leave is a log."""

from collections import defaultdict
from functools import partial
from itertools import product
from math import sqrt
from typing import Any

import numpy as np
import pytest

from cranfield.core import ParameterError, generator
from cranfield.data import read_log
from cranfield.online import Interleaved, multileave
from cranfield.simulate import Campaign, DBNUser, simulate_log

DOCUMENTS = [f"d{number:02}" for number in range(20)]
QRELS = {"1": dict.fromkeys(DOCUMENTS[:5], 2), "2": dict.fromkeys(DOCUMENTS[:5], 1)}
GOOD = {topic: {document: -float(place) for place, document in enumerate(DOCUMENTS)} for topic in QRELS}
BAD = {topic: {document: float(place) for place, document in enumerate(DOCUMENTS)} for topic in QRELS}
RUNS = {"good": GOOD, "bad": BAD}
TEAMS = partial(multileave, length=6, runs=tuple(RUNS))


def rows_of(columns: dict[str, Any]) -> list[dict[str, Any]]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def pages_of(columns: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    pages = defaultdict(list)
    for row in rows_of(columns):
        pages[row["impression"]].append(row)
    return pages


def chance_of(user: DBNUser, worth: tuple[float, ...], pattern: tuple[bool, ...]) -> float:
    """The chance of a pattern of clicks, by recursion over whether she is still reading."""

    def from_rank(rank: int) -> float:
        if rank == len(worth):
            return 1.0
        nothing = float(not any(pattern[rank + 1 :]))
        attracts = user.attraction[0] + (user.attraction[1] - user.attraction[0]) * worth[rank]
        satisfies = user.satisfaction[0] + (user.satisfaction[1] - user.satisfaction[0]) * worth[rank]
        further = user.continuation * from_rank(rank + 1) + (1 - user.continuation) * nothing
        if pattern[rank]:
            return attracts * (satisfies * nothing + (1 - satisfies) * further)
        return (1 - attracts) * further

    return from_rank(0)


def test_a_user_clicks_as_likely_as_the_model_says() -> None:
    user, worth, pages = (
        DBNUser(attraction=(0.3, 0.8), satisfaction=(0.1, 0.6), continuation=0.7),
        (1.0, 0.0, 0.5),
        20_000,
    )
    clicked = user.clicks(np.tile(worth, (pages, 1)), generator(3))
    total = 0.0
    for pattern in product((False, True), repeat=3):
        chance = chance_of(user, worth, pattern)
        total += chance
        seen = (clicked == pattern).all(axis=1).mean()
        assert abs(seen - chance) <= 5 * sqrt(chance * (1 - chance) / pages), pattern
    assert total == pytest.approx(1)


def test_nothing_is_clicked_below_the_end_of_a_page() -> None:
    user = DBNUser(attraction=(1.0, 1.0), satisfaction=(0.0, 0.0), continuation=1.0)
    clicked = user.clicks(np.array([[0.0, 1.0, np.nan], [1.0, np.nan, np.nan]]), generator(0))
    assert clicked.tolist() == [[True, True, False], [True, False, False]]


@pytest.mark.parametrize("page", [None, TEAMS])
def test_what_users_leave_is_a_log_of_which_nothing_is_left_out(page: Any) -> None:
    columns = simulate_log(QRELS, RUNS, users=60, days=5, length=6, page=page)
    log = read_log(columns)
    assert log.excluded.rows == 0
    assert {"user", "session", "time", "click_time", "dwell"} <= log.known
    assert log.known >= ({"arm"} if page is None else {"team"})
    for rows in pages_of(columns).values():
        assert [row["rank"] for row in rows] == [1, 2, 3, 4, 5, 6]
        assert len({(row["user"], row["session"], row["time"], row["topic"]) for row in rows}) == 1
        for row in rows:
            assert (row["click_time"] is None) == (row["dwell"] is None) == (row["clicked"] == 0)
        times = [row["time"] for row in rows[:1]] + [row["click_time"] for row in rows if row["clicked"]]
        assert times == sorted(times)  # she reads from the top
    assert {row["user"] for row in rows_of(columns)} == {f"u{number}" for number in range(60)}
    assert min(columns["time"]) >= "2024-05-06"
    assert max(columns["time"]) < "2024-05-12"  # a session may run past the last midnight


def test_sessions_belong_to_a_user_and_their_pages_follow_each_other() -> None:
    columns = simulate_log(QRELS, GOOD, users=80, days=7)
    assert "arm" not in columns  # all have the one run
    first = [rows[0] for rows in pages_of(columns).values()]
    sessions = defaultdict(list)
    for row in first:
        sessions[row["session"]].append(row)
    assert len(sessions) < len(first)  # some have several pages
    for rows in sessions.values():
        assert len({row["user"] for row in rows}) == 1
        assert [row["time"] for row in rows] == sorted(row["time"] for row in rows)


def test_a_user_keeps_her_arm_and_arms_are_about_as_large() -> None:
    users = 600
    columns = simulate_log(QRELS, RUNS, users=users, days=3)
    arms = defaultdict(set)
    for row in rows_of(columns):
        arms[row["user"]].add(row["arm"])
    assert all(len(arm) == 1 for arm in arms.values())
    share = sum(arm == {"good"} for arm in arms.values()) / users
    assert abs(share - 0.5) <= 5 * 0.5 / sqrt(users)


def test_a_better_run_has_more_clicks_on_it() -> None:
    """Grade 2 of 2 in topic 1 is worth 1: the first document of good is clicked in 9 of 10, of bad in 2 of 10."""
    user = DBNUser(attraction=(0.2, 0.9))
    columns = simulate_log(QRELS, RUNS, user=user, users=500, days=5)
    for run, document, chance in (("good", "d00", 0.9), ("bad", "d19", 0.2)):
        first = [row for row in rows_of(columns) if (row["arm"], row["topic"], row["rank"]) == (run, "1", 1)]
        assert {row["document"] for row in first} == {document}
        share = sum(row["clicked"] for row in first) / len(first)
        assert abs(share - chance) <= 5 * sqrt(chance * (1 - chance) / len(first))


def test_a_topic_that_a_run_lacks_is_an_empty_page_and_is_not_interleaved() -> None:
    runs = {"good": GOOD, "half": {"2": BAD["2"]}}
    rows = rows_of(simulate_log(QRELS, runs, users=100, days=5, length=6))
    empty = [row for row in rows if row["arm"] == "half" and row["topic"] == "1"]
    assert empty
    assert all((row["rank"], row["document"], row["clicked"]) == (None, None, 0) for row in empty)
    assert not read_log(simulate_log(QRELS, runs, users=20, days=2)).excluded.rows
    shared = simulate_log(QRELS, runs, users=50, days=5, page=partial(multileave, length=6, runs=tuple(runs)))
    assert set(shared["topic"]) == {"2"}


def test_pages_that_runs_share_can_be_made_again_from_their_rows() -> None:
    columns = simulate_log(QRELS, RUNS, users=30, days=3, page=TEAMS)
    for rows in pages_of(columns).values():
        page = Interleaved.from_rows([{name: row[name] for name in row if name != "clicked"} for row in rows])
        clicks = [row["rank"] for row in rows if row["clicked"]]
        by_team = [sum(row["clicked"] for row in rows if row["team"] == run) for run in RUNS]
        assert list(page.credit(clicks)) == by_team


def test_the_same_seed_gives_the_same_log() -> None:
    made = [simulate_log(QRELS, RUNS, users=20, days=2, seed=seed) for seed in (4, 4, 5)]
    assert made[0] == made[1]
    assert made[0]["clicked"] != made[2]["clicked"]


def test_users_of_a_campaign_in_memory() -> None:
    made = Campaign(topics=4, runs=2, groups=2, depth=20, missing=0).make()
    runs = {name: made.run_columns(name) for name in made.names}
    columns = simulate_log(made.qrels_columns(), runs, users=40, days=3)
    assert set(columns["arm"]) == set(made.names)
    assert set(columns["topic"]) <= set(made.topics)


@pytest.mark.parametrize("wrong", [{"users": 0}, {"days": 0}, {"length": 0}])
def test_nobody_and_nothing_is_no_log(wrong: dict[str, int]) -> None:
    with pytest.raises(ParameterError, match="make no log") as caught:
        simulate_log(QRELS, RUNS, **wrong)  # type: ignore[arg-type]
    assert caught.value.hint == "give 1 or more of each"


def test_runs_of_other_topics_are_refused() -> None:
    with pytest.raises(ParameterError, match="no topic of the judgments is in the runs"):
        simulate_log({"9": {"a": 1}}, RUNS)


@pytest.mark.parametrize(
    "wrong", [{"attraction": (0.1, 1.2)}, {"satisfaction": (-0.1, 0.5)}, {"continuation": float("nan")}]
)
def test_what_is_no_chance_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="no chance"):
        DBNUser(**wrong)
