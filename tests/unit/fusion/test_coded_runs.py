"""Coded runs: sets of them, order, depth, where the result comes from."""

from dataclasses import replace
from functools import reduce
from itertools import permutations
from operator import add

import numpy as np
import pytest

from cranfield.core import ParameterError
from cranfield.data import Run, name_documents, read_run
from cranfield.fusion import FUSIONS, code_runs
from tests.support.reference.fusion_definitions import as_scores, drawn, fused, made, ordered


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("method", FUSIONS.names())
def test_some_of_the_runs(method: str, seed: int) -> None:
    given = drawn(seed)
    coded = code_runs(given.runs)
    for which in ([0], [1, 3], [4, 2, 0], range(5)):
        ours = as_scores(coded.fuse(method, which))
        theirs = fused([given.scores[run] for run in which], method)
        assert ours.keys() == theirs.keys()
        assert all(ours[topic] == pytest.approx(theirs[topic], rel=1e-12, abs=1e-12) for topic in ours)
        alone = as_scores(code_runs([given.runs[run] for run in which]).fuse(method))
        assert {topic: list(row) for topic, row in alone.items()} == {topic: list(row) for topic, row in ours.items()}


@pytest.mark.parametrize("method", ["rrf", "isr", "combsum", "combmnz(norm='z-score')"])
def test_the_order_is_by_score_and_then_by_id(method: str) -> None:
    for topic, scores in as_scores(code_runs(drawn(3).runs).fuse(method)).items():
        assert list(scores) == ordered(scores), topic


def test_ids_are_ordered_by_bytes() -> None:
    # "é" is above every letter of ASCII, "𝄞" (four bytes) above "ﬀ" (three): as characters of UTF-16 it would be below.
    given = made([{"1": {"b": 1, "Z": 1, "é": 1, "𝄞": 1, "ﬀ": 1}}, {"1": {"a": 0.5}}])
    assert list(as_scores(code_runs(given.runs).fuse("combsum"))["1"]) == ["𝄞", "ﬀ", "é", "b", "a", "Z"]


@pytest.mark.parametrize("method", FUSIONS.names())
def test_the_order_of_the_runs_changes_no_bit(method: str) -> None:
    coded = code_runs(drawn(5).runs)
    first = coded.fuse(method)
    for which in list(permutations(range(5)))[::7]:
        again = as_scores(coded.fuse(method, which))
        assert again == as_scores(first)
        assert list(map(list, again.values())) == list(map(list, as_scores(first).values()))


def test_documents_with_the_same_ranks_are_tied() -> None:
    # Seven documents that have the ranks 1 to 7 in seven runs: added up from the left, floats tell them apart.
    ranks = [[1 + (document + run) % 7 for run in range(7)] for document in range(7)]
    assert len({reduce(add, (1 / (60 + rank) for rank in row)) for row in ranks}) == 2
    scores = [{"1": {"abcdefg"[d]: -float(ranks[d][run]) for d in range(7)}} for run in range(7)]
    found = as_scores(code_runs(made(scores).runs).fuse("rrf"))["1"]
    assert len(set(found.values())) == 1
    assert list(found) == list("gfedcba")


@pytest.mark.parametrize("method", FUSIONS.names())
def test_reading_it_again_changes_nothing(method: str) -> None:
    run = code_runs(drawn(1).runs).fuse(method)
    again = read_run(run)
    assert again.to_table().rows() == run.to_table().rows()
    assert np.array_equal(again.starts, run.starts)


def test_depth_cuts_the_result() -> None:
    coded = code_runs(drawn(2).runs)
    whole, cut = as_scores(coded.fuse("rrf")), as_scores(coded.fuse("rrf", depth=3))
    assert max(map(len, whole.values())) > 3
    assert {t: list(row.items()) for t, row in cut.items()} == {t: list(row.items())[:3] for t, row in whole.items()}


