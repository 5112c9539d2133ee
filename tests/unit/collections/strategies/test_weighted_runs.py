"""Hedge, document by document against 60-digit arithmetic."""

from math import log

import numpy as np
import pytest

from cranfield.collections import Hedge, Walk, find_candidates, replay
from cranfield.data import read_run
from tests.support.reference import strategy_definitions
from tests.support.reference.strategy_definitions import campaign


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("beta", [0.1, 0.8])
def test_orders_are_those_of_literal_lists(beta: float, seed: int) -> None:
    case = campaign(seed)
    asked = replay(Hedge(beta=beta), case.candidates, case.relevant, seed=seed).order
    for row, topic in zip(asked, case.topics, strict=True):
        expected = strategy_definitions.hedge(case.rankings[topic], case.found[topic], case.stream(topic, seed), beta)
        assert case.names(row) == expected, topic


def test_weights_by_hand() -> None:
    # A pool of a, b, c, d; the first run has a and b, the second c and a, the third nothing.
    given = [{"1": {"a": 2.0, "b": 1.0}}, {"1": {"c": 2.0, "a": 1.0}}, {"2": {"d": 1.0}}]
    runs = [read_run(run, name=f"{number}") for number, run in enumerate(given)]
    walk = Walk(Hedge(beta=0.5), find_candidates(runs), [0])  # documents a, c, b
    topic, size = np.array([0]), 3
    missing = 0.5 * log(size / 3)  # each of the two lacks one document: it stands at rank 3
    early = [0.5 * log(size / rank) for rank in (1, 2)]
    assert walk.strategy.choose(walk).tolist() == [0]  # a stands first and second
    walk.ask(topic, np.array([0]))
    walk.tell(topic, np.array([0]), np.array([1.0]))
    walk.ask(topic, np.array([1]))
    walk.tell(topic, np.array([1]), np.array([0.0]))
    lost = walk.memory["loss"][0]
    assert lost[:2] == pytest.approx([missing - early[0], early[0] - early[1]], abs=1e-15)
    assert np.isinf(lost[2])
    assert walk.next().tolist() == [2]


@pytest.mark.parametrize("seed", range(3))
def test_a_run_without_documents_changes_nothing(seed: int) -> None:
    case = campaign(seed)
    others = case.candidates.without([2, 5])
    fewer = find_candidates([run for number, run in enumerate(case.runs) if number not in (2, 5)], depth=20)
    assert others.document.to_list() == fewer.document.to_list()
    relevant = np.random.default_rng(seed).random(len(others)) < 0.3
    assert replay(Hedge(), others, relevant).order.tolist() == replay(Hedge(), fewer, relevant).order.tolist()


def test_ranks_beyond_the_number_of_documents() -> None:
    # Of a pool that is known in part, deep ranks are left: a document at rank 20 is no worse than one nobody has.
    case = campaign(1)
    deep = case.candidates.only(case.candidates.best > 15)
    walk = Walk(Hedge(), deep)
    assert (walk.memory["early"] >= 0).all()
    assert (walk.memory["missing"] >= 0).all()
    asked = replay(Hedge(), deep, case.relevant[case.candidates.best > 15]).order
    assert sorted(asked[asked >= 0].tolist()) == list(range(len(deep)))
