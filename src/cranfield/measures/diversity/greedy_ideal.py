"""Greedy ideal ranking: at every rank the document that adds most over all subtopics.

The best ranking of all is hard to find; this one takes the best next document (clarke2008). Where several are equally
good, the one with the highest id comes first, as in ndeval.
"""

import numpy as np
from numpy.typing import NDArray

from cranfield.data import Assessed

from .topic_intents import intents, topic_of_named

EQUAL = 1e-12  # gains as near as this are equal numbers that were multiplied in different order


def greedy(assessed: Assessed, rel: float, alpha: float) -> Assessed:
    """One run with the relevant documents of every topic, each rank taken by the one that adds most."""
    return assessed.once(("greedy", rel, alpha), lambda: _ranked(assessed, rel, alpha))


def _ranked(assessed: Assessed, rel: float, alpha: float) -> Assessed:
    hit = assessed.table("subtopics").value >= rel
    relevant = np.flatnonzero(hit.any(axis=1))
    worth = np.full(len(hit), -np.inf)
    if len(relevant):
        topic = topic_of_named(assessed)[relevant]
        names = assessed.documents.take(relevant).to_list()
        by_name = np.empty(len(names), np.int64)
        by_name[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
        worth[relevant] = -_places(topic, hit[relevant], by_name, intents(assessed, rel), alpha)
    return assessed.in_order(worth).only(worth > -np.inf)


def _places(
    topic: NDArray[np.int64],
    hit: NDArray[np.bool_],
    by_name: NDArray[np.int64],
    weight: NDArray[np.float64],
    alpha: float,
) -> NDArray[np.float64]:
    """(document,): the place of each, from 0. Documents of a topic about the same subtopics are taken by name alone."""
    kinds, kind = np.unique(np.column_stack([topic, hit]), axis=0, return_inverse=True)
    order = np.lexsort((-by_name, kind.reshape(-1)))
    first = np.concatenate(([0], np.bincount(kind.reshape(-1), minlength=len(kinds)).cumsum()))
    topics, begin = np.unique(kinds[:, 0], return_index=True)
    number = np.arange(len(kinds)) - np.repeat(begin, np.diff(begin, append=len(kinds)))
    row = np.searchsorted(topics, kinds[:, 0])
    shape = (len(topics), int(number.max()) + 1)
    about = np.zeros((*shape, hit.shape[1]))
    about[row, number] = kinds[:, 1:] * weight[kinds[:, 0]]
    next_one, end = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    next_one[row, number], end[row, number] = first[:-1], first[1:]
    novelty, here = np.ones((len(topics), hit.shape[1])), np.arange(len(topics))
    place = np.empty(len(topic))
    for rank in range(int(np.bincount(topic).max())):
        left = next_one < end
        gain = np.where(left, (about * novelty[:, None]).sum(axis=2), -1)
        best = left & (gain >= gain.max(axis=1, keepdims=True) - EQUAL)
        name = by_name[order[np.where(left, next_one, 0)]]
        chosen = np.where(best, name, -1).argmax(axis=1)
        some = left.any(axis=1)
        at, which = here[some], chosen[some]
        place[order[next_one[at, which]]] = rank
        next_one[at, which] += 1
        novelty[at] *= np.where(about[at, which] > 0, 1 - alpha, 1)
    return place