def test_depth_cuts_the_runs() -> None:
    given = drawn(2)
    coded = code_runs(given.runs, depth=2)
    assert max(np.diff(run.starts).max() for run in coded.runs) == 2
    first = [{topic: {d: row[d] for d in ordered(row)[:2]} for topic, row in run.items()} for run in given.scores]
    assert as_scores(coded.fuse("combsum")) == as_scores(code_runs(made(first).runs).fuse("combsum"))
    assert repr(coded) == f"Coded(5 runs, 8 topics, {len(coded.named)} documents)"


def test_no_zero_is_negative() -> None:
    # −0 would rank below 0 when the run is read again.
    coded = code_runs(made([{"1": {"a": -0.0, "b": 0.0, "c": -1.0}}, {"1": {"a": -0.0}}]).runs)
    run = coded.fuse("combsum(norm='none')")
    assert run.document.to_list() == ["b", "a", "c"]
    assert not np.signbit(run.score[:2]).any()


def test_a_topic_without_documents() -> None:
    run = made([{"1": {"a": 3, "b": 1}, "2": {"c": 5, "d": 4}}]).runs[0]
    hole = replace(run, starts=np.array([0, 0, 4]))  # all four documents are of the second topic
    expected = {"2": {"c": 1.0, "d": 0.75, "a": 0.5, "b": 0.0}}
    assert as_scores(code_runs([hole]).fuse("combsum")) == expected
    assert code_runs([hole]).there.tolist() == [[False, True]]


def test_which_topics_a_run_has() -> None:
    coded = code_runs(made([{"7": {"a": 1}, "3": {"a": 1}}, {"3": {"b": 1}, "9": {"a": 1}}]).runs)
    assert coded.named.topics.to_list() == ["7", "3", "9"]
    assert coded.there.tolist() == [[True, True, False], [False, True, True]]


def test_where_it_comes_from() -> None:
    coded = code_runs(drawn(0).runs)
    run = coded.fuse("rrf", name="my run")
    assert isinstance(run, Run)
    assert (run.name, run.source.name, run.source.tag, run.source.kind) == ("my run", "my run", "my-run", "run")
    assert coded.fuse("rrf").source.digest == run.source.digest
    others = [coded.fuse("isr"), coded.fuse("rrf", [0, 1]), coded.fuse("rrf", depth=2)]
    others.append(code_runs(coded.runs, depth=5).fuse("rrf"))
    digests = {run.source.digest, *(other.source.digest for other in others)}
    assert len(digests) == 5
    assert all(len(digest) == 64 for digest in digests)


def test_what_cannot_be_fused() -> None:
    coded, one = code_runs(drawn(0).runs), "keep at least one document of each topic"
    for call, problem, hint in (
        (lambda: code_runs([]), "there is no run to fuse", "give at least one"),
        (lambda: coded.fuse("rrf", []), "there is no run to fuse", "choose at least one"),
        (lambda: coded.fuse("rrf", [0, 5]), "there is no run 5", "runs are counted from 0 to 4"),
        (lambda: coded.fuse("rrf", [-1]), "there is no run -1", "runs are counted from 0 to 4"),
        (lambda: coded.fuse("rrf", depth=0), "runs cannot be cut at depth 0", one),
        (lambda: code_runs(coded.runs, depth=0), "runs cannot be cut at depth 0", one),
    ):
        with pytest.raises(ParameterError) as caught:
            call()
        assert (caught.value.problem, caught.value.hint) == (problem, hint)


def test_every_document_of_a_topic_has_one_number() -> None:
    given = drawn(7)
    named = name_documents(given.runs)
    topics = named.topics.to_list()
    pairs = [(topics[topic], d) for topic, d in zip(named.topic, named.document.to_list(), strict=True)]
    assert len(named) == len(pairs) == len(set(pairs))
    expected = {
        topic: sorted({d for run in given.scores for d in run.get(topic, {})}, reverse=True) for topic in topics
    }
    assert pairs == [(topic, d) for topic, documents in expected.items() for d in documents]
    for run, rows in zip(given.runs, named.rows, strict=True):
        table = run.to_table().rows()
        assert [pairs[row] for row in rows] == [(row["topic"], row["document"]) for row in table]
