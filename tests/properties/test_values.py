"""What is true of every value of every measure of the catalogue."""

import math
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from cranfield.data import Assessed
from cranfield.measures import Measure, measure_all
from tests.support.properties.measure_cases import CASES, NAMES, assessed_for, cases
from tests.support.properties.topic_strategies import (
    NOT_JUDGED,
    Topic,
    assess_beside,
    assess_grades,
    assess_topics,
    topics,
)

NOISE = 1e-12
# What is counted of the retrieved documents themselves changes with them.
COUNTS_RETRIEVED = {"Judged", "Unjudged", "NumRet", "SetP", "SetF", "SetAP", "Utility", "Accuracy", "RnDCG"}
COUNTS_WITHOUT_CUT = {"F", "E", "Compat"}
GROUPLESS = [measure for measure in CASES if measure.asks_for != "attributes"]  # others see unjudged documents too


def first_rows(assessed: Assessed, measures: list[Measure]) -> NDArray[np.float64]:
    """(run, measure): the values of the first topic."""
    return assessed.map(measures)[:, 0]


@pytest.mark.parametrize("name", NAMES)
@given(topic=topics(rankings=2, documents=12))
def test_values_are_finite_and_in_range(name: str, topic: Topic) -> None:
    measures = cases(name)
    for measure, column in zip(measures, first_rows(assessed_for(name, topic), measures).T, strict=True):
        low, high = measure.range
        there = column[~np.isnan(column)]
        assert np.isfinite(there).all(), measure
        assert ((there >= low) & (there <= high + NOISE)).all(), measure
        if measure.worst is None or not math.isnan(measure.worst):
            assert len(there) == len(column), measure


@pytest.mark.parametrize("name", NAMES)
@given(topic=topics())
def test_a_topic_with_nothing_retrieved_has_the_worst_value(name: str, topic: Topic) -> None:
    measures = cases(name)
    both = Topic(topic.grades, (topic.rankings[0], ()))
    for measure, (some, none) in zip(measures, first_rows(assessed_for(name, both), measures).T.tolist(), strict=True):
        if measure.name == "yaAP":
            assert none <= some, measure  # the worst value of a topic depends on how many documents are relevant
        elif measure.worst is None:
            assert none == some, measure  # the judgments alone decide
        else:
            assert none == pytest.approx(measure.worst, abs=0, nan_ok=True), measure


@pytest.mark.parametrize("name", NAMES)
@given(topic=topics(rankings=2), others=st.lists(topics(rankings=3, documents=70), max_size=3))
def test_what_stands_beside_a_row_never_changes_it(name: str, topic: Topic, others: list[Topic]) -> None:
    # Deeper topics, more topics, more runs; equal to the last bit.
    measures = cases(name)
    alone = first_rows(assessed_for(name, topic), measures)
    beside = first_rows(assessed_for(name, topic, *others), measures)
    np.testing.assert_array_equal(beside[: len(alone)], alone)


@given(topic=topics(documents=40), data=st.data())
def test_other_measures_beside_it_never_change_a_value(topic: Topic, data: st.DataObject) -> None:
    together = first_rows(assess_topics(topic), CASES)
    for i in data.draw(st.sets(st.integers(0, len(CASES) - 1), max_size=10)):
        alone = first_rows(assess_topics(topic), [CASES[i]])
        np.testing.assert_array_equal(together[:, [i]], alone)


@given(topic=topics(documents=20), seed=st.integers(0, 2**32))
def test_the_order_of_the_lines_changes_nothing(topic: Topic, seed: int) -> None:
    rng = Random(seed)
    grades = {f"d{i}": grade for i, grade in enumerate(topic.grades) if grade != NOT_JUDGED} or {"nobody": 0}
    lines = [("t0", f"d{document}", float(-place // 3)) for place, document in enumerate(topic.rankings[0])]
    lines.append(("last", "d0", 1.0))
    shuffled = rng.sample(lines, len(lines))
    judged = dict(rng.sample(sorted(grades.items()), len(grades)))

    def values(qrels: dict[str, int], rows: list[tuple[str, str, float]]) -> NDArray[np.float64]:
        run = dict(zip(("topic", "document", "score"), map(list, zip(*rows, strict=True)), strict=True))
        return first_rows(assess_beside({"t0": qrels, "last": {"d0": 1}}, {"run": run}), CASES)

    np.testing.assert_allclose(values(judged, shuffled), values(grades, lines), rtol=0, atol=0)


@given(topic=topics(documents=12), extra=st.integers(1, 20))
def test_unjudged_documents_below_the_judged_ones_change_nothing(topic: Topic, extra: int) -> None:
    more = topic.grades + (NOT_JUDGED,) * extra
    longer = topic.rankings[0] + tuple(range(len(topic.grades), len(more)))
    short, long = first_rows(assess_topics(Topic(more, (topic.rankings[0], longer))), GROUPLESS)
    counts = [m.name in COUNTS_RETRIEVED or (m.name in COUNTS_WITHOUT_CUT and m.k is None) for m in GROUPLESS]
    looks_at_the_list = [not getattr(m, "tail", True) for m in GROUPLESS]  # as trec_eval 10 computes rbp_resid
    same = ~np.logical_or(counts, looks_at_the_list)
    np.testing.assert_array_equal(short[same], long[same])


@given(topic=topics(documents=12))
def test_an_unjudged_document_counts_by_its_rank_only(topic: Topic) -> None:
    # Other documents that nobody judged, in the same places.
    other = tuple(
        document + len(topic.grades) if topic.grades[document] == NOT_JUDGED else document
        for document in topic.rankings[0]
    )
    doubled = Topic(topic.grades + (NOT_JUDGED,) * len(topic.grades), (topic.rankings[0], other))
    one, same = first_rows(assess_topics(doubled), GROUPLESS)
    np.testing.assert_array_equal(one, same)


def test_a_grade_below_zero_is_worth_as_much_as_no_judgment() -> None:
    spam, unjudged = (assess_grades((grade, 1, 2), missed=(0,)) for grade in (-2, NOT_JUDGED))
    told = {"infAP", "xinfAP", "infNDCG"}  # to these it says: it was in the pool
    measures = [measure for measure in CASES if measure.name not in told and not measure.asks_for]
    np.testing.assert_array_equal(first_rows(spam, measures), first_rows(unjudged, measures))


def test_a_long_ranking_pushes_down_as_far_as_it_should() -> None:
    for above in (0, 1, 7, 8, 999, 5000):
        values = measure_all(assess_grades((NOT_JUDGED,) * above + (1,)), ["RR", "AP", "ESL", "P@1000", "nDCG"])
        rank = above + 1
        expected = [1 / rank, 1 / rank, rank, (rank <= 1000) / 1000, 1 / math.log2(rank + 1)]
        assert values.cube[0, 0].tolist() == pytest.approx(expected, rel=1e-14)
