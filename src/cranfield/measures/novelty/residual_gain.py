"""Residual gain of documents after a reader has seen earlier rankings."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranfield.core.types import Weights
from cranfield.data import Assessed, Block
from cranfield.measures.base import Browsing, Discounted, Measure

CELLS = 1 << 21  # (reader, topic, document) that are looked at together

Shares = NDArray[np.float64]  # (run, column): of what each run has to give


@dataclass(frozen=True, slots=True, eq=False)
class Left:
    """What is left of the gain of every document that earns something, to each reader.

    Runs before which the same rankings are known have one reader.
    """

    share: Shares  # (reader, column)
    reader: NDArray[np.int64]  # (run,): who reads it
    column: NDArray[np.int64]  # (named,): where a document stands; that of one which earns nothing means nothing
    earning: NDArray[np.int64]  # (column,): which named document it is

    @classmethod
    def after(cls, assessed: Assessed, of: Browsing) -> "Left":
        """Π (1 − known) over the rankings that are known before a run (bigdeli2024, equation 3)."""
        earning, column = columns(assessed, of)
        if assessed.prior is None or not assessed.prior.any():
            return cls(np.ones((1, len(earning))), np.zeros(len(assessed.runs), np.int64), column, earning)
        number: dict[bytes, int] = {}
        reader = np.array([number.setdefault(row.tobytes(), len(number)) for row in assessed.prior])
        prior = assessed.prior[[int(np.argmax(reader == i)) for i in range(len(number))]]
        read = np.flatnonzero(prior.any(axis=0))
        return cls(_product(prior[:, read], known(assessed, of, read)), reader, column, earning)

    def of(self, block: Block) -> Weights:
        """(row, document): what is left to the reader of each row."""
        return of_rows(self.share, self.reader, self.column, block)

    def at_best(self, assessed: Assessed, of: Discounted) -> NDArray[np.float64]:
        """(reader, topic): the sum over all documents of the topic, sorted by what is left of their gains."""
        gain = of.gain(assessed.grade)[self.earning]
        starts = np.searchsorted(self.earning, assessed.named)
        out = np.zeros((len(self.share), len(assessed.topics)))
        for topics, width in _alike(np.diff(starts), len(self.share)):
            place = starts[topics, None] + np.arange(width)
            there = place < starts[topics + 1, None]
            place = np.where(there, place, 0)
            less = self.share[:, place] * np.where(there, -gain[place], 0)
            best = min(width, of.k or width)
            worth = -np.sort(np.partition(less, best - 1, axis=2)[:, :, :best], axis=2)
            out[:, topics] = (worth * of.discount(np.arange(1.0, best + 1))).sum(axis=2)
        return out

    def out(self, assessed: Assessed, of: Measure) -> NDArray[np.bool_]:
        """(run, topic): where nothing is left of any document, though there was something."""
        worth = of.gain(assessed.grade)[self.earning] > 0  # some are shown for the time that they take
        starts = np.searchsorted(self.earning[worth], assessed.named)
        some = np.diff(starts) > 0
        found = np.zeros((len(self.share), len(assessed.topics)), np.bool_)
        if some.any():
            found[:, some] = np.maximum.reduceat(self.share[:, worth], starts[:-1][some], axis=1) == 0
        return found[self.reader]


def known(assessed: Assessed, of: Browsing, runs: NDArray[np.int64] | None = None) -> Shares:
    """(run, column): how far whoever has read the rankings of all runs, or of some, knows what earns something."""
    chosen, topics = np.arange(len(assessed.runs)) if runs is None else runs, len(assessed.topics)
    earning, column = columns(assessed, of)
    place = np.zeros(len(assessed.runs), np.int64)
    place[chosen] = np.arange(len(chosen))
    out = np.zeros((len(chosen), len(earning)))
    shown = assessed.only(of.earns(assessed.grade), of.reach)
    for block in shown.blocks((chosen[:, None] * topics + np.arange(topics)).reshape(-1)):
        view = block.judged_only() if of.judged_only else block
        there = np.isfinite(view.rank)
        run = np.broadcast_to(place[block.row // topics][:, None], there.shape)
        out[run[there], column[block.document[there]]] = of.known(view)[there]
    return out


def _product(prior: NDArray[np.bool_], known: Shares) -> Shares:
    """(reader, column): the product of 1 − ``known`` over the runs that each reader has read: (reader, run)."""
    share = np.ones((len(prior), known.shape[1]))
    column, run = np.nonzero(known.T)  # few: most runs have most documents nowhere near the top
    starts = np.flatnonzero(np.diff(column, prepend=-1))
    new = np.maximum(1 - known[run, column], 0)
    if len(new):
        for some in np.array_split(np.arange(len(prior)), 1 + len(prior) * len(new) // CELLS):
            factors = np.where(prior[some][:, run], new, 1)
            share[some[:, None], column[starts]] = np.multiply.reduceat(factors, starts, axis=1)
    return share


def columns(assessed: Assessed, of: Measure) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which documents earn something, and for every named one how many of them stand before it."""
    earns = of.earns(assessed.grade)
    return np.flatnonzero(earns), earns.cumsum() - 1


def of_rows(shares: Shares, reader: NDArray[np.int64], column: NDArray[np.int64], block: Block) -> Weights:
    """(row, document): the cells of the reader of each row's run; 0 where there is no document."""
    if not shares.shape[1]:  # nothing in any topic earns
        return np.zeros(block.rank.shape)
    row = reader[block.row // len(block.assessed.topics)]
    there = block.document >= 0
    return np.where(there, shares[row[:, None], column[np.where(there, block.document, 0)]], 0)


def _alike(counts: NDArray[np.int64], runs: int) -> Iterator[tuple[NDArray[np.int64], int]]:
    """Topics of about as many documents together, not too many at a time; those without any are left out."""
    width = np.where(counts > 1, 1 << np.ceil(np.log2(np.maximum(counts, 1))).astype(int), counts)
    for wide in sorted(set(width.tolist()) - {0}):
        alike = np.flatnonzero(width == wide)
        for part in np.array_split(alike, min(len(alike), max(1, len(alike) * wide * runs // CELLS))):
            yield part, wide
