"""Ties: the mean and the bounds of every measure of the catalogue are those over all permutations, listed in full."""

from dataclasses import dataclass
from itertools import chain, groupby, permutations, product
from math import factorial, prod

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from cranfield.data import Assessed
from cranfield.measures import Measure, expected, straddling, tie_bounds
from tests.support.properties.measure_cases import CASES, NAMES, cases
from tests.support.properties.topic_strategies import GRADES, NOT_JUDGED, assess_beside, groups

NOISE = 1e-12
SOME = [measure for measure in CASES if measure.k in (None, 3)][::3]
ORDERS = 240


@dataclass(frozen=True)
class Tied:
    """Documents of one topic: their grades and their scores; what has no score was not retrieved."""

    grades: tuple[int, ...]
    scores: tuple[int | None, ...]

    @property
    def groups(self) -> list[list[int]]:
        """The retrieved documents, score by score from the top."""
        retrieved = sorted((-score, d) for d, score in enumerate(self.scores) if score is not None)
        return [[d for _, d in group] for _, group in groupby(retrieved, key=lambda pair: pair[0])]

    def run(self) -> dict[str, float]:
        """The run as it is, with its ties."""
        return {f"d{d}": float(score) for d, score in enumerate(self.scores) if score is not None}

    def orders(self) -> list[dict[str, float]]:
        """Every order of the ties, as runs in which no two scores are equal."""
        every = product(*map(permutations, self.groups))
        return [{f"d{d}": -float(rank) for rank, d in enumerate(chain(*order))} for order in every]

    def assessed(self, *runs: dict[str, float]) -> Assessed:
        judged = {f"d{d}": grade for d, grade in enumerate(self.grades) if grade != NOT_JUDGED} or {"nobody": 0}
        return assess_beside({"t": judged}, {f"run{r}": {"t": run} for r, run in enumerate(runs)})


@st.composite
def tied(draw: st.DrawFn) -> Tied:
    """Up to eight documents, five of them with one score at most, with no more orders than can be listed in a test."""
    grades = draw(st.lists(st.sampled_from(GRADES), min_size=1, max_size=8))
    scores = draw(st.lists(st.none() | st.integers(0, 4), min_size=len(grades), max_size=len(grades)))
    made = Tied(tuple(grades), (0, *scores[1:]))  # something was retrieved
    kept, orders = list(made.scores), 1
    for group in made.groups:
        few = max(n for n in range(1, 6) if n == 1 or orders * factorial(n) <= ORDERS)
        for document in group[few:]:
            kept[document] = None
        orders *= factorial(min(len(group), few))
    return Tied(made.grades, tuple(kept))


def orders(topic: Tied, measures: list[Measure]) -> NDArray[np.float64]:
    """(order, measure): the values of every order."""
    every = topic.orders()
    assert len(every) == prod(factorial(len(group)) for group in topic.groups) <= ORDERS
    return topic.assessed(*every).map(measures)[:, 0]


@pytest.mark.parametrize("name", NAMES)
@given(topic=tied())
def test_mean_and_bounds_are_those_of_all_permutations(name: str, topic: Tied) -> None:
    measures, assessed = cases(name), topic.assessed(topic.run())
    values = orders(topic, measures)
    mean, errors, notes = expected(assessed, measures)
    low, high, unsure = tie_bounds(assessed, measures)
    assert (errors, notes, unsure) == (None, (), ())
    # Where the worst order has no value, there is no mean and no bound on that side.
    none = np.isnan(values)
    least = np.where(none.all(axis=0), np.nan, np.where(none, np.inf, values).min(axis=0))
    for i, measure in enumerate(measures):
        assert mean[0, 0, i] == pytest.approx(values[:, i].mean(), rel=NOISE, abs=NOISE, nan_ok=True), measure
        assert low[0, 0, i] == pytest.approx(least[i], rel=NOISE, abs=NOISE, nan_ok=True), measure
        assert high[0, 0, i] == pytest.approx(values[:, i].max(), rel=NOISE, abs=NOISE, nan_ok=True), measure


@given(topic=tied(), k=st.integers(1, 9))
@example(topic=Tied((NOT_JUDGED, NOT_JUDGED), (0, 0)), k=1)
def test_pairs_that_straddle_a_cut_off_are_counted(topic: Tied, k: int) -> None:
    ranked = list(chain(*topic.groups))
    # A document is named by a judgment or by the table of groups.
    grouped = set(groups().documents.to_list())
    named = {d for d in ranked if topic.grades[d] != NOT_JUDGED or f"d{d}" in grouped}
    known = {d for group in topic.groups if named & set(group) for d in group}
    pairs = sum(
        topic.scores[above] == topic.scores[below] for above in ranked[:k] for below in ranked[k:] if above in known
    )
    assert straddling(topic.assessed(topic.run()), k).tolist() == [[pairs]]


@given(topic=tied())
def test_without_ties_nothing_changes_by_a_bit(topic: Tied) -> None:
    assessed = topic.assessed(topic.orders()[0])
    plain = assessed.map(SOME)
    mean, errors, notes = expected(assessed, SOME)
    low, high, _ = tie_bounds(assessed, SOME)
    assert (errors, notes) == (None, ())
    for cube in (mean, low, high):
        np.testing.assert_array_equal(cube, plain)


@given(topic=tied(), other=tied())
def test_what_stands_beside_a_ranking_never_changes_its_mean(topic: Tied, other: Tied) -> None:
    alone = expected(topic.assessed(topic.run()), SOME)[0]
    grades = [{f"d{d}": g for d, g in enumerate(t.grades) if g != NOT_JUDGED} or {"nobody": 0} for t in (topic, other)]
    qrels = dict(zip(("t", "u"), grades, strict=True))
    beside = assess_beside(qrels, {"run0": {"t": topic.run(), "u": other.run()}, "run1": {"u": other.run()}})
    np.testing.assert_array_equal(expected(beside, SOME)[0][0, 0], alone[0, 0])
