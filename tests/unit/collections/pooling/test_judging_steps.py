"""What holds for every strategy of the catalogue."""

import numpy as np
import pytest
from numpy.typing import NDArray

from cranfield.collections import STRATEGIES, Candidates, Depth, Strategy, Walk, replay
from cranfield.core import SEED, parameters
from tests.support.reference.strategy_definitions import Case, campaign, pool, texts_of

EVERY = [cls() for cls in STRATEGIES]
every = pytest.mark.parametrize("strategy", EVERY, ids=str)


def walk_of(strategy: Strategy, candidates: Candidates, topics: list[int] | None = None, *, seed: int = SEED) -> Walk:
    return Walk(strategy, candidates, topics, seed=seed, corpus=texts_of(candidates))


def asked_of(strategy: Strategy, case: Case, *, first: int = 0, seed: int = SEED) -> list[list[int]]:
    order = replay(strategy, case.candidates, case.relevant, first=first, seed=seed, corpus=case.corpus).order
    return [[place for place in row if place >= 0] for row in order.tolist()]


def stepped(walk: Walk, relevant: NDArray[np.bool_]) -> list[list[int]]:
    """What each topic is asked for, told at once."""
    asked: list[list[int]] = [[] for _ in walk.topics]
    while (chosen := walk.next()).max(initial=-1) >= 0:
        topic = np.flatnonzero(chosen >= 0)
        which = walk.whole[topic, chosen[topic]]
        walk.ask(topic, chosen[topic])
        walk.tell(topic, chosen[topic], relevant[which].astype(float))
        for row, place in zip(topic.tolist(), which.tolist(), strict=True):
            asked[row].append(place)
    return asked


@every
@pytest.mark.parametrize("seed", range(3))
def test_every_document_is_asked_for_once(strategy: Strategy, seed: int) -> None:
    case = campaign(seed)
    start = walk_of(strategy, case.candidates)
    wanted = [np.sort(start.whole[row][~start.asked[row]]).tolist() for row in range(len(case.topics))]
    if strategy.name != "stratified":  # it asks for its sample
        assert sorted(place for row in wanted for place in row) == list(range(len(case.candidates)))
    assert [sorted(row) for row in asked_of(strategy, case)] == wanted


@every
def test_one_topic_walks_alone_as_among_others(strategy: Strategy) -> None:
    case = campaign(5)
    together = asked_of(strategy, case, seed=3)
    for topics in ([0], [2], [3, 1]):
        alone = stepped(walk_of(strategy, case.candidates, topics, seed=3), case.relevant)
        assert alone == [together[topic] for topic in topics]


@every
def test_one_seed_gives_one_order(strategy: Strategy) -> None:
    case = campaign(6)
    assert asked_of(strategy, case, seed=8) == asked_of(strategy, case, seed=8)
    drawn = asked_of(strategy, case, seed=8) != asked_of(strategy, case, seed=9)
    assert drawn == (strategy.name not in {"depth", "take", "rrf", "rbp"})


@every
@pytest.mark.parametrize("first", [1, 4, 100])
def test_a_pool_may_be_judged_first(strategy: Strategy, first: int) -> None:
    case = campaign(7)
    plain, asked = asked_of(strategy, case), asked_of(strategy, case, first=first)
    for topic, before, after in zip(case.topics, plain, asked, strict=True):
        names = case.names(np.array(after))
        shallow = pool(case.rankings[topic], first) & set(case.names(np.array(before)))
        assert set(names[: len(shallow)]) == shallow
        assert sorted(before) == sorted(after)


@every
def test_blocks_of_topics_change_nothing(strategy: Strategy, monkeypatch: pytest.MonkeyPatch) -> None:
    case = campaign(8)
    whole = asked_of(strategy, case)
    monkeypatch.setattr("cranfield.collections.pooling.pool_replay.MOST", 1)
    assert asked_of(strategy, case) == whole


