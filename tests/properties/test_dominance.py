"""Dominance is an order of rankings, and no measure that keeps swap and replacement turns it round."""

from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from cranfield.data import Assessed
from cranfield.measures import Binary, Measure, dominate
from tests.support.properties.measure_cases import CASES, worth
from tests.support.properties.topic_strategies import (
    NOT_JUDGED,
    TOP,
    Ranking,
    Topic,
    assess_grades,
    assess_topics,
    topics,
)

NOISE = 1e-12  # sums in another order
DEPTH = 1000
INCOMPARABLE = 2

KEEPS_BOTH = [measure for measure in CASES if {"swap", "replacement"} <= measure.axioms]


# Rankings beside the same with one more document that nobody judged.
GOES_ON = [
    assess_grades(down, (*down, NOT_JUDGED), missed=missed)
    for down in ((), (1,), (2,), (0, 1), (2, 0, 1))
    for missed in ((), (1, 2))
]
# A document that nobody judged beside one that is not relevant.
UNKNOWN = [assess_grades((NOT_JUDGED, 1), (0, 1), missed=(0,))]


def tell_apart(measures: list[Measure], rankings: list[Assessed]) -> list[Measure]:
    """Those measures that give different values to two rankings."""
    one, other = np.stack([pair.map(measures)[:, 0] for pair in rankings], axis=1)
    same = (one == other) | (np.isnan(one) & np.isnan(other))
    return [measure for measure, alike in zip(measures, same.all(axis=0).tolist(), strict=True) if not alike]


def goes_with_grades(measure: Measure) -> bool:
    """Whether a higher grade is worth as much or more, and what is not relevant nothing."""
    gain = measure.gain(np.arange(TOP + 1.0))
    return bool(gain[0] == 0 and (np.diff(gain) >= 0).all())


OF_JUDGING = tell_apart(KEEPS_BOTH, UNKNOWN)
AGREE = [measure for measure in KEEPS_BOTH if goes_with_grades(measure) and measure not in OF_JUDGING]
OF_LENGTH = tell_apart(AGREE, GOES_ON)  # no swap and no replacement makes a ranking longer
ANY_LENGTH = np.array([measure not in OF_LENGTH for measure in AGREE])


def test_who_speaks_of_something_else() -> None:
    # A filter that lets nothing through shows nothing: these alone are left out, and why.
    assert {measure.name for measure in OF_JUDGING if goes_with_grades(measure)} == {
        "Judged",
        "RBPResidual",
        "Unjudged",
    }
    others = [measure for measure in KEEPS_BOTH if not goes_with_grades(measure)]
    clicked = {"rrSDBN", "uPBM", "uSDBN", "uUBM"}
    assert {measure.name for measure in others} == {"DCG", "GAP", "O", "Pmeasure", "PPlus", "Q", "nDCG", *clicked}
    given = ("gains=", "attraction=", "satisfaction=")  # by which somebody gave a lower grade the higher gain
    assert all(any(setting in str(measure) for setting in given) for measure in others)
    lengths = {"Compat", "E", "F", "NumRet", "RnDCG", "SetAP", "SetF", "SetP", "Utility"}
    assert {measure.name for measure in OF_LENGTH} == lengths
    assert ANY_LENGTH.mean() > 0.8
    assert len({measure.name for measure in AGREE} - lengths) > 30


def against_dominance(
    assessed: Assessed, measures: list[Measure], *, level: str = "all", depth: int = DEPTH
) -> NDArray[np.bool_]:
    """(topic, measure): whether a measure prefers what is dominated, or tells apart what is equal."""
    pairs = list(combinations(range(len(assessed.runs)), 2))
    found = dominate(assessed, pairs, depth=depth)
    outcome = found.outcome[:, found.levels.index(level)]  # (pair, topic)
    b_at_least, a_at_least = np.isin(outcome, (0, 1)), np.isin(outcome, (0, -1))
    cube, (a, b) = assessed.map(measures), np.array(pairs).T
    wrong = np.zeros(cube.shape[1:], np.bool_)
    for i, measure in enumerate(measures):
        value = worth(measure, cube[:, :, i])
        noise = np.where(np.isfinite(value), NOISE, 0)
        above, below = value[b] > value[a] + noise[a], value[b] < value[a] - noise[a]
        wrong[:, i] = ((above & a_at_least) | (below & b_at_least)).any(axis=0)
    return wrong


def named(measures: list[Measure], wrong: NDArray[np.bool_]) -> list[str]:
    return [str(measure) for measure, turns in zip(measures, wrong.tolist(), strict=True) if turns]


