"""Strata of a sampled pool: the documents of each stratum, and the number of them sampled.

The second column of the judgments names the stratum; where it says the same of all documents there is one. A grade
below 0 is a document of the pool that was not drawn; what is not in the judgments was not in the pool.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranfield.data.assessed.assessed_runs import Assessed
from cranfield.data.assessed.block import NOBODY

from .qrels import Qrels


@dataclass(frozen=True, slots=True, eq=False)
class Strata:
    """The strata of all topics, counted through: those of the first topic, those of the second, and so on."""

    topics: int
    of: NDArray[np.int64]  # (named,): the stratum of each document; -1: it was not in the pool
    topic: NDArray[np.int64]  # (stratum,): whose it is
    size: NDArray[np.int64]  # (stratum,): how many documents it holds
    drawn: NDArray[np.int64]  # (stratum,): how many of them were judged

    @property
    def weight(self) -> NDArray[np.float64]:
        """(named,): how many documents each stands for that was drawn; 0 where nothing was drawn of its stratum."""
        each = np.divide(self.size, self.drawn, out=np.zeros(len(self.size)), where=self.drawn > 0)
        return np.append(each, 0.0)[self.of]

    @property
    def number(self) -> NDArray[np.int64]:
        """(named,): which stratum of its own topic each document is in, from 0; -1: it was not in the pool."""
        each = np.arange(len(self.topic)) - np.searchsorted(self.topic, self.topic)
        return np.append(each, -1)[self.of]

    def estimate(self, found: NDArray[np.bool_]) -> NDArray[np.float64]:
        """(topic,): how many documents are like those ``found`` (named,) among the drawn (horvitz1952)."""
        count = np.bincount(self.of[found], minlength=len(self.size))
        each = count * self.size / np.maximum(self.drawn, 1)
        return np.bincount(self.topic, each, minlength=self.topics).astype(np.float64)


def strata_of(assessed: Assessed) -> Strata:
    """The strata of the judgments that assessed runs were met by; made once for all that share them."""
    return assessed.once("strata", lambda: _strata(assessed))


def _strata(assessed: Assessed) -> Strata:
    topic = np.repeat(np.arange(len(assessed.topics)), np.diff(assessed.named))
    stratum = np.zeros(len(topic), np.int64) if assessed.stratum is None else assessed.stratum.astype(np.int64)
    pooled = np.flatnonzero(assessed.grade > NOBODY)
    key = topic[pooled] * (stratum.max(initial=0) + 1) + stratum[pooled]
    _, first, which = np.unique(key, return_index=True, return_inverse=True)
    of = np.full(len(topic), -1)
    of[pooled] = which
    drawn = np.bincount(which, assessed.grade[pooled] >= 0, minlength=len(first)).astype(np.int64)
    return Strata(len(assessed.topics), of, topic[pooled][first], np.bincount(which), drawn)


def named_strata(judgments: Qrels, rows: NDArray[np.int64], named: int) -> NDArray[np.int32] | None:
    """(named,): the second column of the judgments by number; None: it says the same of all documents.

    ``rows`` says which document each judgment is of. Numbers follow names, whatever the order of lines. A document that
    is judged for several subtopics has the first of them.
    """
    if len(judgments.subtopics) < 2:
        return None
    order = np.argsort(np.array(judgments.subtopics.to_list()))
    number = np.empty(len(order), np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    out = np.full(named, len(order), np.int32)
    np.minimum.at(out, rows, number[judgments.subtopic])
    return out


def moved_strata(assessed: Assessed, was: NDArray[np.int64]) -> NDArray[np.int32] | None:
    """(named,): the second column for other named documents, of which ``was`` says which they were before.

    Those that are new (-1) were in no pool: they are a stratum of their own.
    """
    if assessed.stratum is None and (was >= 0).all():
        return None
    old = np.zeros(len(assessed.grade), np.int32) if assessed.stratum is None else assessed.stratum
    return np.where(was >= 0, old[was], old.max(initial=-1) + 1).astype(np.int32)
