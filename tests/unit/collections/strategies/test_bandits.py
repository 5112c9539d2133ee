"""Strategies that choose a run, document by document against literal lists that draw from the same stream."""

from collections.abc import Callable

import numpy as np
import pytest

from cranfield.collections import (
    MaxMean,
    MaxMeanNS,
    MoveToFront,
    Thompson,
    ThompsonNS,
    Walk,
    find_candidates,
    parse_strategy,
    replay,
)
from cranfield.core import ParameterError
from cranfield.data import read_run
from tests.support.reference import strategy_definitions
from tests.support.reference.strategy_definitions import Rankings, campaign

Told = Callable[[Rankings, set[str], np.random.Generator], list[str]]


def at(rate: float, walk: Callable[..., list[str]]) -> Told:
    return lambda rankings, relevant, stream: walk(rankings, relevant, stream, rate)


ARMS: list[tuple[str, Told]] = [
    ("random", strategy_definitions.random),
    ("mtf", strategy_definitions.mtf),
    ("maxmean", strategy_definitions.maxmean),
    ("maxmean(rate=0.5)", at(0.5, strategy_definitions.maxmean)),
    ("maxmean-ns", at(0, strategy_definitions.maxmean)),
    ("thompson", strategy_definitions.thompson),
    ("thompson(rate=0.9)", at(0.9, strategy_definitions.thompson)),
    ("thompson-ns", at(0, strategy_definitions.thompson)),
    ("ucb", strategy_definitions.ucb),
    ("epsilon-greedy", strategy_definitions.epsilon_greedy),
    ("epsilon-greedy(c=0.001)", lambda *given: strategy_definitions.epsilon_greedy(*given, c=0.001)),
]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("notation", "walk"), ARMS, ids=[row[0] for row in ARMS])
def test_orders_are_those_of_literal_lists(notation: str, walk: Told, seed: int) -> None:
    case = campaign(seed)
    asked = replay(parse_strategy(notation), case.candidates, case.relevant, seed=seed).order
    for row, topic in zip(asked, case.topics, strict=True):
        expected = walk(case.rankings[topic], case.found[topic], case.stream(topic, seed))
        assert case.names(row) == expected, topic


@pytest.mark.parametrize(("notation", "walk"), ARMS, ids=[row[0] for row in ARMS])
def test_where_nothing_and_where_everything_is_relevant(notation: str, walk: Told) -> None:
    case = campaign(3)
    for relevant in (np.zeros_like(case.relevant), np.ones_like(case.relevant)):
        found = strategy_definitions.found_of(case.candidates, relevant)
        asked = replay(parse_strategy(notation), case.candidates, relevant).order
        for row, topic in zip(asked, case.topics, strict=True):
            assert case.names(row) == walk(case.rankings[topic], found[topic], case.stream(topic))


def test_move_to_front_by_hand() -> None:
    runs = [read_run({"1": {d: -i for i, d in enumerate(r)}}, name=r) for r in ("abcd", "efgh")]
    candidates = find_candidates(runs)
    relevant = np.isin(candidates.document.to_list(), list("abefg"))
    orders = set()
    for seed in range(20):
        asked = replay(MoveToFront(), candidates, relevant, seed=seed).order[0]
        orders.add("".join(candidates.document[place] for place in asked))
    # Down the first run to its first failure (c, or h), then down the other one; where both have failed, once each,
    # the one that is left goes on.
    assert orders == {"abcefghd", "efghabcd"}


def test_the_mean_of_a_posterior_by_hand() -> None:
    runs = [read_run({"1": {d: -i for i, d in enumerate(r)}}, name=r) for r in ("abc", "bda")]
    walk = Walk(MaxMean(), find_candidates(runs))  # documents a, b, d, c
    topic = np.array([0])
    for document, relevant in ((0, 1.0), (1, 0.0), (3, 1.0)):
        walk.ask(topic, np.array([document]))
        walk.tell(topic, np.array([document]), np.array([relevant]))
    # The first run has all three, of which two are relevant; the second has a and b, of which one is.
    assert MaxMean().worth(walk).tolist() == [[(1 + 2) / (2 + 3), (1 + 1) / (2 + 2)]]
    assert walk.left.tolist() == [[0, 1]]
    assert walk.step.tolist() == [3]
    assert walk.next().tolist() == [2]


def test_a_rate_forgets() -> None:
    runs = [read_run({"1": {d: -i for i, d in enumerate("abcd")}}, name="x")]
    topic = np.array([0])
    walk = Walk(MaxMean(rate=0.5), find_candidates(runs))
    for document, relevant in ((0, 1.0), (1, 1.0), (2, 0.0)):
        walk.tell(topic, np.array([document]), np.array([relevant]))
    assert walk.hits.tolist() == [[(1 * 0.5 + 1) * 0.5 + 0]]
    assert walk.seen.tolist() == [[(1 * 0.5 + 1) * 0.5 + 1]]
    assert (MaxMeanNS(), ThompsonNS()) == (MaxMeanNS(rate=0), ThompsonNS(rate=0))
    assert (MaxMean(), Thompson()) == (MaxMean(rate=1), Thompson(rate=1))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("maxmean(rate=1.5)", "maxmean cannot have rate=1.5"),
        ("thompson-ns(rate=-1)", "thompson-ns cannot have rate=-1"),
        ("epsilon-greedy(d=1)", "epsilon-greedy cannot have d=1"),
        ("epsilon-greedy(c=0)", "epsilon-greedy cannot have c=0"),
    ],
)
def test_what_is_refused(text: str, problem: str) -> None:
    with pytest.raises(ParameterError) as caught:
        parse_strategy(text)
    assert caught.value.problem == problem
