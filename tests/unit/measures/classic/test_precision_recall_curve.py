"""The precision–recall curve: by hand, by literal loops, and as trec_eval has it."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cranfield as cf
from cranfield.data import assess_grades
from cranfield.measures import precision_recall
from tests.support.guarded_peers import pytrec_eval


def curve(ranking: Sequence[float], missed: Sequence[float] = (), **options: object) -> list[float]:
    return precision_recall(assess_grades([ranking], [missed]), **options).cube[0, 0].tolist()  # type: ignore[arg-type]


def test_a_curve_by_hand() -> None:
    # Relevant at ranks 1, 3, 6, 10 of 4: precision 1, 2/3, 3/6, 4/10 at recall 1/4, 2/4, 3/4, 1.
    found = curve([1, 0, 1, 0, 0, 1, 0, 0, 0, 1])
    assert found == [1, 1, 1, 2 / 3, 2 / 3, 2 / 3, 3 / 6, 3 / 6, 4 / 10, 4 / 10, 4 / 10]


def test_precision_may_be_found_further_down_and_ends_where_recall_does() -> None:
    # Ranks 2 and 3, a third never found: precision 1/2 at recall 1/3, then 2/3 at recall 2/3.
    assert curve([0, 1, 1], [1]) == [2 / 3] * 7 + [0] * 4


def test_levels_and_relevance_can_be_chosen() -> None:
    assert curve([1, 2, -1, 2], levels=(0, 0.5, 1), rel=2) == [1 / 2, 1 / 2, 2 / 4]
    assert curve([1, 2, -1, 2], levels=[1.0]) == [3 / 4]


def test_a_level_that_floats_miss_is_met() -> None:
    # 0.55 × 20 is 11.000000000000002 in floats: eleven of twenty are recall 0.55.
    assert curve([1] * 11, [1] * 9, levels=[0.55]) == [1.0]
    assert curve([1] * 10, [1] * 10, levels=[0.55]) == [0.0]


def test_nothing_to_find_or_nothing_found_is_0_everywhere() -> None:
    assert curve([0, -1]) == [0.0] * 11
    assert curve([0], [1]) == [0.0] * 11


@pytest.mark.parametrize("levels", [(), (1.5,), (-0.1, 0.5), (float("nan"),)])
def test_recall_lies_between_0_and_1(levels: tuple[float, ...]) -> None:
    with pytest.raises(cf.ParameterError, match="there is no curve at recall") as caught:
        curve([1], levels=levels)
    assert caught.value.hint.startswith("recall is between 0 and 1")


def literal(grades: Sequence[int], missed: Sequence[int]) -> list[float]:
    """The definition, word for word, in whole numbers: level i is reached by n of R documents if 10 n ≥ i R."""
    relevant = sum(grade >= 1 for grade in (*grades, *missed))
    points = []
    for i in range(11):
        best, found = 0.0, 0
        for rank, grade in enumerate(grades, 1):
            found += grade >= 1
            if relevant and grade >= 1 and 10 * found >= i * relevant:
                best = max(best, found / rank)
        points.append(best)
    return points


grades = st.lists(st.integers(-1, 2), min_size=1, max_size=30)


@given(rankings=st.lists(st.tuples(grades, st.lists(st.integers(0, 2), max_size=15)), min_size=1, max_size=5))
def test_the_same_as_the_definition_read_aloud(rankings: list[tuple[list[int], list[int]]]) -> None:
    assessed = assess_grades([r for r, _ in rankings], [m for _, m in rankings])
    found = precision_recall(assessed).cube[0]
    assert found.tolist() == [literal(r, m) for r, m in rankings]


def test_trec_eval_agrees_where_it_need_not_round() -> None:
    # trec_eval rounds the number of documents that a level needs; ten or twenty relevant ones leave nothing to round.
    random = np.random.default_rng(3)
    qrels, run = {}, {}
    for t in range(12):
        names = [f"d{i}" for i in range(60)]
        relevant = set(random.choice(names, 10 if t % 2 else 20, replace=False).tolist())
        qrels[str(t)] = {name: int(name in relevant) for name in names}
        retrieved = random.permutation(names)[: int(random.integers(5, 60))]
        run[str(t)] = {str(name): float(-i) for i, name in enumerate(retrieved)}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"iprec_at_recall"}).evaluate(run)
    ours = precision_recall(cf.assess(qrels, {"r": run}))
    for t, topic in enumerate(qrels):
        expected = [theirs[topic][f"iprec_at_recall_{level:.2f}"] for level in ours.points]
        assert ours.cube[0, t].tolist() == pytest.approx(expected, abs=1e-12)
