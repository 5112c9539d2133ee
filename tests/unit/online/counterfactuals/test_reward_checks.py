"""Checks of rewards: logs that lost rows, hold codes for missing rewards or were read twice, and logs that did not."""

from typing import Any

import numpy as np
import pytest

from cranfield.data import read_choices
from cranfield.online.counterfactuals.reward_checks import reward_checks, reward_notes

Columns = dict[str, Any]


def shown(seed: int, *, rows: int = 2000, users: int | None = 300) -> Columns:
    """Simulate single documents of ten topics, five to each, of which a third is clicked."""
    stream = np.random.default_rng(seed)
    columns: Columns = {"topic": [f"q{i}" for i in stream.integers(0, 10, rows)]}
    columns |= {"document": [f"d{i}" for i in stream.integers(0, 5, rows)], "propensity": [0.2] * rows}
    columns |= {"reward": (stream.random(rows) < 1 / 3).astype(float).tolist(), "target": [0.2] * rows}
    return columns if users is None else columns | {"user": [f"u{i}" for i in stream.integers(0, users, rows)]}


def taken(columns: Columns, rows: list[int]) -> Columns:
    return {name: [cells[i] for i in rows] for name, cells in columns.items()}


def failed(columns: Columns) -> list[str]:
    return [check.check for check in reward_checks(read_choices(columns)) if not check.passed]


@pytest.mark.parametrize("users", [300, None])
def test_logs_without_a_fault_pass(users: int | None) -> None:
    for seed in range(50):
        assert failed(shown(seed, users=users)) == []
        assert failed(shown(seed, rows=100, users=users)) == []


@pytest.mark.parametrize("reward", [0.0, 1.0])
def test_rewards_that_are_all_equal(reward: float) -> None:
    log = shown(1)
    kept = [i for i, earned in enumerate(log["reward"]) if earned == reward]
    assert failed(taken(log, kept)) == ["rewards vary"]


@pytest.mark.parametrize("code", [-999.0, -9.0, -2.0])
def test_a_code_for_missing_rewards_is_named(code: float) -> None:
    log = shown(2)
    log["reward"][:20] = [code] * 20
    (check,) = (check for check in reward_checks(read_choices(log)) if not check.passed)
    assert (check.check, check.effect) == ("missing rewards", 20 / 2000)
    assert f"20 of 2,000 rewards are {code:g}" in check.detail


@pytest.mark.parametrize(
    "rewards",
    [
        [-1.0, 0, 1],  # dislikes and likes
        [-5.0, 0, 12, 5],
        [-0.1, 0.9],  # clicks, less what it costs to show a document
        [-20.0, -3, 0, 12],  # returned goods
    ],
)
def test_rewards_may_be_negative(rewards: list[float]) -> None:
    log = shown(3) | {"reward": (rewards * 2000)[:2000]}
    assert "missing rewards" not in failed(log)


def test_a_negative_reward_that_may_be_a_dislike_is_noted() -> None:
    log = shown(4)
    log["reward"][:20] = [-1.0] * 20  # or a code: the others are 0 and 1
    (note,) = reward_notes(read_choices(log))
    assert note.startswith("20 rewards are -1")
    assert reward_notes(read_choices(shown(4))) == ()


@pytest.mark.parametrize("users", [300, None])
def test_copies_of_the_log(users: int | None) -> None:
    log = shown(5, users=users)
    every, clicked = list(range(2000)), [i for i in range(2000) if log["reward"][i]]
    for rows, times in ((every * 2, 2), (every[:500] * 20, 20), (every + clicked, 2)):
        (check,) = (check for check in reward_checks(read_choices(taken(log, rows))) if not check.passed)
        assert (check.check, check.effect) == ("copies of rows", times)


def test_few_different_rows_say_nothing() -> None:
    """Two documents, clicked or not, each in an even number of rows: no copies."""
    log = taken({"topic": ["q"] * 4, "document": [*"aabb"], "propensity": [0.5] * 4, "target": [0.5] * 4}, [0, 2] * 200)
    assert failed(log | {"reward": [0.0, 0, 1, 1] * 100}) == []
