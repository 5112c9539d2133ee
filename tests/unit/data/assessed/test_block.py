"""Blocks: kernels see every row exactly once, filled up with cells that earn nothing, whatever the other rows are."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.core.types import Rows
from cranfield.data import NOBODY, Assessed, Attribute, Block, assess
from cranfield.data.assessed import assessed_runs
from tests.support.simulations.random_campaigns import Function, random_campaign


def made(lengths: list[int], *, topics: int = 1, seed: int = 0) -> Assessed:
    """Assessed runs with so many named documents in each row, at random ranks, with random grades."""
    rng = np.random.default_rng(seed)
    assert len(lengths) % topics == 0
    widest = max([*lengths, 1])
    named = np.arange(topics + 1) * widest
    ranks = [np.sort(rng.choice(3 * widest, n, replace=False)) + 1 for n in lengths]
    documents = [rng.permutation(widest)[:n] + named[i % topics] for i, n in enumerate(lengths)]
    rank = np.concatenate([*ranks, np.empty(0, int)]).astype(np.int32)
    return Assessed(
        runs=tuple(f"r{i}" for i in range(len(lengths) // topics)),
        topics=tuple(f"t{i}" for i in range(topics)),
        documents=assess({"1": {"a": 1}}, {"1": {"a": 1.0}}).documents,  # no kernel looks at the ids
        named=named,
        grade=rng.integers(-1, 4, topics * widest).astype(float),
        starts=np.concatenate(([0], np.cumsum(lengths))).astype(np.int64),
        document=np.concatenate([*documents, np.empty(0, int)]).astype(np.int32),
        rank=rank,
        tie_first=rank,
        tie_last=rank,
        retrieved=np.array([3 * widest if n else 0 for n in lengths], dtype=np.int32),
        tied=np.zeros(len(lengths), np.int32),
    )


def precision_sum(block: Block) -> Rows:
    """What AP adds up: looks at ranks, grades and everything to the left of a cell."""
    hit = block.grade >= 1
    return (hit * hit.cumsum(axis=1) / block.rank).sum(axis=1)


def discounted(block: Block) -> Rows:
    return (np.maximum(block.grade, 0) / np.log2(1 + block.rank)).sum(axis=1)


KERNELS = [Function(precision_sum), Function(discounted), Function(lambda block: block.retrieved)]
widths = st.lists(st.integers(0, 40) | st.sampled_from([0, 1, 2, 63, 64, 65, 128]), min_size=1, max_size=30)


@given(lengths=widths, cells=st.sampled_from([1, 7, 64, 1 << 18]))
def test_every_row_is_seen_once_whatever_the_widths(lengths: list[int], cells: int) -> None:
    assessed = made(lengths)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assessed_runs, "CELLS", cells)
        blocks = list(assessed.blocks())
    assert sorted(row for block in blocks for row in block.row.tolist()) == list(range(len(lengths)))
    assert all(len(block.row) > 0 for block in blocks)


@given(lengths=widths)
def test_a_block_holds_the_entries_of_its_rows_and_then_nothing(lengths: list[int]) -> None:
    assessed = made(lengths)
    for block in assessed.blocks():
        width = block.rank.shape[1]
        assert block.rank.shape == block.grade.shape == block.document.shape == (len(block.row), width)
        for i, row in enumerate(block.row.tolist()):
            entries, n = slice(assessed.starts[row], assessed.starts[row + 1]), lengths[row]
            assert width < 2 * max(n, 1), "no row is more than half empty"
            assert block.rank[i, :n].tolist() == assessed.rank[entries].tolist()
            assert block.document[i, :n].tolist() == assessed.document[entries].tolist()
            assert block.grade[i, :n].tolist() == assessed.grade[assessed.document[entries]].tolist()
            assert (block.rank[i, n:] == np.inf).all()
            assert (block.document[i, n:] == -1).all()
            assert (block.grade[i, n:] == NOBODY).all()
            assert block.tie_last[i].tolist() == [*assessed.tie_last[entries], *[1] * (width - n)]


@given(lengths=widths, seed=st.integers(0, 99))
def test_a_row_has_the_value_it_has_alone(lengths: list[int], seed: int) -> None:
    assessed = made(lengths, seed=seed)
    together = assessed.map(KERNELS)
    for row in range(len(lengths)):
        entries = slice(assessed.starts[row], assessed.starts[row + 1])
        alone = replace(
            assessed,
            runs=("alone",),
            starts=np.array([0, lengths[row]]),
            document=assessed.document[entries],
            rank=assessed.rank[entries],
            tie_first=assessed.tie_first[entries],
            tie_last=assessed.tie_last[entries],
            retrieved=assessed.retrieved[row : row + 1],
            tied=assessed.tied[row : row + 1],
        )
        np.testing.assert_array_equal(alone.map(KERNELS)[0], together[row])  # to the last bit


def test_one_deep_row_does_not_widen_the_others() -> None:
    blocks = list(made([1000, *[3] * 500]).blocks())
    assert sorted(block.rank.shape for block in blocks) == [(1, 1024), (500, 4)]


def test_a_row_wider_than_a_block_is_one_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assessed_runs, "CELLS", 16)
    assert [block.rank.shape for block in made([100, 100]).blocks()] == [(1, 128), (1, 128)]


def test_rows_know_their_topics() -> None:
    assessed = made([1, 5, 0, 2, 9, 1], topics=3)
    seen = {row: topic for b in assessed.blocks() for row, topic in zip(b.row.tolist(), b.topic.tolist(), strict=True)}
    assert seen == {0: 0, 1: 1, 2: 2, 3: 0, 4: 1, 5: 2}
    for block in assessed.blocks():
        expected = [(assessed.grade[9 * t : 9 * t + 9] >= 2).sum() for t in block.topic]
        assert block.relevant(2).tolist() == expected


def test_rows_without_entries_are_rows() -> None:
    found = assess({"1": {"a": 1}, "2": {"b": 1}}, {"x": {"1": {"z": 1.0}}, "y": {"2": {"b": 1.0}}})
    assert np.diff(found.starts).tolist() == [0, 0, 0, 1]
    assert found.map([Function(precision_sum)])[:, :, 0].tolist() == [[0, 0], [0, 1]]
    assert found.map([Function(lambda block: block.retrieved)])[:, :, 0].tolist() == [[1, 0], [0, 1]]


def test_nothing_that_was_named_was_retrieved() -> None:
    found = assess({"1": {"a": 1}, "2": {"b": 0}}, [{"1": {"z": 1.0}}, {"2": {"z": 1.0, "y": 0.5}}])
    assert len(found.rank) == len(found.document) == 0
    assert [block.rank.tolist() for block in found.blocks()] == [[[np.inf]] * 4]
    assert found.map(KERNELS).tolist() == [[[0, 0, 1], [0, 0, 0]], [[0, 0, 0], [0, 0, 2]]]
    [block] = found.blocks()
    assert block.tie_first.tolist() == [[1.0]] * 4
    assert block.at_best(Function(precision_sum)).tolist() == [1, 0, 1, 0]


def test_nothing_was_judged_at_all() -> None:
    found = assess({"1": {"a": -1}}, {"1": {"a": 1.0}})
    assert found.relevant(0).tolist() == [0]
    assert len(found.ideal.rank) == 0
    assert found.at_best(Function(discounted)).tolist() == [0]
    assert found.map([Function(discounted)]).tolist() == [[[0]]]


@pytest.mark.parametrize("seed", range(5))
def test_the_best_value_is_that_of_a_run_in_perfect_order(seed: int) -> None:
    campaign = random_campaign(seed)
    perfect = {
        topic: {d: float(grade) for d, grade in grades.items() if grade >= 0}
        for topic, grades in campaign.qrels.items()
    }
    best = campaign.assessed().at_best(Function(discounted))
    run = {topic: scores for topic, scores in perfect.items() if scores}
    values = assess(campaign.qrels, run).map([Function(discounted)])[0, :, 0]
    np.testing.assert_allclose(best, values, rtol=1e-14)


def test_other_grades_need_no_other_reading() -> None:
    found = assess({"1": {"a": 1, "b": 0}}, {"1": {"b": 2.0, "a": 1.0}})
    kernel = Function(precision_sum)
    assert found.map([kernel])[0, 0, 0] / found.at_best(kernel)[0] == 0.5
    turned = found.with_grades(np.array([0, 1]))
    assert turned.map([kernel])[0, 0, 0] / turned.at_best(kernel)[0] == 1
    assert found.grade.tolist() == [1, 0]


@pytest.mark.parametrize("function", [precision_sum, discounted])
@pytest.mark.parametrize("seed", range(5))
def test_a_kernel_that_looks_away_from_a_document_need_not_be_shown_it(
    function: Callable[[Block], Rows], seed: int
) -> None:
    campaign = random_campaign(seed)
    assessed = campaign.assessed(sum_above=Attribute([], [], 1))
    kernels = [
        Function(function),
        Function(function, least=1),
        Function(function, least=0),
        Function(function, least=9),
    ]
    values = assessed.map(kernels)
    np.testing.assert_allclose(values[:, :, 1], values[:, :, 0], rtol=1e-14)  # a narrower sum may round otherwise
    np.testing.assert_allclose(values[:, :, 2], values[:, :, 0], rtol=1e-14)
    assert (values[:, :, 3] == 0).all()


def test_rankings_of_some_documents_keep_their_ranks_ties_and_sums() -> None:
    qrels = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 0}, "3": {"c": 1}}
    run = {"1": {"x": 3.0, "b": 2.0, "c": 1.0, "a": 1.0}, "2": {"a": 1.0}, "3": {"y": 2.0, "c": 1.0}}
    found = assess(qrels, run, sum_above=Attribute(["b"], [10], 1))
    some = found.only(found.grade > 0)
    assert some.documents.take(some.document.astype(np.int64)).to_list() == ["c", "a", "c"]
    assert (some.rank.tolist(), some.tie_first.tolist(), some.tie_last.tolist()) == ([3, 4, 2], [3, 3, 2], [4, 4, 2])
    assert some.above is not None
    assert some.above.tolist() == [11, 12, 1]
    assert (some.starts.tolist(), some.retrieved.tolist()) == ([0, 2, 2, 3], [4, 1, 2])


def test_every_row_of_a_table_knows_its_named_document() -> None:
    qrels = {"2": {"b": 1, "a": 0}, "1": {"a": 2}}
    lengths = (["1", "1", "2", "9"], ["z", "a", "a", "a"])
    found = assess(qrels, {"1": {"a": 1.0, "z": 0.5}}, also=[lengths])
    documents = found.documents.to_list()
    judged, named = found.named_by
    assert [documents[i] for i in judged] == ["b", "a", "a"]
    assert [documents[i] for i in named] == lengths[1]
    assert found.grade[judged].tolist() == [1, 0, 2]
    assert found.grade[named[:3]].tolist() == [NOBODY, 2, 0], "topic 9 is not judged: its documents come last"
