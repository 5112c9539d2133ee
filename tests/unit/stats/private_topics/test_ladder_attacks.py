"""Mixing attacks beside plain loops over draws, submissions and topics."""

from math import nan, sqrt
from statistics import fmean, median, stdev
from typing import Any

import numpy as np
import pytest

from cranfield.core import ParameterError, generator
from cranfield.stats import ATTACKS, FULL, Mixed, replay_mixing

A = np.array([0.9, 0.1, 0.5, 0.3, 0.8, 0.2, 0.6])
B = np.array([0.4, 0.5, 0.6, 0.1, 0.9, 0.1, 0.2])
DRAWS, SUBMISSIONS, SEED = 4, 9, 5


class Board:
    """What one team sees, as the rule is written."""

    def __init__(self, rule: str, decimals: int) -> None:
        self.rule, self.decimals = rule, decimals
        self.best: list[float] = []
        self.shown = nan

    def tell(self, run: list[float]) -> float:
        gains = [x - y for x, y in zip(run, self.best, strict=True)] if self.best else []
        if not gains or self.rule == "plain" or fmean(gains) > stdev(gains) / sqrt(len(gains)) + 1e-12:
            self.best, self.shown = run, round(fmean(run), self.decimals)
        return self.shown


def mixture(picks: Any) -> list[float]:
    return [float(a if pick else b) for a, b, pick in zip(A, B, picks, strict=True)]


def vote(board: Board, picks: Any) -> list[bool]:
    told = [board.tell(mixture(mine)) for mine in picks]
    middle = median(told)
    votes = [0] * len(A)
    for nth, mine in enumerate(picks):
        new = nth == 0 or told[nth] != told[nth - 1]
        weight = int(new) if board.rule == "ladder" else (told[nth] > middle) - (told[nth] < middle)
        for topic, pick in enumerate(mine):
            votes[topic] += weight if pick else -weight
    return [ballots >= 0 for ballots in votes]


def keep(board: Board, proposals: Any) -> list[bool]:
    kept, most = [True] * len(A), board.tell(A.tolist())
    for propose in proposals:
        mine = propose(kept)
        told = board.tell(mixture(mine))
        if told > most:
            kept, most = mine, told
    return kept


def literal(attack: str, rule: str, decimals: int) -> tuple[list[float], list[float]]:
    """The values at the end, and what was told last, of each draw; only the random numbers are the same."""
    random = generator(SEED, "mixing", attack)
    topics = len(A)
    if attack == "vote":
        coins = random.random((SUBMISSIONS, DRAWS, topics)) < 0.5
    elif attack == "best":
        coins = np.stack([random.random((DRAWS, topics)) < 0.5 for _ in range(SUBMISSIONS)])
    else:
        blocks = topics // 2 if rule == "ladder" else topics
        rounds = [
            random.permuted(np.tile(np.arange(topics) % blocks, (DRAWS, 1)), axis=1)
            for _ in range(-(-SUBMISSIONS // blocks))
        ]
    ends, last = [], []
    for draw in range(DRAWS):
        board = Board(rule, decimals)
        if attack == "vote":
            kept = vote(board, coins[:, draw])
        elif attack == "best":
            kept = keep(board, [lambda _, mine=mine: mine.tolist() for mine in coins[:, draw]])
        else:
            swaps = [rounds[nth // blocks][draw] == nth % blocks for nth in range(SUBMISSIONS)]
            kept = keep(
                board, [lambda kept, swap=swap: [k != s for k, s in zip(kept, swap, strict=True)] for swap in swaps]
            )
        ends.append(fmean(mixture(kept)))
        last.append(board.tell(mixture(kept)))
    return ends, last


@pytest.mark.parametrize("decimals", [1, 2, 15])
@pytest.mark.parametrize("rule", ["plain", "ladder"])
@pytest.mark.parametrize("attack", ATTACKS)
def test_attacks_are_what_plain_loops_say(attack: Any, rule: Any, decimals: int) -> None:
    options = {"submissions": SUBMISSIONS, "draws": DRAWS, "seed": SEED}
    found = replay_mixing(A, B, attack=attack, rule=rule, decimals=decimals, **options)  # type: ignore[arg-type]
    value, told = literal(attack, rule, decimals)
    assert found.value == pytest.approx(value)
    assert found.told == pytest.approx(told)
    assert found.start == pytest.approx(A.mean())
    assert found.gain == pytest.approx(fmean(value) - A.mean())
    assert found.error == pytest.approx(stdev(value) / 2)
    assert (found.value <= np.maximum(A, B).mean() + 1e-12).all()


def test_topic_by_topic_plain_values_give_all_there_is() -> None:
    found = replay_mixing(A, B, attack="climb", rule="plain", decimals=FULL, submissions=7, draws=3)
    assert found.value == pytest.approx([np.maximum(A, B).mean()] * 3)


@pytest.mark.parametrize("attack", ATTACKS)
def test_who_is_told_nothing_learns_nothing(attack: Any) -> None:
    found = replay_mixing(A, B, attack=attack, rule="none", draws=3)
    assert found.value == pytest.approx([A.mean()] * 3)
    assert np.isnan(found.told).all()
    assert found.gain == pytest.approx(0)


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("rule", ["plain", "ladder"])
def test_where_less_is_better_all_is_mirrored(attack: Any, rule: Any) -> None:
    up, down = (
        replay_mixing(sign * A, sign * B, attack=attack, rule=rule, decimals=2, lower_is_better=sign < 0)
        for sign in (1, -1)
    )
    assert down.value == pytest.approx(-up.value)
    assert down.told == pytest.approx(-up.told)
    assert down.start == -up.start
    assert down.gain == pytest.approx(up.gain)


def test_the_better_run_comes_first_and_seeds_repeat() -> None:
    one, other = (replay_mixing(*pair, draws=5) for pair in ((A, B), (B, A)))
    assert one.value.tolist() == other.value.tolist()
    assert one.value.tolist() != replay_mixing(A, B, draws=5, seed=1).value.tolist()
    alone = Mixed(0.5, np.array([0.6]), np.array([0.6]))
    assert np.isnan(alone.error)
    assert alone.gain == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"attack": "guess"}, "there is no attack 'guess'"),
        ({"rule": "steps"}, "there is no rule 'steps'"),
        ({"submissions": 0}, "0 submissions, 50 draws: nothing to replay"),
        ({"draws": 0}, "100 submissions, 0 draws: nothing to replay"),
        ({"decimals": 20}, "20 is no number of decimals"),
        ({"b": B[:-1]}, "the two runs have not the same topics"),
        ({"a": A[None], "b": B[None]}, "the two runs have not the same topics"),
        ({"a": A[:1], "b": B[:1]}, "1 private topic: no spread"),
        ({"a": np.where(A > 0.8, np.nan, A)}, "1 of 14 private values are no numbers"),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words) as error:
        replay_mixing(**{"a": A, "b": B, **options})
    assert error.value.hint
