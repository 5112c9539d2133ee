"""Strategies that choose a run and judge its next document: move-to-front and bandits.

A run is an arm of a bandit; to pull it is to judge the first of its documents that nobody has judged; the reward is 1
for a relevant one. A judgment tells something of every run that has the document.
"""

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Chance, Positive, Share

from .base import Strategy, strategy

if TYPE_CHECKING:
    from cranfield.collections.pooling.judging_steps import Walk


class Arms(Strategy):
    """The next document of the run with the highest worth; of equals one is drawn."""

    @abstractmethod
    def worth(self, walk: "Walk") -> NDArray[np.float64]:
        """(topic, run): what a run promises."""

    def choose(self, walk: "Walk") -> NDArray[np.int64]:
        worth = np.where(walk.left > 0, self.worth(walk), -np.inf)
        return walk.next_of(walk.best_of(worth))


@strategy("random", cite="losada2017bandits")
class Random(Arms):
    """A run drawn at random each time, and its next document."""

    adaptive: ClassVar[bool] = False
    asks: ClassVar[str] = "a random run's next document"

    def worth(self, walk: "Walk") -> NDArray[np.float64]:
        return np.zeros(walk.left.shape)


@strategy("mtf", cite="cormack1998mtf", aliases=("move-to-front",))
class MoveToFront(Arms):
    """Move-to-front: down one run while its documents are relevant; one that is not costs the run its place in front.

    All runs start with priority 0; a document that is not relevant takes 1 from that of the run that it came from, and
    the run with the highest priority is next.
    """

    asks: ClassVar[str] = "the same run until it fails, then the best one"

    def start(self, walk: "Walk") -> None:
        walk.memory["priority"] = np.zeros(walk.left.shape)
        walk.memory["run"] = np.full(len(walk.left), -1)
        walk.memory["asked for"] = np.full(walk.asked.shape, -1)  # (topic, document): the run that it came from

    def worth(self, walk: "Walk") -> NDArray[np.float64]:
        return walk.memory["priority"]

    def choose(self, walk: "Walk") -> NDArray[np.int64]:
        rows, current = np.arange(len(walk.left)), walk.memory["run"]
        stays = (current >= 0) & (walk.left[rows, current] > 0)
        worth = np.where(walk.left > 0, self.worth(walk), -np.inf)
        worth[stays] = np.where(np.arange(worth.shape[1]) == current[stays, None], np.inf, -np.inf)
        walk.memory["run"] = run = walk.best_of(worth)
        document = walk.next_of(run)
        walk.memory["asked for"][rows, document] = np.where(walk.early, -1, run)
        return document

    def told(
        self,
        walk: "Walk",
        topic: NDArray[np.int64],
        document: NDArray[np.int64],
        relevant: NDArray[np.float64],
    ) -> None:
        run = walk.memory["asked for"][topic, document]
        failed = (run >= 0) & (relevant == 0)
        topic, run = topic[failed], run[failed]
        walk.memory["priority"][topic, run] -= 1
        walk.memory["run"][topic[walk.memory["run"][topic] == run]] = -1  # no longer in front


@strategy("maxmean", cite="losada2016lucky,losada2017bandits", aliases=("mm",))
class MaxMean(Arms):
    """MaxMean: the run whose documents were relevant most often, by the mean of its Beta posterior.

    That mean is (1 + hits)/(2 + seen), over all documents of the run that were judged, whichever run they came from.
    Before each judgment of a run, what it knew counts ``rate`` times as much as it did: 1 forgets nothing.
    """

    asks: ClassVar[str] = "the run with the highest posterior mean"
    means: ClassVar[dict[str, str]] = {
        "rate": "what earlier judgments of a run count when one is added; 1: all the same, 0: nothing"
    }

    rate: Share = 1.0

    @property
    def remembers(self) -> float:
        return self.rate

    def worth(self, walk: "Walk") -> NDArray[np.float64]:
        return (1 + walk.hits) / (2 + walk.seen)


@strategy("maxmean-ns", cite="losada2017bandits", aliases=("mm-ns",))
class MaxMeanNS(MaxMean):
    """MaxMean for runs that change on the way down (non-stationary): with rate 0 a run's last judgment alone counts."""

    asks: ClassVar[str] = "as maxmean, by the last judgment of each run alone"

    rate: Share = 0.0


@strategy("thompson", cite="losada2017bandits,thompson1933", aliases=("ts",))
class Thompson(MaxMean):
    """Thompson sampling: the run that promises most in a draw from each Beta posterior."""

    asks: ClassVar[str] = "the highest draw from each run's posterior"

    def worth(self, walk: "Walk") -> NDArray[np.float64]:
        worth = np.zeros(walk.left.shape)
        for topic in np.flatnonzero(walk.open).tolist():
            hits, seen = walk.hits[topic], walk.seen[topic]
            worth[topic] = walk.random[topic].beta(1 + hits, 1 + seen - hits)
        return worth


@strategy("thompson-ns", cite="losada2017bandits,thompson1933", aliases=("ts-ns",))
class ThompsonNS(Thompson):
    """Thompson sampling for runs that change on the way down (non-stationary)."""

    asks: ClassVar[str] = "as thompson, by the last judgment of each run alone"

    rate: Share = 0.0


@strategy("ucb", cite="auer2002ucb,losada2017bandits")
class UCB(Arms):
    """Upper confidence bound (UCB1-tuned): the run that may be the best, given how little is known of it."""

    asks: ClassVar[str] = "the highest upper bound of a run's share of relevant documents"

    def worth(self, walk: "Walk") -> NDArray[np.float64]:
        known = walk.seen > 0
        seen = np.where(known, walk.seen, 1)
        mean = walk.hits / seen
        log = np.log(np.maximum(walk.step, 1))[:, None] / seen
        # auer2002ucb §4: the variance of rewards of 0 and 1 is mean − mean², and at most 1/4.
        bound = mean + np.sqrt(log * np.minimum(0.25, mean - mean**2 + np.sqrt(2 * log)))
        return np.where(known, bound, np.inf)


@strategy("epsilon-greedy", cite="losada2017bandits,auer2002ucb", aliases=("egreedy",))
class EpsilonGreedy(MaxMean):
    """ε-greedy: mostly the run with the highest posterior mean, ever more seldom one drawn at random.

    For the n-th document of a topic that K runs have, the chance of a draw is min(1, c·K/(d²·n)).
    """

    asks: ClassVar[str] = "the run with the highest mean, or a random one"
    means: ClassVar[dict[str, str]] = {
        **MaxMean.means,
        "c": "the larger, the oftener a run is drawn at random",
        "d": "the smaller, the oftener a run is drawn at random",
    }

    c: Positive = 0.01
    d: Chance = 0.1

    def start(self, walk: "Walk") -> None:
        walk.memory["runs"] = (walk.left > 0).sum(axis=1)

    def worth(self, walk: "Walk") -> NDArray[np.float64]:
        worth = super().worth(walk)
        epsilon = self.c * walk.memory["runs"] / (self.d**2 * (walk.step + 1))  # auer2002ucb, fig. 3
        for topic in np.flatnonzero(walk.open).tolist():
            if walk.random[topic].random() < epsilon[topic]:
                worth[topic] = 0
        return worth
