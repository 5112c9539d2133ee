"""Strategies that do not look at judgments, document by document against literal lists."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cranfield.collections import Depth, RBPTake, RRFTake, Strategy, Take, find_candidates, parse_strategy, replay
from cranfield.core import ParameterError
from cranfield.data import read_run
from tests.support.reference import strategy_definitions
from tests.support.reference.strategy_definitions import Rankings, campaign, pool

ORDERS: list[tuple[str, Callable[[Rankings], list[str]]]] = [
    ("depth", strategy_definitions.depth),
    ("depth(k=1)", lambda rankings: strategy_definitions.depth(rankings, 1)),
    ("depth(k=6)", lambda rankings: strategy_definitions.depth(rankings, 6)),
    ("depth(k=50)", strategy_definitions.depth),
    ("take", strategy_definitions.take),
    ("rrf", strategy_definitions.rrf),
    ("rrf(k=0)", lambda rankings: strategy_definitions.rrf(rankings, 0)),
    ("rrf(k=2.5)", lambda rankings: strategy_definitions.rrf(rankings, 2.5)),
    ("rbp", strategy_definitions.rbp),
    ("rbp(p=0.5)", lambda rankings: strategy_definitions.rbp(rankings, 0.5)),
    ("rbp(p=0.95)", lambda rankings: strategy_definitions.rbp(rankings, 0.95)),
]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("notation", "order"), ORDERS, ids=[row[0] for row in ORDERS])
def test_orders_are_those_of_literal_lists(notation: str, order: Callable[[Rankings], list[str]], seed: int) -> None:
    case = campaign(seed)
    for relevant in (case.relevant, ~case.relevant):  # judgments change nothing
        asked = replay(parse_strategy(notation), case.candidates, relevant).order
        assert [case.names(row) for row in asked] == [order(case.rankings[topic]) for topic in case.topics]


@pytest.mark.parametrize("k", range(1, 11))
def test_the_toy_pool_to_each_depth(k: int, shared_data: Path) -> None:
    folder = shared_data / "small-collections" / "pool-toy"
    runs = [read_run(folder / f"input.{name}") for name in "ABCDE"]
    candidates = find_candidates(runs)
    rankings = strategy_definitions.rankings_of(runs, 10)
    asked = replay(Depth(k=k), candidates, np.zeros(len(candidates), dtype=bool)).order
    documents = candidates.document.to_list()
    for row, topic in zip(asked, candidates.topics, strict=True):
        names = [documents[place] for place in row if place >= 0]
        assert set(names) == pool(rankings[topic], k)
        assert len(names) == len(set(names))


@pytest.mark.parametrize("number", [3, 10, 17])
@pytest.mark.parametrize("strategy", [RRFTake(), RBPTake(), RBPTake(p=0.3), Take()], ids=str)
def test_what_is_equal_as_a_number_is_tied(strategy: Strategy, number: int) -> None:
    # Every document stands once at every rank: all sums are equal, whatever their order does to the last digits.
    names = [f"d{i:02}" for i in range(number)]
    cyclic = [names[run:] + names[:run] for run in range(number)]
    runs = [read_run({"1": {d: -rank for rank, d in enumerate(r)}}, name=f"{i}") for i, r in enumerate(cyclic)]
    candidates = find_candidates(runs)
    asked = replay(strategy, candidates, np.zeros(number, dtype=bool)).order[0]
    assert asked.tolist() == list(range(number))  # of equals the one that the pool finds first
    assert candidates.document.to_list() == names


def test_by_hand() -> None:
    runs = [read_run({"1": {d: -i for i, d in enumerate(r)}}, name=r) for r in ("abc", "bda", "bec")]
    candidates = find_candidates(runs)
    order = {
        # Ranks: a 1 3, b 2 1 1, c 3 3, d 2, e 2.
        Depth(): "abdec",
        Take(): "badec",  # two runs have b first
        RRFTake(k=0): "bacde",  # b 5/2, a 4/3, c 2/3, d and e 1/2
        RBPTake(p=0.5): "badec",  # weights 1/2, 1/4, 1/8: b 5/4, a 5/8, others 1/4, c last in the pool
    }
    for strategy, expected in order.items():
        asked = replay(strategy, candidates, np.zeros(5, dtype=bool)).order[0]
        assert "".join(candidates.document[place] for place in asked) == expected, strategy


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("depth(k=0)", "depth cannot have k=0"),
        ("rrf(k=-1)", "rrf cannot have k=-1"),
        ("rbp(p=1)", "rbp cannot have p=1"),
    ],
)
def test_what_is_refused(text: str, problem: str) -> None:
    with pytest.raises(ParameterError) as caught:
        parse_strategy(text)
    assert caught.value.problem == problem
