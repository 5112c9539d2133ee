"""Hedge: select documents by rank, with runs weighted by the judgments so far."""

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Chance

from .base import Strategy, strategy

if TYPE_CHECKING:
    from cranfield.collections.pooling.judging_steps import Walk


@strategy("hedge", cite="aslam2003hedge")
class Hedge(Strategy):
    """Hedge: the document that runs rank early, runs counting by how well they have done so far.

    A run gains ½ ln(Z/rank) with a relevant document and loses as much with another, Z being the size of the pool; its
    weight is β to the power of what it lost. The documents of the pool that a run does not have stand behind its own,
    in no order: each of them counts as the mean over those ranks.
    """

    asks: ClassVar[str] = "the highest Σ weight of run · ln(Z/rank)"
    means: ClassVar[dict[str, str]] = {"beta": "the smaller, the more a run loses by documents that are not relevant"}

    beta: Chance = 0.1

    def start(self, walk: "Walk") -> None:
        deepest = np.zeros(walk.left.shape, dtype=np.int64)
        np.maximum.at(deepest.reshape(-1), walk.arm, walk.rank)
        size = np.maximum(np.bincount(walk.row, minlength=len(deepest)), deepest.max(axis=1))[:, None]
        log = np.log(np.maximum(np.arange(int(size.max(initial=0)) + 1), 1))
        behind, added = np.maximum(size - deepest, 1), log.cumsum()
        missing = 0.5 * np.where(deepest < size, log[size] - (added[size] - added[deepest]) / behind, 0)
        early = 0.5 * (log[size.ravel()[walk.row[walk.of]]] - log[walk.rank])
        walk.memory |= {"early": early - missing.ravel()[walk.arm], "missing": missing}
        walk.hold("early", walk.memory["early"])
        walk.memory["loss"] = np.where(deepest > 0, 0, np.inf)  # a run without documents has no weight

    def worth(self, walk: "Walk") -> NDArray[np.float64]:
        """(live,): how far the runs trust a document, each by its weight."""
        loss = walk.memory["loss"]
        least = loss.min(axis=1, keepdims=True)
        weight = self.beta ** (loss - np.where(np.isfinite(least), least, 0))  # whatever is common to all cancels
        return walk.weigh("early", weight)

    def choose(self, walk: "Walk") -> NDArray[np.int64]:
        return walk.best_document(self.worth(walk))

    def told(
        self,
        walk: "Walk",
        topic: NDArray[np.int64],
        document: NDArray[np.int64],
        relevant: NDArray[np.float64],
    ) -> None:
        places, row = walk.places(topic, document)
        lost, loss = 1 - 2 * relevant, walk.memory["loss"]
        loss[topic] += lost[:, None] * walk.memory["missing"][topic]
        loss[topic[row], walk.run[places]] += lost[row] * walk.memory["early"][places]
