"""Answers of workers that peers and we merge: those of dawid1979, and some drawn from fixed seeds."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

# Table 1 of Dawid and Skene (1979): 45 patients, how fit each is for anaesthesia, from 1 to 4, as five anaesthetists
# see it; the first looked three times. One word for each patient: the three answers of the first, then the others'.
ANAESTHETISTS = """
1111111 3334334 1122122 2223121 2223222 2223322 1222111 3333433 2222223 2322223 4444444 2223343 1111111 2223212 1211111
1112111 1111111 1111111 2222221 2221322 2222222 2222221 2223222 2212222 1111111 1111111 2322222 1111111 1111111 1121121
1111111 3333233 1111111 2222222 2223232 4334343 2212232 2323233 3333432 1111111 1111111 1212111 2322222 1211111 2222222
"""


@dataclass(frozen=True)
class Crowd:
    """Who chose what for which item; what is right, if anybody knows."""

    item: NDArray[np.int64]
    worker: NDArray[np.int64]
    choice: NDArray[np.int64]
    items: int
    workers: int
    choices: int
    truth: NDArray[np.int64] | None = None


def anaesthetists() -> Crowd:
    """What the five anaesthetists said; choice 0 is class 1."""
    said = np.array([[int(letter) for letter in word] for word in ANAESTHETISTS.split()])
    item, place = np.indices(said.shape)
    return Crowd(item.ravel(), np.maximum(place - 2, 0).ravel(), said.ravel() - 1, 45, 5, 4)


def drawn(seed: int, *, items: int, workers: int, choices: int, each: int) -> Crowd:
    """Items with so many answers each, by workers who are right with chances from 0.5 to 0.95."""
    stream = np.random.default_rng(seed)
    truth = stream.integers(0, choices, items)
    item = np.repeat(np.arange(items), each)
    worker = np.concatenate([stream.permutation(workers)[:each] for _ in range(items)])
    right = stream.random(len(item)) < stream.uniform(0.5, 0.95, workers)[worker]
    wrong = (truth[item] + stream.integers(1, choices, len(item))) % choices
    return Crowd(item, worker, np.where(right, truth[item], wrong), items, workers, choices, truth)


@cache
def crowds() -> dict[str, Crowd]:
    """All inputs by name."""
    return {
        "anaesthetists": anaesthetists(),
        "yes or no": drawn(1, items=120, workers=15, choices=2, each=5),
        "five grades": drawn(9, items=80, workers=8, choices=5, each=6),
        "few each": drawn(3, items=60, workers=30, choices=3, each=3),
    }
