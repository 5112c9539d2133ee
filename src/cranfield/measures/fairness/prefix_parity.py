"""Fairness to a protected group in the prefixes of a ranking: rND, rRD, rKL and FA*IR's test."""

from abc import abstractmethod
from collections.abc import Sequence
from functools import cache
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Chance, Direction, Limits, ParameterError
from cranfield.core.types import Rows, Weights
from cranfield.data import Block
from cranfield.measures.base import measure, ratio
from cranfield.measures.declared_properties import Example

from .group_exposure import FIRST, SECOND, Lost, OfGroups

# Six documents, three of each group.
DOWN = (1, 1, 1, 1, 1, 1)
AS_MANY = (FIRST, FIRST, SECOND, SECOND, SECOND, FIRST)
STEPS = 60  # halvings of the level of a test


class Protected(OfGroups):
    """One that looks at a protected group, by its name; where none is named, at the smallest of the attributes.

    Documents of which nobody said a group do not count, and ranks are closed up over them.
    """

    group: str = ""

    def down(self, block: Block) -> tuple[NDArray[np.bool_], Weights, Weights]:
        """(row, document): which documents have a group; how many of those, and of the protected, stand no lower."""
        table = block.assessed.table("attributes")
        if self.group and self.group not in table.columns:
            hint = f"there are: {', '.join(table.columns)}"
            raise ParameterError(f"{self}: no document is in the group {self.group!r}", hint=hint)
        column = table.columns.index(self.group) if self.group else int(table.weight.sum(axis=0).argmin())
        held = self.held(block)
        known = held.sum(axis=2) > 0
        return known, known.cumsum(axis=1).astype(np.float64), held[..., column].cumsum(axis=1)


class Prefixes(Protected):
    """One that compares the protected group's share of every ``step``-th prefix with its share of the ranking.

    Differences count less the further down, and their sum is divided by the largest there can be: that of a ranking
    with all of the group first, or last. A ranking shorter than a step has no value.
    """

    direction: ClassVar[Direction] = Direction.LOWER
    lost: ClassVar[Sequence[Lost]] = (
        ("swap", (2, 1, 2, 1), (2, 2, 1, 1), ()),
        ("replacement", (2, 1, 2, 1), (2, 2, 2, 1), (2,)),
        ("ideal-best", (2, 1, 2, 1), (2, 2, 1, 1), ()),
    )
    step: Annotated[int, Limits(2)] = 10

    @property
    def worst(self) -> float | None:
        """It has none: where there is no ranking nobody is treated unfairly."""
        return np.nan

    @abstractmethod
    def apart(self, found: Weights, of: Weights, all_found: Weights, everything: Weights) -> Weights:
        """How far the group's part ``found`` of a prefix ``of`` so many is from its part of everything."""

    def value(self, block: Block) -> Rows:
        known, number, found = self.down(block)
        everything, total = number[:, -1:], found[:, -1:]
        here = known & (number % self.step == 0)
        count = np.maximum(number, 1)
        weight = np.where(here, 1 / np.log2(np.maximum(count, 2)), 0)

        def added(part: Weights) -> Rows:
            return (weight * np.where(here, self.apart(part, count, total, everything), 0)).sum(axis=1)

        first = np.minimum(number, total)
        last = np.maximum(number - (everything - total), 0)
        return np.where(here.any(axis=1), ratio(added(found), np.maximum(added(first), added(last))), np.nan)


@measure("rND", cite="yang2017")
class RND(Prefixes):
    """Normalised discounted difference: how far a group's share of each prefix is from its share of the ranking."""

    formula: ClassVar[str] = "1/Z · Σ_{i = step, 2·step, …} |share of the first i − share of all| / log2 i"
    example: ClassVar[Example] = Example(
        "rND(step=2)", DOWN, "(1/2/log2(2)) / (1/2/log2(2) + 1/4/log2(4))", beside=AS_MANY
    )

    def apart(self, found: Weights, of: Weights, all_found: Weights, everything: Weights) -> Weights:
        return np.abs(ratio(found, of) - ratio(all_found, everything))


