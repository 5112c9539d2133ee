"""Pairs of runs that gain or lose significance between two tests, measures or aggregates."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Direction, ParameterError
from cranfield.stats.pair_tests.all_pairs import Tested
from cranfield.stats.pair_tests.base import PairTest


@dataclass(frozen=True, eq=False)
class Way:
    """One way to decide which pairs of runs differ."""

    name: str
    difference: NDArray[np.float64]  # (pair,): what it looks at, b − a
    better: NDArray[np.float64]  # (pair,): 1 where that is to the good of b, −1 to that of a
    p: NDArray[np.float64]  # (pair,): after correction
    significant: NDArray[np.bool_]

    @classmethod
    def of(cls, found: Tested, measure: object, level: float, *, median: bool = False) -> "Way":
        """What a test says of a measure, or of its medians."""
        seen = found.difference if median else _seen(found)
        sign = -1 if getattr(measure, "direction", None) is Direction.LOWER else 1
        name = f"{measure}, {'median' if median else found.test}"
        return cls(name, seen, sign * np.sign(np.nan_to_num(seen)), found.adjusted, found.significant(level))


def changes_between(before: Way, after: Way) -> dict[str, NDArray[np.bool_]]:
    """(pair,): what became of each. Reversed pairs are significant in both ways, for another run; ``both`` has them."""
    both = before.significant & after.significant
    return {
        "both": both,
        "gained": ~before.significant & after.significant,
        "lost": before.significant & ~after.significant,
        "neither": ~before.significant & ~after.significant,
        "reversed": both & (before.better * after.better < 0),
    }


def looks_for_differences(test: PairTest) -> PairTest:
    """The test, if it looks for differences; one that looks for equality is refused."""
    if test.equivalence:
        raise ParameterError(f"{test.name} looks for equality", hint="name tests of differences: t sign signed-rank")
    return test


def _seen(found: Tested) -> NDArray[np.float64]:
    """(pair,): the difference that a test looks at."""
    if found.test.effect == "share":
        return 2 * found.answer.effect - 1  # of the topics that are not equal, those of b less those of a
    if found.test.effect in {"rank-biserial", "Cliff's δ"}:
        return found.answer.effect
    return found.difference
