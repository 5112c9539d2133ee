"""State of a strategy over many topics, advanced by one judgment per topic and step."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cranfield.collections.strategies.base import Strategy
from cranfield.core import SEED, generator

from .candidates import Candidates

if TYPE_CHECKING:
    from cranfield.data import Corpus


class Walk:
    """What was asked and said for some topics, and what a strategy has learnt from it: it changes with every step.

    Arrays are (topic, run), (topic, document) and (place,): a place is a document in a run. Documents are counted in
    their topics, in the order of the candidates. Everything that is random comes from one stream for each topic, so
    that a topic walks the same way alone and among others.
    """

    def __init__(
        self,
        strategy: Strategy,
        candidates: Candidates,
        topics: Sequence[int] | None = None,
        *,
        first: int = 0,
        seed: int = SEED,
        corpus: "Corpus | None" = None,
    ) -> None:
        self.strategy, self.candidates, self.corpus = strategy, candidates, corpus
        self.topics = np.arange(len(candidates.topics)) if topics is None else np.asarray(topics, dtype=np.int64)
        self.random = [generator(seed, "pool", candidates.topics[topic]) for topic in self.topics.tolist()]
        self._lay_out()
        self.step = np.zeros(len(self.topics), dtype=np.int64)  # (topic,): documents that were asked
        self.hits = np.zeros((len(self.topics), len(candidates.runs)))  # (topic, run): what runs were found to have
        self.seen = np.zeros_like(self.hits)  # (topic, run): their documents that were judged
        self.memory: dict[str, NDArray[Any]] = {}
        self._held: dict[str, Any] = {}  # (live, topic × run), sparse
        self._first = np.zeros_like(self.asked)
        if first:
            self._first[self.row, self.document] = self.best <= first
        strategy.start(self)

    def _lay_out(self) -> None:
        """The places of these topics, and the rankings of their runs, from the candidates."""
        every, runs = self.candidates, len(self.candidates.runs)
        size = np.diff(every.starts)[self.topics]
        self.row = np.repeat(np.arange(len(size)), size)  # (candidate,): its topic here
        self.document = np.arange(len(self.row)) - np.repeat(np.cumsum(size) - size, size)  # (candidate,): in its topic
        whole = np.repeat(every.starts[:-1][self.topics], size) + self.document  # (candidate,): among all
        number = np.diff(every.held)[whole]
        self.held = np.concatenate(([0], np.cumsum(number)))  # (candidate + 1,): where its places start
        places = np.repeat(every.held[:-1][whole] - self.held[:-1], number) + np.arange(self.held[-1])
        self.run, self.rank = every.run[places].astype(np.int64), every.rank[places]  # (place,)
        self.of = np.repeat(np.arange(len(whole)), number)  # (place,): which candidate
        self.arm = self.row[self.of] * runs + self.run  # (place,): which topic and run, in one number
        self.best = np.minimum.reduceat(self.rank, self.held[:-1]) if len(whole) else np.zeros(0, np.int32)
        self.first_candidate = np.cumsum(size) - size  # (topic,)
        self.asked = np.arange(int(size.max(initial=0)) or 1) >= size[:, None]  # (topic, document); True: is none
        self.whole = np.full(self.asked.shape, -1)  # (topic, document): which of all candidates
        self.whole[self.row, self.document] = whole
        self.left = np.bincount(self.arm, minlength=len(size) * runs).reshape(len(size), runs)
        order = np.lexsort((self.rank, self.arm))
        start = np.cumsum(self.left.ravel()) - self.left.ravel()
        self._ranking = np.full((self.left.size, int(self.left.max(initial=0)) or 1), -1)
        arm = self.arm[order]
        self._ranking[arm, np.arange(len(arm)) - start[arm]] = self.document[self.of[order]]

    @property
    def open(self) -> NDArray[np.bool_]:
        """(topic,): whether a document is left that nobody was asked for."""
        return np.logical_not(self.asked.all(axis=1))

    @property
    def early(self) -> NDArray[np.bool_]:
        """(topic,): whether documents that come first are left, which no strategy chooses."""
        return np.logical_or.reduce(self._first & ~self.asked, axis=1)

    def next(self) -> NDArray[np.int64]:
        """(topic,): the document that each topic is asked for next, −1 where none is left."""
        chosen = np.where(self.open, self.strategy.choose(self), -1)
        early = self.early
        return np.where(early, (self._first & ~self.asked).argmax(axis=1), chosen) if early.any() else chosen

    def ask(self, topic: NDArray[np.int64], document: NDArray[np.int64]) -> None:
        """Note that one document of each of some topics is asked for: nobody is asked again."""
        self.asked[topic, document] = True
        self.step[topic] += 1
        row, run = self.holders(topic, document)
        self.left[topic[row], run] -= 1

    def close(self, never: NDArray[np.bool_]) -> None:
        """Leave documents (topic, document) out: nobody will be asked for them."""
        out = never & ~self.asked
        self.asked |= never
        lost = self.arm[out[self.row[self.of], self.document[self.of]]]
        self.left -= np.bincount(lost, minlength=self.left.size).reshape(self.left.shape)

    def tell(self, topic: NDArray[np.int64], document: NDArray[np.int64], relevant: NDArray[np.float64]) -> None:
        """Say of one document of each of some topics whether it is relevant: every run that has it learns from it."""
        row, run = self.holders(topic, document)
        at, rate = (topic[row], run), self.strategy.remembers
        self.hits[at] = rate * self.hits[at] + relevant[row]
        self.seen[at] = rate * self.seen[at] + 1
        self.strategy.told(self, topic, document, relevant)

    def holders(
        self, topic: NDArray[np.int64], document: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The runs that have one document of each of some topics: (which of the documents, run)."""
        places, row = self.places(topic, document)
        return row, self.run[places]

    def places(
        self, topic: NDArray[np.int64], document: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where one document of each of some topics stands: (place, which of the documents)."""
        candidate = self.first_candidate[topic] + document
        start = self.held[candidate]
        number = self.held[candidate + 1] - start
        row = np.repeat(np.arange(len(topic)), number)
        return np.repeat(start - np.cumsum(number) + number, number) + np.arange(len(row)), row

    def total(self, of_place: NDArray[np.float64]) -> NDArray[np.float64]:
        """(candidate,): what its places hold, added up.

        What is equal as a number is equal, in whichever order it was added up: the last 12 bits are rounded away.
        """
        return _rounded(np.add.reduceat(of_place, self.held[:-1]) if len(self.row) else np.zeros(0))

    def hold(self, name: str, of_place: NDArray[np.float64]) -> None:
        """Keep what places hold, for :meth:`weigh`."""
        from scipy.sparse import csr_array

        self._held[name] = csr_array((of_place, self.arm, self.held), shape=(len(self.row), self.left.size))
        self._live = np.arange(len(self.row))

    def weigh(self, name: str, weight: NDArray[np.float64]) -> NDArray[np.float64]:
        """(live,): what the places of each candidate hold, times the weight of their run (topic, run), added up.

        Live are all candidates but those, mostly, that were asked for: they are dropped when there are many.
        """
        gone = self.asked[self.row[self._live], self.document[self._live]]
        if 4 * np.count_nonzero(gone) > len(gone):
            kept = np.flatnonzero(~gone)
            self._live = self._live[kept]
            self._held = {each: matrix[kept] for each, matrix in self._held.items()}
        return _rounded(self._held[name] @ weight.ravel())

    def spread(self, of_candidate: NDArray[np.float64]) -> NDArray[np.float64]:
        """(topic, document): the same by topic; −inf where there is nothing to ask."""
        found = np.full(self.asked.shape, -np.inf)
        found[self.row, self.document] = of_candidate
        found[self.asked] = -np.inf
        return found

    def best_document(self, worth: NDArray[np.float64]) -> NDArray[np.int64]:
        """(topic,): the document whose worth (live,) is highest, of those that nobody was asked for."""
        found = np.full(self.asked.shape, -np.inf)
        found[self.row[self._live], self.document[self._live]] = worth
        found[self.asked] = -np.inf
        return self.best_of(found)

    def best_of(self, worth: NDArray[np.float64]) -> NDArray[np.int64]:
        """(topic,): the place of the highest of each row, drawn among equals."""
        highest = worth == worth.max(axis=1, keepdims=True)
        chosen = highest.argmax(axis=1)
        many = highest.sum(axis=1)
        for topic in np.flatnonzero((many > 1) & self.open).tolist():
            equals = np.flatnonzero(highest[topic])
            chosen[topic] = equals[self.random[topic].integers(len(equals))]
        return chosen

    def next_of(self, run: NDArray[np.int64]) -> NDArray[np.int64]:
        """(topic,): the first document of one run of each topic that nobody was asked for."""
        rows = np.arange(len(run))
        ranking = self._ranking[rows * self.left.shape[1] + run]
        free = (ranking >= 0) & ~self.asked[rows[:, None], ranking]
        return ranking[rows, free.argmax(axis=1)]


def _rounded(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    return (numbers.view(np.int64) + 2**11 & -(2**12)).view(np.float64)
