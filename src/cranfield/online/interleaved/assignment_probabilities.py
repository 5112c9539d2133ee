"""Exact probability that each ranking contributed a document to an interleaved page."""

from collections.abc import Sequence
from math import comb
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError

Numbers: TypeAlias = NDArray[np.float64]
STATES = 1 << 14  # sets of lists that one round may go through


def poisson_binomial(chances: Sequence[float]) -> Numbers:
    """(count,): how likely 0, 1, … of some independent events are, each with a chance of its own."""
    found = np.ones(1)
    for chance in chances:
        found = np.convolve(found, (1 - chance, chance))
    return found


def drawing_chances(ranks: NDArray[np.int64], lengths: Sequence[int], tau: float) -> Numbers:
    """(list, document): how likely a list is to put that document of a page in its place, given those above.

    A list draws with a chance ∝ rank^−tau among its documents that are not shown yet: hofmann2011.
    """
    found = np.zeros(ranks.shape)
    for own, length, chance in zip(ranks, lengths, found, strict=True):
        weight = np.arange(1, length + 1, dtype=float) ** -tau
        drawn = np.where(own > 0, weight[own - 1], 0.0)
        weight[own[own > 0] - 1] = 0.0
        left = weight.sum() + drawn[::-1].cumsum()[::-1]
        np.divide(drawn, left, out=chance, where=drawn > 0)
    return found


def with_replacement(chance: Numbers) -> tuple[Numbers, Numbers]:
    """(list, document): how likely a document is each list's, if every place has a list of its own drawn for it.

    And (document,): how likely the document was to stand there, given those above.
    """
    total = chance.sum(axis=0)
    return np.divide(chance, total, out=np.zeros_like(chance), where=total > 0), total / len(chance)


def in_rounds(chance: Numbers) -> tuple[Numbers, Numbers]:
    """The same, if in every round each list has one turn, in a random order: all orders of a round are summed.

    A round goes through sets of lists that had their turn: of so many lists that there are too many sets, none is
    summed.
    """
    lists, length = chance.shape
    if sum(comb(lists, turn) for turn in range(min(lists, length) + 1)) > STATES:
        message = f"orders of {lists} lists are too many to sum"
        raise ParameterError(message, hint="let lists be drawn with replacement: probabilistic(rounds=False)")
    rounds = [_one_round(chance[:, start : start + lists]) for start in range(0, length, lists)]
    shares, chances = zip(*rounds, strict=True)
    return np.concatenate(shares, axis=1), np.concatenate(chances)


def _one_round(chance: Numbers) -> tuple[Numbers, Numbers]:
    """Forwards over the sets of lists that had their turn (bits), then backwards: schuth2015 without samples.

    Backwards the chance of a turn is left out: it is the same for all lists, and shares are relative.
    """
    lists, length = chance.shape
    before: list[dict[int, float]] = [{0: 1.0}]
    for turn in range(length):
        reached: dict[int, float] = {}
        for had, weight in before[-1].items():
            for team in range(lists):
                if not had >> team & 1:
                    now = had | 1 << team
                    reached[now] = reached.get(now, 0.0) + weight * chance[team, turn] / (lists - turn)
        before.append(reached)
    after = dict.fromkeys(before[-1], 1.0)
    share = np.zeros(chance.shape)
    for turn in reversed(range(length)):
        earlier: dict[int, float] = {}
        for had, weight in before[turn].items():
            for team in range(lists):
                if not had >> team & 1:
                    onwards = chance[team, turn] * after[had | 1 << team]
                    share[team, turn] += weight * onwards
                    earlier[had] = earlier.get(had, 0.0) + onwards
        after = earlier
    total = np.array([sum(reached.values()) for reached in before])
    return share / share.sum(axis=0), total[1:] / total[:-1]
