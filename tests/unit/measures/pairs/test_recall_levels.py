"""Two rankings at every level of recall, beside the definitions written out."""

from itertools import product
from math import inf

import numpy as np
import pytest
from hypothesis import given

import cranfield as cf
from cranfield.measures import compare_levels, dominate
from tests.support.properties.topic_strategies import NOT_JUDGED, Topic, assess_grades, assess_topics, topics


def literal(a: tuple[int, ...], b: tuple[int, ...], relevant: int) -> tuple[float, int, int]:
    """RPP, lexirecall and lexiprecision: the ranks of relevant documents, missed ones last."""
    sides = []
    for side in (a, b):
        ranks = [rank for rank, grade in enumerate(side, 1) if grade >= 1]
        sides.append([*ranks, *[inf] * (relevant - len(ranks))])
    signs = [(x > y) - (x < y) for x, y in zip(*sides, strict=True)]
    differ = [sign for sign in signs if sign]
    return sum(signs) / max(relevant, 1), differ[-1] if differ else 0, differ[0] if differ else 0


def found(*rankings: tuple[int, ...], missed: tuple[int, ...] = ()) -> tuple[float, int, int]:
    told = compare_levels(assess_grades(*rankings, missed=missed), [(0, 1)])
    return float(told.rpp[0, 0]), int(told.lexirecall[0, 0]), int(told.lexiprecision[0, 0])


def test_worked_by_hand() -> None:
    # a has its relevant documents at 1 and 4, b at 2 and 3: one user each way; who wants both prefers b.
    assert found((1, 0, 0, 1), (0, 1, 1, 0)) == (0, 1, -1)
    assert found((1, 0, 0, 1), (1, 0, 1, 0)) == (1 / 2, 1, 1)
    assert found((0, 1), (1, 1), missed=(1,)) == (1, 1, 1)  # the second finds one more
    assert found((1, NOT_JUDGED), (NOT_JUDGED, NOT_JUDGED), missed=(1,)) == (-1 / 2, -1, -1)
    assert found((0, 0), (0, 0)) == (0, 0, 0)  # nothing is relevant


EVERY = list(product((NOT_JUDGED, 1), repeat=4))


@pytest.mark.parametrize("a", EVERY)
def test_all_rankings_of_four_documents(a: tuple[int, ...]) -> None:
    # The first ranking retrieves everything, so that all rankings share six relevant documents.
    assessed = assess_grades((1,) * 6, a, *EVERY)
    told = compare_levels(assessed, [(1, i) for i in range(2, len(EVERY) + 2)])
    for i, b in enumerate(EVERY):
        rpp, last, first = literal(a, b, 6)
        assert told.rpp[i, 0] == pytest.approx(rpp)
        assert (told.lexirecall[i, 0], told.lexiprecision[i, 0]) == (last, first)


@given(topic=topics(rankings=2))
def test_they_agree_with_dominance(topic: Topic) -> None:
    assessed = assess_topics(Topic((*topic.grades, 1), topic.rankings))
    told, ordered = compare_levels(assessed, [(0, 1)]), dominate(assessed, [(0, 1)])
    outcome = int(ordered.outcome[0, ordered.levels.index("1"), 0])
    if outcome != 2:
        values = (told.rpp[0, 0], told.lexirecall[0, 0], told.lexiprecision[0, 0])
        assert all(np.sign(value) == outcome for value in values)


def test_the_depth_cuts_both() -> None:
    told = compare_levels(assess_grades((1, 0, 0, 1), (0, 1, 1, 0)), [(0, 1)], depth=1)
    assert (told.rpp[0, 0], told.lexirecall[0, 0], told.lexiprecision[0, 0]) == (-1 / 2, -1, -1)


def test_compare_has_a_table_of_them() -> None:
    qrels = {str(topic): {"r": 1, "s": 1} for topic in range(6)}
    one = {topic: {"r": 4.0, "x": 3.0, "y": 2.0, "s": 1.0} for topic in qrels}  # ranks 1 and 4
    two = {topic: {"x": 4.0, "r": 3.0, "s": 2.0, "y": 1.0} for topic in qrels}  # ranks 2 and 3
    rows = {
        row["preference"]: row for row in cf.compare(cf.evaluate(qrels, {"a": one, "b": two}, "AP"))["levels"].rows()
    }
    assert list(rows) == ["rpp", "lexirecall", "lexiprecision"]
    assert (rows["rpp"]["mean"], rows["rpp"]["equal"], rows["rpp"]["p"]) == (0, 6, 1)
    assert [rows["lexirecall"]["better_b"], rows["lexirecall"]["p"]] == pytest.approx([6, 2 / 2**6])
    assert (rows["lexiprecision"]["better_a"], rows["lexiprecision"]["mean"]) == (6, -1)
