"""Strategy that selects the document with the largest expected gain for the runs."""

from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Chance, Limits

from .base import strategy
from .weighted_runs import Hedge

if TYPE_CHECKING:
    from cranfield.collections.pooling.judging_steps import Walk


@strategy("nrg", cite="bigdeli2024,aslam2003hedge")
class ResidualGain(Hedge):
    """Residual gain: the document from which the runs may still gain most, runs of which much is known counting less.

    A document that was judged brings nothing any more (bigdeli2024's residual gain, what was judged being the prior).
    One that was not brings P · Σ D(rank)/(1 + G)^fairness over the runs that have it: P is how far the runs trust it
    more than a document that none of them has, each weighed as in Hedge; D is the discount of DCG; G is the discounted
    gain that the run is known to have. With
    ``fairness=1`` this is the expected growth of Σ ln(1 + G) over the runs: finding one more document of a run of
    which nothing is known yet is worth more than one more of a run that already shines, so that a pool serves slow
    starters and unusual runs too. With 0 all runs count the same.
    """

    asks: ClassVar[str] = "the highest expected gain, most for runs that have little yet"
    means: ClassVar[dict[str, str]] = {
        **Hedge.means,
        "fairness": "the larger, the more runs that have little yet count; 0: all count the same",
    }

    beta: Chance = 0.1
    fairness: Annotated[float, Limits(0)] = 1.0

    def start(self, walk: "Walk") -> None:
        super().start(walk)
        walk.memory["discount"] = 1 / np.log2(1.0 + walk.rank)
        walk.hold("discount", walk.memory["discount"])
        walk.memory["gained"] = np.zeros(walk.left.shape)  # (topic, run)

    def worth(self, walk: "Walk") -> NDArray[np.float64]:
        counts = (1 + walk.memory["gained"]) ** -self.fairness
        trust = super().worth(walk)
        return trust * walk.weigh("discount", counts)

    def told(
        self,
        walk: "Walk",
        topic: NDArray[np.int64],
        document: NDArray[np.int64],
        relevant: NDArray[np.float64],
    ) -> None:
        super().told(walk, topic, document, relevant)
        places, row = walk.places(topic, document)
        walk.memory["gained"][topic[row], walk.run[places]] += relevant[row] * walk.memory["discount"][places]
