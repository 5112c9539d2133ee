"""Cache whose values are computed once even when many requests ask at the same moment."""

from __future__ import annotations

from functools import lru_cache, update_wrapper
from threading import RLock
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
T = TypeVar("T")
LOCKS = 32  # whoever asks for something else hardly ever waits


class Kept(Generic[P, T]):
    """A function of what can be hashed, which keeps some of its answers; who asks while one is made waits for it.

    A new board is asked for by everybody who looks at the old one. Made by all of them at once, it would come to each
    of them after as long as all of that takes together.
    """

    def __init__(self, function: Callable[P, T], most: int) -> None:
        self._kept: Any = lru_cache(maxsize=most)(function)
        self._locks = [RLock() for _ in range(LOCKS)]
        update_wrapper(self, function)

    def __call__(self, *args: P.args, **named: P.kwargs) -> T:
        """The answer, made or kept."""
        with self._locks[hash((args, *sorted(named.items()))) % LOCKS]:
            found: T = self._kept(*args, **named)
            return found

    def forget(self) -> None:
        """Keep nothing of what was made so far."""
        self._kept.cache_clear()


def kept(most: int) -> Callable[[Callable[P, T]], Kept[P, T]]:
    """Keep so many answers of a function."""
    return lambda function: Kept(function, most)
