"""Stratified samples of a pool by depth, with known inclusion probabilities."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from cranfield.collections.pooling.candidates import Candidates
from cranfield.core import SEED, ParameterError, Table, generator
from cranfield.data import Qrels, Strings

from .base import Ordered, strategy

if TYPE_CHECKING:
    from cranfield.collections.pooling.judging_steps import Walk


@strategy("stratified", cite="yilmaz2008xinfap,horvitz1952")
class Stratified(Ordered):
    """Stratified sample: of the documents whose best rank lies within each of some depths, a share drawn at random.

    With depths of 10, 50 and 100 the strata are the ranks 1–10, 11–50 and 51–100. Of each topic a stratum gives its
    share, rounded to the nearest number of documents, and one at least: what nobody can draw, no estimate counts. The
    strata take turns, each as often as it is large, so that whatever part of them a budget pays for is a sample too.
    """

    asks: ClassVar[str] = "a random document of each stratum in turn"
    means: ClassVar[dict[str, str]] = {
        "depths": "the deepest rank of each stratum",
        "shares": "which share of each stratum is drawn",
    }
    samples: ClassVar[bool] = True

    depths: str = "10 50 100"
    shares: str = "1 0.5 0.1"

    def __post_init__(self) -> None:
        depths, shares = self.bounds, self.rates
        if not len(depths) or (depths % 1 > 0).any() or (np.diff(depths, prepend=0) <= 0).any():
            hint = "depths are whole numbers from 1 up, each above the one before: '10 50 100'"
            raise ParameterError(f"stratified cannot have depths={self.depths!r}", hint=hint)
        if not len(shares) or not ((shares > 0) & (shares <= 1)).all():
            hint = "shares are numbers above 0, and 1 at most: '1 .5 .1'"
            raise ParameterError(f"stratified cannot have shares={self.shares!r}", hint=hint)
        if len(depths) != len(shares):
            problem = f"stratified cannot have {len(depths)} depths and {len(shares)} shares"
            raise ParameterError(problem, hint="give one share for each depth")

    @property
    def bounds(self) -> NDArray[np.float64]:
        """(stratum,): the deepest rank of each."""
        return _numbers(self.depths)

    @property
    def rates(self) -> NDArray[np.float64]:
        """(stratum,): which share of it is drawn."""
        return _numbers(self.shares)

    def order(self, walk: "Walk") -> NDArray[np.float64]:
        number = np.bincount(walk.row, minlength=len(walk.random))
        worth = np.full(walk.asked.shape, -np.inf)
        worth[walk.row, walk.document] = -_Turns.of(self, walk.row, walk.best, _draw(walk.random, number)).turn
        return worth


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Which documents of a pool were drawn, and how likely that was; a stratum of 0 is deeper than all strata."""

    stratum: NDArray[np.int64]  # (document,): from 1
    probability: NDArray[np.float64]  # (document,): of being drawn
    sampled: NDArray[np.bool_]  # (document,)


def strata(strategy: Stratified, candidates: Candidates, *, budget: int | None = None, seed: int = SEED) -> Sample:
    """The sample that a strategy draws, or the part of it that a budget of documents for each topic pays for."""
    topic, number = candidates.topic, np.diff(candidates.starts)
    streams = [generator(seed, "pool", name) for name in candidates.topics]
    turns = _Turns.of(strategy, topic, candidates.best, _draw(streams, number))
    order = np.lexsort((turns.turn, topic))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order)) - candidates.starts[:-1][topic]
    sampled = np.isfinite(turns.turn) & (place < (len(order) if budget is None else budget))
    drawn = np.bincount(turns.cell, weights=sampled)[turns.cell] if len(order) else np.zeros(0)
    last = len(strategy.bounds)
    stratum = np.where(turns.stratum < last, turns.stratum + 1, 0)
    return Sample(stratum, drawn / np.maximum(turns.size, 1), sampled)


