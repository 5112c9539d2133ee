"""Bayesian signed-rank test: probabilities that a is better, b is better, or both are equivalent."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Annotated, ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Catalogue, Limits, Positive, Scale, generator
from cranfield.core.types import Matrix

from .base import Asked, Method, Pairs
from .float_ties import TIE

BLOCK = 500  # draws at once: few enough for what is made of them to stay near the processor
CELLS = 1_000_000  # of an array (pair, difference, draw)


class Beliefs(NamedTuple):
    """(pair,): how likely it is that a is better, that neither is in practice, that b is better; together 1."""

    left: NDArray[np.float64]  # a is better
    rope: NDArray[np.float64]  # the difference is in the region of practical equivalence
    right: NDArray[np.float64]  # b is better


class BayesTest(Method):
    """Three probabilities for each pair of runs in place of a p-value."""

    family: ClassVar[str] = "belief"

    @abstractmethod
    def compare(self, pairs: Pairs, asked: Asked) -> Beliefs:
        """The beliefs about every pair. Identical runs are equal with probability 1."""


BELIEFS: Catalogue[BayesTest] = Catalogue("Bayesian test", see="`cranfield tests` lists them")
B = TypeVar("B", bound=BayesTest)


def bayes_test(name: str, *, cite: str, aliases: tuple[str, ...] = ()) -> Callable[[type[B]], type[B]]:
    """Give a Bayesian test its name and its source, and list it."""
    return BELIEFS.declare(name, cite=cite, aliases=aliases)


@bayes_test("bayes-signed-rank", cite="benavoli2014,benavoli2017", aliases=("bayes-wilcoxon",))
class BayesSignedRank(BayesTest):
    """Bayesian signed-rank test: on which side of the region of practical equivalence differences mostly lie.

    The differences are weighed at random (a Dirichlet process, of which the data are all that is known but for one
    difference of 0 with the weight ``strength``). In each of the draws, the means of two differences above ``rope``,
    below −``rope`` and between have a weight each; what is believed is how often which of the three is the largest. The
    ends belong to the region.
    """

    requires: ClassVar[Scale] = Scale.INTERVAL
    assumes: ClassVar[str] = "topics drawn at random; differences can be put in order of size"
    use: ClassVar[str] = "to say that two runs are equal in practice, or how likely one is better"
    formula: ClassVar[str] = (
        "P(θ_right largest), θ_right = Σᵢⱼ wᵢwⱼ [(zᵢ + zⱼ)/2 > rope], w ~ Dirichlet(strength, 1, …, 1)"
    )

    rope: Annotated[float, Limits(0)] = 0.01
    strength: Positive = 0.5
    draws: Annotated[int, Limits(1)] = 20_000  # a probability is off by .0035 at most, as standard errors go

    def compare(self, pairs: Pairs, asked: Asked) -> Beliefs:
        found = np.full((3, len(pairs)), np.nan)
        for topics in np.unique(pairs.topics):  # weights are drawn alike for all pairs with as many topics
            places = np.flatnonzero(pairs.topics == topics)
            step = max(1, CELLS // (BLOCK * (int(topics) + 1)))
            for start in range(0, len(places), step):
                block = places[start : start + step]
                part = Pairs(pairs.values, pairs.a[block], pairs.b[block])
                rounding = TIE * np.maximum(np.nan_to_num(part.scale).max(axis=1, initial=0.0), self.rope)
                z = _differences(part.difference, int(topics))
                found[:, block] = self._believe(z, rounding[:, None], asked.seed)
        return Beliefs(*found)

    def _believe(self, z: Matrix, rounding: Matrix, seed: int) -> Matrix:
        """(3, pair): how often each side has most of the weight, for sorted differences (pair, difference)."""
        # The differences are in order: those whose mean with a given one is below −rope are the first few. A sum over
        # all pairs of differences is so one over differences, of weights added up from the left.
        low = _up_to(z, -2 * self.rope - 2 * rounding - z)  # zⱼ ≤ … : the mean of both is below −rope
        high = _up_to(z, 2 * self.rope + 2 * rounding - z)  # the others: it is above rope
        order = np.argsort(np.argsort(z == 0, axis=1, kind="stable"), axis=1)  # any one zero has the prior weight
        pair = np.arange(len(z))[:, None]
        count = np.zeros((3, len(z)))
        for block, start in enumerate(range(0, self.draws, BLOCK)):
            weights = self._weights(z.shape[1], min(BLOCK, self.draws - start), seed, block)[order]
            sums = np.concatenate([np.zeros_like(weights[:, :1]), np.cumsum(weights, axis=1)], axis=1)
            left = np.einsum("pzd,pzd->pd", weights, sums[pair, low])
            right = 1 - np.einsum("pzd,pzd->pd", weights, sums[pair, high])
            side = np.argmax([left, 1 - left - right, right], axis=0)
            count += (side == np.arange(3)[:, None, None]).sum(axis=2)
        return count / self.draws

    def _weights(self, size: int, draws: int, seed: int, block: int) -> Matrix:
        """(difference, draw): random weights that add up to 1, that of the prior last."""
        stream = generator(seed, "bayes-signed-rank", block)
        prior = stream.standard_gamma(self.strength, (1, draws))
        drawn = np.concatenate([stream.standard_exponential((size - 1, draws)), prior])
        return drawn / drawn.sum(axis=0)


def _differences(difference: Matrix, topics: int) -> Matrix:
    """Return the differences of pairs that have as many topics, with one 0 for the prior, sorted."""
    ordered = np.sort(difference, axis=1)[:, :topics]  # NaN stands last
    return np.sort(np.concatenate([ordered, np.zeros((len(ordered), 1))], axis=1), axis=1)


def _up_to(ordered: Matrix, bounds: Matrix) -> NDArray[np.intp]:
    """(row, place): how many numbers of each row are at most as large as each bound."""
    size = ordered.shape[1]
    order = np.argsort(np.concatenate([ordered, bounds], axis=1), axis=1, kind="stable")
    count = np.empty(order.shape, dtype=np.intp)
    np.put_along_axis(count, order, np.cumsum(order < size, axis=1), axis=1)
    return count[:, size:]
