"""Replay known judgments in the order in which a strategy would have requested them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cranfield.collections.strategies.base import Strategy
from cranfield.core import SEED

from .candidates import Candidates
from .judging_steps import Walk

if TYPE_CHECKING:
    from cranfield.data import Corpus

MOST = 2**24  # (topic, run, rank) cells that are laid out at once

Progress = Callable[[int, int], object]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Replay:
    """The order in which a strategy asked for the documents of every topic."""

    strategy: Strategy
    candidates: Candidates
    order: NDArray[np.int64]  # (topic, step): which of all candidates, −1 where none was left
    relevant: NDArray[np.bool_]  # (topic, step)

    def __repr__(self) -> str:
        return f"Replay({self.strategy}: {int((self.order >= 0).sum())} judgments of {len(self.order)} topics)"

    def found(self) -> NDArray[np.int64]:
        """(topic, step + 1): relevant documents after so many judgments."""
        return np.pad(self.relevant.cumsum(axis=1), ((0, 0), (1, 0)))

    def judged(self, after: int | NDArray[np.int64]) -> NDArray[np.bool_]:
        """(document,): what is judged after so many judgments of each topic, or of all."""
        step = np.arange(self.order.shape[1]) < np.reshape(after, (-1, 1))
        there = np.zeros(len(self.candidates), dtype=bool)
        there[self.order[step & (self.order >= 0)]] = True
        return there


def replay(
    strategy: Strategy,
    candidates: Candidates,
    relevant: NDArray[np.bool_],
    *,
    budget: int | None = None,
    first: int = 0,
    seed: int = SEED,
    corpus: "Corpus | None" = None,
    progress: Progress | None = None,
) -> Replay:
    """Ask for documents and say what is known of them, ``relevant`` being (document,); all topics step by step.

    ``budget`` is for each topic; ``first`` so many documents of every run are judged before the strategy begins.
    """
    size = np.diff(candidates.starts)
    steps = int(size.max(initial=0)) if budget is None else min(int(size.max(initial=0)), budget)
    order = np.full((len(candidates.topics), steps), -1)
    for done, block in in_blocks(candidates):
        walk = Walk(strategy, candidates, block.tolist(), first=first, seed=seed, corpus=corpus)
        for step in range(steps):
            chosen = walk.next()
            topic = np.flatnonzero(chosen >= 0)
            if not len(topic):
                break
            document = chosen[topic]
            which = walk.whole[topic, document]
            order[block[topic], step] = which
            walk.ask(topic, document)
            walk.tell(topic, document, relevant[which].astype(float))
            if progress and step % 16 == 0:
                progress(done + len(block) * step // max(steps, 1), len(order))
    hit = np.where(order >= 0, relevant[order] if len(relevant) else False, False)
    return Replay(strategy, candidates, order, hit)


def in_blocks(candidates: Candidates) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Topics that are laid out together, those with as many documents side by side, and how many came before."""
    order = np.argsort(np.diff(candidates.starts), kind="stable")
    together = max(1, MOST // (len(candidates.runs) * candidates.depth))
    for done in range(0, len(order), together):
        yield done, order[done : done + together]
