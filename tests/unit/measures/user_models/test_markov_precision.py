"""Markov precision: chains solved as they are defined, the one that is average precision, and those from logs."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cranfield.core import ParameterError
from cranfield.measures import MP, measure_all, parse_measure
from tests.support.properties.topic_strategies import assess_grades

AS_AP = "MP(distance='none',loops=True,with_recall=True)"  # G_OR_SL_NA_NA_R of MATTERS
EXACT = 1e-12

WORDS: dict[str, tuple[Any, ...]] = {
    "states": ("relevant", "all"),
    "links": ("global", "local"),
    "distance": ("inverse", "inverse-log", "none"),
    "loops": (False, True),
}
CHAINS = [MP(**dict(zip(WORDS, settings, strict=True)), k=7) for settings in product(*WORDS.values())]


def value(measure: str | MP, ranking: tuple[int, ...], missed: tuple[int, ...] = ()) -> float:
    return float(measure_all(assess_grades(ranking, missed=missed), measure).cube[0, 0, 0])


@pytest.mark.parametrize("missed", [(), (1,), (1, 1, 0)])
def test_with_equal_steps_among_relevant_documents_it_is_average_precision(missed: tuple[int, ...]) -> None:
    for length in range(1, 6):
        for ranking in product((0, 1), repeat=length):
            values = measure_all(assess_grades(ranking, missed=missed), ["AP", AS_AP])
            ap, mp = values.cube[0, 0]
            assert mp == pytest.approx(ap, abs=EXACT)


def test_the_reference_value_of_the_chain_that_is_average_precision() -> None:
    ranking = (1, 0, 1, 0, 0, 1, 0, 0, 0, 0)
    assert value(AS_AP, ranking, missed=(1,)) == pytest.approx(0.541667, abs=5e-7)
    assert value(AS_AP, ranking, missed=(1,)) == pytest.approx((1 + 2 / 3 + 3 / 6) / 4, abs=EXACT)


def invariant(walk: NDArray[np.float64]) -> NDArray[np.float64]:
    """The left eigenvector of the eigenvalue 1: what the definition asks for."""
    lengths, vectors = np.linalg.eig(walk.T)
    found = np.real(vectors[:, np.argmin(np.abs(lengths - 1))])
    return np.asarray(found / found.sum())


def literally(measure: MP, ranking: tuple[int, ...]) -> float:
    """ferrante2014mp: the transition matrix, its invariant distribution, the mean of precision."""
    relevant = [rank for rank, grade in enumerate(ranking[:7], 1) if grade]
    if not relevant:
        return 0.0
    states = relevant if measure.states == "relevant" else list(range(1, 8))
    away = np.abs(np.subtract.outer(states, states)).astype(float)
    weight = {"inverse": 1 / (away + 1), "inverse-log": 1 / np.log10(away + 2), "none": np.ones(away.shape)}
    walk = weight[measure.distance]
    if measure.links == "local":
        place = np.arange(len(states))
        walk = walk * (np.abs(np.subtract.outer(place, place)) <= 1)
    if not measure.loops:
        walk = walk - np.diag(np.diag(walk))
    stays = invariant(walk / walk.sum(axis=1, keepdims=True)) if len(states) > 1 else np.ones(1)
    weights = np.array([stays[states.index(rank)] for rank in relevant])
    precision = np.array([(i + 1) / rank for i, rank in enumerate(relevant)])
    return float(weights @ precision / weights.sum())


@pytest.mark.parametrize("chain", CHAINS, ids=str)
def test_every_predefined_chain_is_what_its_definition_says(chain: MP) -> None:
    rng = np.random.default_rng(7)
    for _ in range(12):
        ranking = tuple(rng.integers(0, 2, 7).tolist())
        assert value(chain, ranking) == pytest.approx(literally(chain, ranking), abs=EXACT), ranking


def test_recall_is_a_factor() -> None:
    ranking = (0, 1, 0, 1)
    assert value("MP(with_recall=True)", ranking, (1,)) == pytest.approx(value("MP", ranking, (1,)) * 2 / 3, abs=EXACT)


def test_a_walk_in_numbers() -> None:
    # From 1 half go to 2, from 2 to 3 and from 3 to 1 a quarter: 1/5 of the time at 1, 2/5 at 2 and at 3.
    walk = "MP(transitions='.5 .5 0/0 .75 .25/.25 0 .75')"
    assert value(walk, (1, 1, 1)) == pytest.approx(1, abs=EXACT)
    assert value(walk, (0, 1, 0)) == pytest.approx(1 / 2, abs=EXACT)
    assert value(walk, (1, 0, 1)) == pytest.approx((1 / 5 * 1 + 2 / 5 * 2 / 3) / (3 / 5), abs=EXACT)
    # Round and round among three, with one more look at the third: 1/4, 1/4, 1/2.
    ring = "MP(transitions='0 1 0/0 0 1/0.5 0 0.5')"
    assert value(ring, (1, 0, 1)) == pytest.approx((1 / 4 * 1 + 1 / 2 * 2 / 3) / (3 / 4), abs=EXACT)
    assert value(ring, (1, 0, 0, 1)) == pytest.approx(1, abs=EXACT), "nobody comes to a fourth rank"
    assert value(ring, (0, 0, 0, 1)) == 0


def test_counts_of_moves_are_as_good_as_shares() -> None:
    counts, shares = "MP(transitions='2 2 0/0 3 1/1 0 3')", "MP(transitions='0.5 0.5 0/0 0.75 0.25/0.25 0 0.75')"
    assert value(counts, (1, 0, 1)) == value(shares, (1, 0, 1))


def test_how_long_people_stay_with_a_document_is_its_weight() -> None:
    # Grades 1 and 2 at ranks 1 and 3: one unit of time at a precision of 1, three at 2/3.
    measure = "MP(distance='none',holding='0 1 3')"
    assert value(measure, (1, 0, 2)) == pytest.approx((1 * 1 + 3 * 2 / 3) / 4, abs=EXACT)


def test_numbers_are_written_in_one_way() -> None:
    assert str(parse_measure("MP(transitions=' .50 .5/1e0  0')")) == "MP(transitions='0.5 0.5/1 0')"


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("MP(states='all')", "needs a cut-off"),
        ("MP(transitions='1 2')", "cannot have transitions"),
        ("MP(transitions='1 a/1 1')", "cannot have transitions"),
        ("MP(transitions='0 1/-1 1')", "cannot have transitions"),
        ("MP(transitions='0 0/1 1')", "cannot have transitions"),
        ("MP(transitions='nan 1/1 1')", "cannot have transitions"),
        ("MP(transitions='1 0/0 1')", "has several ends"),
        ("MP(loops=True,transitions='0 1/1 0')", "in numbers and in words"),
        ("MP(holding='x')", "cannot have holding"),
        ("MP(links='far')", "cannot have links"),
    ],
)
def test_a_walk_that_cannot_be_is_refused(written: str, says: str) -> None:
    with pytest.raises(ParameterError, match=rf"{says}.*\nhint: "):
        parse_measure(written)