@dataclass(frozen=True, slots=True, eq=False)
class _Turns:
    """When each document is drawn in its stratum: arrays are (document,)."""

    stratum: NDArray[np.int64]  # from 0; one more than there are: deeper than all
    cell: NDArray[np.int64]  # which topic and stratum, in one number
    size: NDArray[np.int64]  # of its cell
    turn: NDArray[np.float64]  # from 0, below 1; inf: not drawn

    @classmethod
    def of(
        cls,
        strategy: Stratified,
        topic: NDArray[np.int64],
        best: NDArray[np.int32],
        draw: NDArray[np.float64],
    ) -> "_Turns":
        bounds = strategy.bounds
        stratum = np.searchsorted(bounds, best)
        cell = topic * (len(bounds) + 1) + stratum
        number = np.bincount(cell)
        size = number[cell] if len(cell) else cell
        asked = np.maximum(np.floor(np.append(strategy.rates, 0)[stratum] * size + 0.5), stratum < len(bounds))
        order = np.lexsort((draw, cell))
        within = np.empty(len(cell))
        within[order] = np.arange(len(cell)) - (np.cumsum(number) - number)[cell[order]]
        # Of n documents that a stratum gives, the j-th comes at (j − 1)/n: the rule of Adams, by which every stratum
        # gives its first document before any gives its second.
        return cls(stratum, cell, size, np.where(within < asked, within / np.maximum(asked, 1), np.inf))


def sample_table(sample: Sample, candidates: Candidates) -> Table:
    """The documents of all strata as rows of topic, document, stratum, probability and sampled."""
    there = np.flatnonzero(sample.stratum)
    topics = [candidates.topics[topic] for topic in candidates.topic[there].tolist()]
    columns = {"topic": topics, "document": candidates.document.take(there).to_list()}
    own = {name: getattr(sample, name)[there] for name in ("stratum", "probability", "sampled")}
    return Table(columns | own, "Sample")


def sampled_qrels(sample: Sample, candidates: Candidates, qrels: Qrels) -> Qrels:
    """The judgments of what was drawn; the rest of the strata has grade −1, and the second column is the stratum.

    This is what inferred measures read: a grade below 0 is a document of the pool that was not drawn, and what is not
    there at all was not in the pool. A document that was drawn and that nobody judged has grade −1 too.
    """
    there = np.flatnonzero(sample.stratum)
    grade = candidates.grades(qrels)
    topics, topic = Strings(candidates.topics).take(candidates.topic[there]).distinct()
    subtopics, subtopic = Strings([str(stratum) for stratum in sample.stratum[there].tolist()]).distinct()
    judged = np.where(sample.sampled & (grade >= 0), grade, -1)[there]
    return Qrels(topics, topic, candidates.document.take(there), judged, subtopics, subtopic, qrels.source)


def estimate_relevant(sample: Sample, candidates: Candidates, relevant: NDArray[np.bool_]) -> NDArray[np.float64]:
    """(topic,): how many documents of the strata are relevant, as those that were drawn let one expect.

    Each of the ``relevant`` (document,) stands for 1/probability of its kind (horvitz1952).
    """
    drawn = np.flatnonzero(sample.sampled & relevant)
    estimate = np.zeros(len(candidates.topics))
    np.add.at(estimate, candidates.topic[drawn], 1 / sample.probability[drawn])
    return estimate


def _draw(streams: list["np.random.Generator"], number: NDArray[np.int64]) -> NDArray[np.float64]:
    """(document,): a number between 0 and 1, for each topic from its own stream."""
    drawn = [stream.random(size) for stream, size in zip(streams, number.tolist(), strict=True)]
    return np.concatenate(drawn) if drawn else np.zeros(0)


def _numbers(text: str) -> NDArray[np.float64]:
    """Numbers with spaces or commas between them; none where one of the words is no number."""
    try:
        found = np.array([float(word) for word in text.replace(",", " ").split()])
    except ValueError:
        return np.zeros(0)
    return found if np.isfinite(found).all() else np.zeros(0)