@every
def test_answers_may_come_late_and_in_any_order(strategy: Strategy) -> None:
    case = campaign(9)
    walk = walk_of(strategy, case.candidates)
    wanted = np.sort(walk.whole[~walk.asked]).tolist()
    stream = np.random.default_rng(4)
    waiting: list[tuple[int, int]] = []
    asked: list[int] = []
    while (chosen := walk.next()).max() >= 0:
        topic = np.flatnonzero(chosen >= 0)
        walk.ask(topic, chosen[topic])
        waiting += zip(topic.tolist(), chosen[topic].tolist(), strict=True)
        asked += walk.whole[topic, chosen[topic]].tolist()
        while len(waiting) > 12:
            row, document = waiting.pop(int(stream.integers(len(waiting))))
            tell(walk, row, document, case.relevant)
    assert sorted(asked) == wanted
    for row, document in waiting:  # after the last question too
        tell(walk, row, document, case.relevant)
    if strategy.remembers == 1:
        held = [[len(ranking) for ranking in case.rankings[topic]] for topic in case.topics]
        if strategy.name != "stratified":
            assert walk.seen.tolist() == held


@every
def test_others_may_be_judged_than_were_asked_for(strategy: Strategy) -> None:
    case = campaign(10)
    walk = walk_of(strategy, case.candidates)
    stream = np.random.default_rng(5)
    wanted = np.sort(walk.whole[~walk.asked]).tolist()
    done: list[int] = []
    while (chosen := walk.next()).max() >= 0:
        for row in np.flatnonzero(chosen >= 0).tolist():
            free = np.flatnonzero(~walk.asked[row])
            document = int(stream.choice(free)) if stream.random() < 0.5 else int(chosen[row])
            assert not walk.asked[row, document]
            walk.ask(np.array([row]), np.array([document]))
            tell(walk, row, document, case.relevant)
            done.append(int(walk.whole[row, document]))
    assert sorted(done) == wanted
    assert not walk.open.any()
    assert walk.next().tolist() == [-1] * 4


def tell(walk: Walk, row: int, document: int, relevant: NDArray[np.bool_]) -> None:
    hit = float(relevant[walk.whole[row, document]])
    walk.tell(np.array([row]), np.array([document]), np.array([hit]))


@every
def test_topics_without_documents(strategy: Strategy) -> None:
    case = campaign(11)
    some = case.candidates.topic != 2
    candidates = case.candidates.only(some)
    order = replay(strategy, candidates, case.relevant[some], corpus=case.corpus).order
    assert (order[2] == -1).all()
    assert (order[[0, 1, 3], 0] >= 0).all()
    nothing = candidates.only(np.zeros(len(candidates), dtype=bool))
    walk = Walk(strategy, nothing, corpus=case.corpus)
    assert walk.next().tolist() == [-1] * 4


@every
def test_graded_answers_between_0_and_1(strategy: Strategy) -> None:
    case = campaign(12)
    walk = walk_of(strategy, case.candidates)
    topic = np.arange(len(case.topics))
    for _ in range(5):
        chosen = walk.next()
        walk.ask(topic, chosen)
        walk.tell(topic, chosen, np.full(4, 0.5))
    chosen = walk.next()
    assert not walk.asked[topic, chosen].any()


def test_what_is_closed_is_never_asked() -> None:
    case = campaign(13)
    walk = Walk(Depth(k=2), case.candidates)
    before = walk.left.copy()
    assert walk.left.max() == 2 * 7 or walk.left.max() <= 20
    walk.close(walk.asked)  # nothing new
    assert walk.left.tolist() == before.tolist()
    for row, topic in enumerate(case.topics):
        names = {case.candidates.document[walk.whole[row, d]] for d in np.flatnonzero(~walk.asked[row])}
        assert names == pool(case.rankings[topic], 2)
        for run, ranking in enumerate(case.rankings[topic]):
            assert walk.left[row, run] == len(names & set(ranking))


def test_what_every_parameter_does_is_told() -> None:
    for cls in STRATEGIES:
        assert list(cls.means) == [each.name for each in parameters(cls)]
        assert all(cls.means.values())
