"""The strategy that reads, on documents of which the relevant ones share words."""

import sys
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cranfield.collections import ActiveLearning, Candidates, Depth, Walk, find_candidates, parse_strategy, replay
from cranfield.collections.strategies import active_learning as text
from cranfield.core import MissingExtra, ParameterError
from cranfield.data import Corpus, read_corpus, read_run
from tests.support.reference import strategy_definitions
from tests.support.reference.strategy_definitions import Case, campaign

COMMON = [f"word{i}" for i in range(60)]


def corpus_of(case: Case, *, seed: int = 0, mute: frozenset[str] = frozenset()) -> Corpus:
    """Ten common words for each document; a relevant one has four words of its topic besides."""
    stream = np.random.default_rng(seed)
    texts: dict[str, list[str]] = {}
    names = zip(case.candidates.topic.tolist(), case.candidates.document.to_list(), case.relevant.tolist(), strict=True)
    for topic, document, hit in names:
        own = texts.setdefault(document, list(stream.choice(COMMON, 10)))
        if hit:
            own += list(stream.choice([f"topic{topic}theme{i}" for i in range(8)], 4, replace=False))
    return read_corpus({document: " ".join(words) for document, words in texts.items() if document not in mute})


def needed(case: Case, asked: NDArray[np.bool_], share: float) -> int:
    """How many judgments of each topic find so much of what there is."""
    found = asked.cumsum(axis=1).sum(axis=0) / case.relevant.sum()
    return int(np.argmax(found >= share)) + 1


@pytest.mark.parametrize("seed", range(3))
def test_it_finds_what_shares_words_faster_than_a_pool_of_a_depth(seed: int) -> None:
    case = campaign(seed)
    corpus = corpus_of(case, seed=seed)
    read = replay(ActiveLearning(), case.candidates, case.relevant, corpus=corpus)
    plain = replay(Depth(), case.candidates, case.relevant)
    assert needed(case, read.relevant, 0.9) < 0.75 * needed(case, plain.relevant, 0.9)
    again = replay(ActiveLearning(), case.candidates, case.relevant, corpus=corpus)
    assert read.order.tolist() == again.order.tolist()


def test_until_a_relevant_document_is_known_the_order_is_that_of_fusion() -> None:
    case = campaign(3)
    corpus = corpus_of(case)
    nothing = np.zeros_like(case.relevant)
    asked = replay(ActiveLearning(), case.candidates, nothing, corpus=corpus).order
    assert [case.names(row) for row in asked] == [
        strategy_definitions.rrf(case.rankings[topic]) for topic in case.topics
    ]
    asked = replay(ActiveLearning(), case.candidates, case.relevant, corpus=corpus).order
    for row, topic in zip(asked, case.topics, strict=True):
        fused = strategy_definitions.rrf(case.rankings[topic])
        first = next(place for place, document in enumerate(fused) if document in case.found[topic])
        assert case.names(row)[: first + 1] == fused[: first + 1]
        assert case.names(row) != fused


def test_documents_without_text_come_last() -> None:
    case = campaign(4)
    documents = sorted(set(case.candidates.document.to_list()))
    mute = frozenset(documents[::4])
    asked = replay(ActiveLearning(), case.candidates, case.relevant, corpus=corpus_of(case, mute=mute)).order
    for row, topic in zip(asked, case.topics, strict=True):
        names = case.names(row)
        silent = [document for document in strategy_definitions.rrf(case.rankings[topic]) if document in mute]
        assert names[len(names) - len(silent) :] == silent
    words = read_corpus({document: "a ?" if document in mute else "some words" for document in documents})
    asked = replay(ActiveLearning(), case.candidates, case.relevant, corpus=words).order
    for row, topic in zip(asked, case.topics, strict=True):  # a text without a word is none
        names = case.names(row)
        silent = [document for document in strategy_definitions.rrf(case.rankings[topic]) if document in mute]
        assert names[len(names) - len(silent) :] == silent