@measure("rRD", cite="yang2017")
class RRD(Prefixes):
    """Normalised discounted ratio difference: the same of how many of the group there are for each of the others.

    Where there are no others the ratio is taken as 0, as in the paper; this is why a value can exceed 1.
    """

    formula: ClassVar[str] = "1/Z · Σ_{i = step, 2·step, …} |of the group / others in the first i − in all| / log2 i"
    example: ClassVar[Example] = Example("rRD(step=2)", DOWN, "1 / (1 + (3/1 - 3/3)/log2(4))", beside=AS_MANY)
    range: ClassVar[tuple[float, float]] = (0.0, np.inf)

    def apart(self, found: Weights, of: Weights, all_found: Weights, everything: Weights) -> Weights:
        return np.abs(ratio(found, of - found) - ratio(all_found, everything - all_found))


@measure("rKL", cite="yang2017")
class RKL(Prefixes):
    """Normalised discounted divergence: the same by the divergence of Kullback and Leibler, in bits."""

    formula: ClassVar[str] = "1/Z · Σ_{i = step, 2·step, …} KL(shares of the first i, shares of all) / log2 i"
    example: ClassVar[Example] = Example(
        "rKL(step=2)", DOWN, "1 / (1 + (3/4*log2(3/2) + 1/4*log2(1/2)) / log2(4))", beside=AS_MANY
    )

    def apart(self, found: Weights, of: Weights, all_found: Weights, everything: Weights) -> Weights:
        share = ratio(found, of)
        whole = np.broadcast_to(ratio(all_found, everything), found.shape)
        return _bits(share, whole) + _bits(1 - share, 1 - whole)


def _bits(part: Weights, whole: Weights) -> Weights:
    there = (part > 0) & (whole > 0)
    return np.where(there, part * np.log2(np.where(there, part, 1) / np.where(there, whole, 1)), 0)


@measure("FAIR", cite="zehlike2017")
class FAIR(Protected):
    """FA*IR's test: 1 if no prefix has fewer documents of the group than chance would allow, else 0.

    Each document is of the group with the probability ``share``; a prefix fails where so few of it are less likely than
    the level. With ``adjust`` the level of single prefixes is such that all of them together fail by chance at
    ``level``.
    """

    formula: ClassVar[str] = "1 if for all i ≤ k  P(Binomial(i, share) ≤ of the group in the first i) > level"
    example: ClassVar[Example] = Example(
        "FAIR(adjust=False)@4",
        (1, 1, 1, 1),
        "1 if 1 - 0.5**3 > 0.1 and 5 * 0.5**4 > 0.1 else 0",
        beside=(SECOND, SECOND, SECOND, FIRST),
    )
    lost: ClassVar[Sequence[Lost]] = (
        ("swap", (2, 2, 2, 1, 2), (2, 2, 2, 2, 1), ()),
        ("replacement", (2, 2, 2, 1), (2, 2, 2, 2), (2,)),
        ("ideal-best", (2, 2, 2, 1, 2), (2, 2, 2, 2, 1), ()),
    )
    needs_cutoff: ClassVar[bool] = True
    share: Chance = 0.5
    level: Chance = 0.1
    adjust: bool = True

    def value(self, block: Block) -> Rows:
        known, number, found = self.down(block)
        deepest = int(number.max(initial=0))
        if not deepest:
            return np.zeros(len(known))
        level = adjusted(self.k or 1, self.share, self.level) if self.adjust else self.level
        least = np.concatenate(([0], fewest(deepest, self.share, level)))
        fails = known & (found + 1e-9 < least[number.astype(np.int64)])
        return np.where(known.any(axis=1), (~fails.any(axis=1)).astype(np.float64), 0.0)


@cache
def fewest(length: int, share: float, level: float) -> NDArray[np.int64]:
    """(prefix,): how few of the group the first 1, 2, … documents may hold: more than ``level`` lies at or below it."""
    chance, out = np.ones(1), np.zeros(length, np.int64)
    for i in range(length):
        chance = np.append(chance * (1 - share), 0) + np.append(0, chance * share)
        out[i] = np.searchsorted(chance.cumsum(), level, side="right")
    return out


@cache
def adjusted(length: int, share: float, level: float) -> float:
    """The level of each prefix with which all prefixes together fail at ``level`` or less, by chance."""
    low, high = 0.0, level
    if _fails(length, share, high) <= level:
        return high
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if _fails(length, share, middle) <= level else (low, middle)
    return low


def _fails(length: int, share: float, level: float) -> float:
    """The chance that a ranking drawn by ``share`` has a prefix with too few of the group."""
    chance = np.ones(1)
    for least in fewest.__wrapped__(length, share, level).tolist():
        chance = np.append(chance * (1 - share), 0) + np.append(0, chance * share)
        chance[:least] = 0
    return 1 - float(chance.sum())
