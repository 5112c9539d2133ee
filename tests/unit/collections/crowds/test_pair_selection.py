"""The next pair beside another way to its numbers, and what it leads to when many are asked."""

from __future__ import annotations

from itertools import combinations, pairwise
from math import exp, log, sqrt
from random import Random
from statistics import NormalDist

import numpy as np
import pytest
from scipy.optimize import minimize

from cranfield.collections import Stopping, next_pair
from cranfield.collections.crowds.pair_selection import PAIRS

ABC = ["A", "B", "C", "D", "E", "F"]
Vote = tuple[str, str, int]


def by_hand(documents: list[str], votes: list[Vote], prior: float = 0.1) -> dict[tuple[str, str], tuple[float, float]]:
    """Of each pair, by how much the determinant of the information grows, and how sure it is who is stronger.

    The likelihood is climbed by scipy; the information is the matrix of its second derivatives, by differences.
    """
    place = {name: number for number, name in enumerate(documents)}

    def value(at: np.ndarray) -> float:
        told = 0.0
        for one, other, choice in votes:
            apart = at[place[one]] - at[place[other]]
            told += (1 + choice) / 2 * log(1 + exp(-apart)) + (1 - choice) / 2 * log(1 + exp(apart))
        return told + prior * sum(log(1 + exp(s)) + log(1 + exp(-s)) for s in at)

    best = minimize(value, np.zeros(len(documents)), method="BFGS", options={"gtol": 1e-9}).x
    step, size = 1e-4, len(documents)
    unit = np.eye(size) * step
    information = np.array(
        [
            [
                (value(best + a + b) - value(best + a - b) - value(best - a + b) + value(best - a - b)) / (4 * step**2)
                for b in unit
            ]
            for a in unit
        ]
    )
    found = {}
    for i, j in combinations(range(size), 2):
        apart = best[i] - best[j]
        p = 1 / (1 + exp(-apart))
        between = np.zeros(size)
        between[i], between[j] = 1, -1
        more = information + p * (1 - p) * np.outer(between, between)
        spread = sqrt(between @ np.linalg.inv(information) @ between)
        growth = float(np.linalg.det(more) / np.linalg.det(information))
        found[documents[i], documents[j]] = growth, NormalDist().cdf(abs(apart) / spread)
    return found


def drawn(seed: int, votes: int) -> list[Vote]:
    random = Random(seed)
    return [(*random.sample(ABC, 2), random.choice([1, 1, 0, -1])) for _ in range(votes)]  # type: ignore[misc]


@pytest.mark.parametrize("seed", range(12))
def test_it_is_the_pair_that_adds_most_to_the_information(seed: int) -> None:
    votes = drawn(seed, 4 + seed)
    told = by_hand(ABC, votes)
    found = next_pair(ABC, votes, stopping=Stopping(delta=0.1, most=100))
    own = {frozenset(pair) for pair in told if _decided(pair, votes)}
    left = {pair: growth for pair, (growth, surer) in told.items() if surer < 0.9 and frozenset(pair) not in own}
    assert found is not None
    assert left[found] == pytest.approx(max(left.values()), rel=1e-4)


def _decided(pair: tuple[str, str], votes: list[Vote]) -> bool:
    """By their own votes, of which the two kinds that are most count: k of k the same are right with 1 − 1/2^(k+1)."""
    kinds = [choice if (one, other) == pair else -choice for one, other, choice in votes if {one, other} == set(pair)]
    return len(kinds) >= 3 and len(set(kinds)) == 1


def test_with_no_votes_it_is_the_first_two() -> None:
    assert next_pair(ABC, []) == ("A", "B")
    assert next_pair(ABC, [], skipped=[("B", "A")]) == ("A", "C")
    assert next_pair(["A"], []) is None
    assert next_pair([], []) is None
    assert next_pair(["A", "B"], [("A", "X", 1), ("X", "Y", -1)]) == ("A", "B")  # of others nothing is known here


def test_all_are_linked_before_any_two_are_compared_again() -> None:
    votes: list[Vote] = []
    linked: set[str] = set()
    for _ in range(len(ABC) // 2):  # nobody has been seen yet: two new ones at a time
        pair = next_pair(ABC, votes)
        assert pair is not None
        assert not linked & set(pair)
        linked |= set(pair)
        votes.append((*pair, 1))
    assert linked == set(ABC)


@pytest.mark.parametrize(("said", "enough"), [([1, 1, 1], True), ([1, 1], False), ([1, -1, 1, -1, 0], True)])
def test_a_pair_has_enough_votes(said: list[int], *, enough: bool) -> None:
    # Three of three: 1 − 1/16 = .9375 ≥ .9; two of two: 1 − 1/8 = .875; five are the most that are asked for.
    votes = [("A", "B", choice) for choice in said]
    assert (next_pair(["A", "B"], votes) is None) == enough


def test_what_the_others_tell_decides_a_pair_too() -> None:
    # A beats B and B beats C twenty times each: nobody has to compare A and C to know.
    votes = [("A", "B", 1), ("B", "C", 1)] * 20 + [("B", "A", 1), ("C", "B", 1)]
    assert by_hand(["A", "B", "C"], votes)["A", "C"][1] > 0.9
    assert next_pair(["A", "B", "C"], votes) is None


def test_the_order_of_names_in_a_vote_says_nothing() -> None:
    votes = drawn(3, 15)
    turned = [(other, one, -choice) for one, other, choice in votes]
    assert next_pair(ABC, votes) == next_pair(ABC, turned)


def test_asked_until_nothing_is_open_it_finds_the_order_with_fewer_votes_than_all_pairs_thrice() -> None:
    votes: list[Vote] = []
    while (pair := next_pair(ABC, votes)) is not None:
        votes.append((*pair, 1 if pair[0] < pair[1] else -1))  # everybody prefers the earlier letter
        assert len(votes) <= len(ABC) * (len(ABC) - 1) // 2 * PAIRS.most
    assert len(votes) < 3 * 15  # as many as all pairs need by their own votes alone
    # No two neighbours can be told apart by what others tell: each pair of them was compared.
    assert set(pairwise(ABC)) <= {tuple(sorted(vote[:2])) for vote in votes}
