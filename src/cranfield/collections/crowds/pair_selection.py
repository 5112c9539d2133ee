"""Select the most informative pair of documents of a topic to compare next."""

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from cranfield.collections.merging.bradley_terry_model import EQUAL, _Block

from .stopping_rules import Stopping

PAIRS = Stopping(delta=0.1, most=5)  # three votes that say the same are enough: 1 − 1/16 ≥ 0.9
PRIOR = 0.1  # as of `bradley_terry`


def next_pair(
    documents: Sequence[str],
    votes: Sequence[tuple[str, str, int]],
    *,
    stopping: Stopping = PAIRS,
    skipped: Collection[tuple[str, str]] = (),
    prior: float = PRIOR,
) -> tuple[str, str] | None:
    """The two documents whose comparison tells most; None: enough is known of every two that may be asked for.

    A vote is (one, other, choice): 1 where the one is better, −1 where the other is, 0 where neither is, which is half
    a win for each; votes on other documents are left out. Pairs that are ``skipped`` are not asked for, whichever of
    the two is named first, nor are those that are decided: their own votes are ``stopping`` enough, or their strengths
    say with a chance of 1 − ``delta`` which of them is stronger.

    Strengths are those of ``bradley_terry``. Let p be the chance that i is preferred to j. A vote between them adds
    p(1 − p) times the square of s_i − s_j to the information, and so multiplies its determinant by
    1 + p(1 − p) Var(s_i − s_j). The pair is asked for where that is largest, the first of them in the order of the
    documents: those that nothing links to the others, then those that are close and seldom compared.
    """
    place = {document: number for number, document in enumerate(documents)}
    size = len(place)
    counts = np.zeros((size, size, 3))  # of the former against the latter: worse, neither, better
    for one, other, choice in votes:
        if one in place and other in place:
            counts[place[one], place[other], 1 + choice] += 1
            counts[place[other], place[one], 1 - choice] += 1
    open_pairs = np.triu(np.ones((size, size), dtype=bool), 1)
    for one, other in skipped:
        if one in place and other in place:
            open_pairs[place[one], place[other]] = open_pairs[place[other], place[one]] = False
    if not open_pairs.any():
        return None
    gain, surer = _outlook(counts[:, :, 2] + counts[:, :, 1] / 2, prior)
    enough = stopping.enough(counts.reshape(-1, 3)).reshape(size, size)
    gain = np.where(open_pairs & ~enough & (surer < 1 - stopping.delta), gain, -np.inf)
    if not np.isfinite(gain).any():
        return None
    first, second = np.divmod(int(np.argmax(gain >= gain.max() * (1 - EQUAL))), size)
    return documents[int(first)], documents[int(second)]


def _outlook(wins: NDArray[np.float64], prior: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(document, document) twice: what a vote would add, and how surely one of the two is the stronger."""
    from scipy.special import expit, ndtr

    every = np.arange(len(wins))
    block = _Block(every, np.zeros_like(every), every, wins[np.newaxis])
    strength, covariance = (found[0] for found in block.solve(prior))
    apart = strength[:, np.newaxis] - strength
    own = np.diagonal(covariance)
    variance = np.maximum(own[:, np.newaxis] + own - 2 * covariance, 0.0)
    chance = expit(apart)
    spread = np.sqrt(np.where(variance > 0, variance, 1.0))  # a document beside itself
    return chance * (1 - chance) * variance, ndtr(np.abs(apart) / spread)
