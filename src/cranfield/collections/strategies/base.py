"""Base class of pooling strategies, which choose the next document to judge."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Catalogue, Declared, describe, write

if TYPE_CHECKING:
    from cranfield.collections.pooling.judging_steps import Walk


class Strategy(Declared, ABC):
    """A way to choose what is judged next, for each topic by itself.

    ``choose`` sees all topics at once, because a replay takes a step in all of them together; a topic's choice depends
    on nothing but that topic, so that one alone walks the same way.
    """

    name: ClassVar[str]
    cite: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]]
    at: ClassVar[str] = ""  # nothing stands behind an @
    adaptive: ClassVar[bool] = True  # looks at judgments: what is asked next depends on what was said
    asks: ClassVar[str]  # in a few words: which document comes next
    means: ClassVar[dict[str, str]] = {}  # in a few words: what each parameter does
    needs_text: ClassVar[bool] = False
    samples: ClassVar[bool] = False  # what is judged stands for the rest, in estimates

    def __str__(self) -> str:
        return write(describe(self))

    __repr__ = __str__

    @property
    def remembers(self) -> float:
        """What a run's earlier judgments count when one is added; 1: nothing is forgotten."""
        return 1.0

    def check_installed(self) -> None:
        """Refuse where something that the strategy needs is not installed."""

    def start(self, walk: "Walk") -> None:
        """Prepare what the strategy remembers, in ``walk.memory``."""

    @abstractmethod
    def choose(self, walk: "Walk") -> NDArray[np.int64]:
        """(topic,): the document that each topic is asked for next; of a topic that has none left, anything."""

    def told(
        self,
        walk: "Walk",
        topic: NDArray[np.int64],
        document: NDArray[np.int64],
        relevant: NDArray[np.float64],
    ) -> None:
        """Learn what was said of one document of each of some topics."""


class Ordered(Strategy):
    """Documents in an order that judgments do not change."""

    adaptive: ClassVar[bool] = False

    @abstractmethod
    def order(self, walk: "Walk") -> NDArray[np.float64]:
        """(topic, document): the higher, the sooner; −inf: never. Of equals the one that a deeper pool finds first."""

    def start(self, walk: "Walk") -> None:
        worth = np.where(walk.asked, -np.inf, self.order(walk))
        walk.close(np.isneginf(worth))
        walk.memory["order"] = np.argsort(-worth, axis=1, kind="stable")
        walk.memory["next"] = np.zeros(len(worth), dtype=np.int64)

    def choose(self, walk: "Walk") -> NDArray[np.int64]:
        order, here = walk.memory["order"], walk.memory["next"]
        rows = np.arange(len(order))
        while True:  # documents that were judged before they were asked for are passed
            passed = walk.asked[rows, order[rows, here]] & (here < order.shape[1] - 1)
            if not passed.any():
                return order[rows, here]
            here += passed


ORDER = tuple(
    f"collections.strategies.{module}"
    for module in (
        "bandits",
        "fixed_orders",
        "weighted_runs",
        "residual_gain",
        "stratified_sampling",
        "active_learning",
    )
)
STRATEGIES: Catalogue[Strategy] = Catalogue("strategy", order=ORDER)
S = TypeVar("S", bound=Strategy)


def strategy(name: str, *, cite: str, aliases: tuple[str, ...] = ()) -> Callable[[type[S]], type[S]]:
    """Give a strategy its name and its source, and list it."""
    return STRATEGIES.declare(name, cite=cite, aliases=aliases)