def test_batches_grow_by_a_tenth(monkeypatch: pytest.MonkeyPatch) -> None:
    case = one_topic(150)
    corpus = read_corpus({d: f"kind{int(d[1:]) % 3} {d}" for d in case.document.to_list()})
    relevant = np.array([int(d[1:]) % 3 == 0 for d in case.document.to_list()])
    walk = Walk(ActiveLearning(negatives=20), case, corpus=corpus)
    fitted: list[int] = []
    plain = text._likeness

    def noted(words: Any, hits: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.float64]:
        fitted.append(int(walk.step[0]))
        said = walk.memory["said"][0]
        assert hits.tolist() == np.flatnonzero(said == 1).tolist()
        failed = np.flatnonzero(said == 0)
        assert others[: len(failed)].tolist() == failed.tolist()
        presumed = others[len(failed) :]
        assert len(set(presumed.tolist())) == len(presumed) == min(20, int(np.isnan(said).sum()))
        assert np.isnan(said[presumed]).all()
        return plain(words, hits, others)

    monkeypatch.setattr(text, "_likeness", noted)
    topic = np.array([0])
    while (chosen := walk.next())[0] >= 0:
        assert walk.next().tolist() == chosen.tolist()  # to look is not to ask
        walk.ask(topic, chosen)
        walk.tell(topic, chosen, relevant[chosen].astype(float))
    assert fitted[0] == 1  # the first document is relevant
    expected, size = [1], 1
    while expected[-1] + size < 150:
        expected.append(expected[-1] + size)
        size += -(-size // 10)
    assert fitted == expected
    assert np.diff(fitted)[:13].tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15]


def one_topic(number: int) -> Candidates:
    return find_candidates([read_run({"1": {f"d{i}": -i for i in range(number)}}, name="x")], depth=number)


def test_a_regression_by_hand() -> None:
    # Two words: what only relevant documents say pulls up, what only the others say pulls down.
    words = text._weigh(["wheat wheat", "wheat", "rust", "rust rust", "wheat rust", "other"])
    likeness = text._likeness(words, np.array([0]), np.array([2]))
    assert likeness[1] > likeness[4] > likeness[3]
    assert likeness[0] == pytest.approx(likeness[1])  # one word alone has length 1 however often it is said
    assert likeness[1] > likeness[5] > likeness[3]
    assert likeness[1] - likeness[5] == pytest.approx(likeness[5] - likeness[2])  # both sides count the same
    assert np.diff(words.indptr).tolist() == [1, 1, 1, 1, 2, 1]
    length = np.sqrt(np.asarray(words.multiply(words).sum(axis=1)).ravel())
    assert length == pytest.approx(1)


def test_answers_of_a_half_count_as_relevant() -> None:
    candidates = one_topic(12)
    corpus = read_corpus({f"d{i}": "wheat" if i in (0, 9, 11) else f"rust {i}" for i in range(12)})
    walk = Walk(ActiveLearning(), candidates, corpus=corpus)
    topic, first = np.array([0]), walk.next()
    assert first.tolist() == [0]
    walk.ask(topic, first)
    walk.tell(topic, first, np.array([0.5]))
    assert walk.next().tolist() == [9]


def test_no_texts_no_reading() -> None:
    case = campaign(5)
    with pytest.raises(ParameterError) as caught:
        replay(ActiveLearning(), case.candidates, case.relevant)
    assert caught.value.problem == "the strategy cal reads documents: give their texts"
    assert caught.value.hint == "documents and what they say, as JSON Lines, Parquet, CSV or TREC files"


def test_what_has_to_be_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    case = campaign(5)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(MissingExtra) as caught:
        replay(ActiveLearning(), case.candidates, case.relevant, corpus=case.corpus)
    assert (caught.value.problem, caught.value.hint) == ("text needs sklearn", "pip install 'cranfield[text]'")


def test_notation() -> None:
    assert parse_strategy("cal") == parse_strategy("AutoTAR") == ActiveLearning(negatives=100)
    assert ActiveLearning.needs_text
    with pytest.raises(ParameterError, match="cal cannot have negatives=0"):
        parse_strategy("cal(negatives=0)")