def to_one_length(topic: Topic) -> Topic:
    """The same rankings, all as long as the longest: documents that nobody judged fill them up."""
    longest = max(map(len, topic.rankings))
    more = range(len(topic.grades), len(topic.grades) + longest)
    filled = tuple((*ranking, *more)[:longest] for ranking in topic.rankings)
    return Topic((*topic.grades, *[NOT_JUDGED] * longest), filled)


@given(topic=topics(rankings=4))
def test_no_measure_prefers_what_is_dominated(topic: Topic) -> None:
    alike, as_it_is, _ = against_dominance(assess_topics(to_one_length(topic), topic), AGREE)
    assert not named(AGREE, alike)
    assert not named(AGREE, as_it_is & ANY_LENGTH)


@pytest.mark.parametrize("each", [1, 2])
def test_no_measure_prefers_what_is_dominated_among_all_rankings_of_four_documents(each: int) -> None:
    every = [down for down in product(range(TOP + 1), repeat=4) if max(map(down.count, range(1, TOP + 1))) <= each]
    assert len(every) == {1: 73, 2: 217}[each]
    missed = [grade for grade in range(1, TOP + 1) for _ in range(each)]  # by the first, which is 0 0 0 0
    wrong = against_dominance(assess_grades(*every, missed=missed), AGREE)
    assert not named(AGREE, wrong[0])


@given(topic=topics(rankings=4), depth=st.integers(1, 6))
def test_what_stands_below_a_cut_off_needs_no_comparison(topic: Topic, depth: int) -> None:
    measures = [measure for measure in AGREE if (measure.k or DEPTH) <= depth]
    wrong = against_dominance(assess_topics(to_one_length(topic)), measures, depth=depth)
    assert not named(measures, wrong[0])


@pytest.mark.parametrize("rel", [1, 2])
@given(topic=topics(rankings=4))
def test_one_level_is_enough_for_who_asks_only_what_reaches_it(rel: int, topic: Topic) -> None:
    measures: list[Measure] = [measure for measure in AGREE if isinstance(measure, Binary) and measure.rel == rel]
    assert len(measures) > 40
    held = to_one_length(Topic((*topic.grades, TOP), topic.rankings))  # one that nobody finds: there is such a level
    level = str(min(grade for grade in held.grades if grade >= rel))
    assert not named(measures, against_dominance(assess_topics(held), measures, level=level)[0])


def at_least(topic: Topic, one: Ranking, other: Ranking, grades: list[int], depth: int) -> bool:
    """Whether the one has as many documents of every grade or above in its first n, for every n; in plain loops."""
    return all(
        sum(g >= grade for g in topic.down(one)[:n]) >= sum(g >= grade for g in topic.down(other)[:n])
        for grade in grades
        for n in range(1, depth + 1)
    )


@given(topic=topics(rankings=3), depth=st.integers(1, 10))
def test_dominance_is_what_plain_loops_over_ranks_and_grades_say(topic: Topic, depth: int) -> None:
    pairs = list(permutations(range(len(topic.rankings)), 2))
    found = dominate(assess_topics(topic), pairs, depth=depth)
    held = sorted({grade for grade in (*topic.grades, 1) if grade > 0})  # the last topic has a 1
    assert found.levels == ("all", *map(str, held))
    for (a, b), outcome in zip(pairs, found.outcome[:, :, 0].tolist(), strict=True):
        one, other = topic.rankings[a], topic.rankings[b]
        for grades, told in zip([held, *([grade] for grade in held)], outcome, strict=True):
            better, worse = at_least(topic, other, one, grades, depth), at_least(topic, one, other, grades, depth)
            assert (
                told
                == {(True, False): 1, (False, True): -1, (True, True): 0, (False, False): INCOMPARABLE}[better, worse]
            )


@given(topic=topics(rankings=4))
def test_dominance_is_a_partial_order(topic: Topic) -> None:
    runs = range(len(topic.rankings))
    everyone = [(a, b) for a in runs for b in runs]
    outcome = dominate(assess_topics(topic), everyone).outcome[:, :, 0]
    order = outcome.reshape(len(runs), len(runs), -1)  # (a, b, level)
    assert not np.einsum("aal->al", order).any()  # every ranking equals itself
    np.testing.assert_array_equal(order.swapaxes(0, 1), np.where(order == INCOMPARABLE, order, -order))
    reaches = np.isin(order, (0, 1))  # b is at least a
    over = (reaches[:, :, None] & reaches[None]).any(axis=1)  # over some other
    assert not (over & ~reaches).any()
    # All grades jointly: at least a at every single one.
    np.testing.assert_array_equal(reaches[:, :, 0], reaches[:, :, 1:].all(axis=2))
