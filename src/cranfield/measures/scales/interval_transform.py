"""Interval-scale version of a measure: its possible values mapped to scores, equally spaced by default."""

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Direction, ParameterError, Scale
from cranfield.core.types import Rows
from cranfield.data import Block, assess_grades
from cranfield.measures.base import Measure, measure, ratio
from cranfield.measures.classic.recall_based import AP
from cranfield.measures.declared_properties import Claim, Example
from cranfield.measures.derived_measures import Derived
from cranfield.measures.novelty.relative_gain import Relative

Profile = tuple[tuple[float, int], ...]  # how many documents there are of each grade


@measure("interval", cite="ferrante2021,abelson1963,gaito1959")
class Interval(Derived):
    """The place of a value among all values that the measure can take: equal steps from 0, the worst, to 1, the best.

    They are the values of all rankings of as many documents as the cut-off, for a topic with so many relevant ones;
    shorter rankings count as filled up with what is not relevant. ``by='rankings'`` takes the mean place among all
    rankings in place of that among different values; ``by='maximin'`` the scores of Abelson and Tukey, which in the
    worst case agree best with the true distances of the values, whichever these are.
    """

    family: ClassVar[str] = "interval"
    formula: ClassVar[str] = "values below it / (values − 1),  of all rankings of k documents"
    example: ClassVar[Example] = Example("interval(RR@3)", (0, 0, 1), "1/3")
    needs_cutoff: ClassVar[bool] = True
    of: Measure = AP()
    by: Literal["values", "rankings", "maximin"] = "values"

    def __post_init__(self) -> None:
        """Refuse what has no values of its own on a ranking of grades."""
        super().__post_init__()
        if self.of.k is None:
            raise ParameterError(f"{self.name} needs a cut-off", hint=f"write {self.name}({self.of.name}@10)")
        others = isinstance(self.of, Derived | Relative) or self.of.family == "count" or bool(self.of.asks_for)
        if others or _asks_who_judged(self.of):
            message = f"{self.of} cannot be made an interval scale: its values depend on more than the grades ranked"
            raise ParameterError(message, hint="measures of relevant documents can: AP, RR, nDCG, RBP, ERR, …")

    @property
    def scale(self) -> Claim:
        # The order stays that of the measure. Places among rankings, and Abelson and Tukey's scores, are a good guess.
        own = Scale.INTERVAL if self.by == "values" else Scale.ORDINAL
        return Claim(own, min(self.of.scale.top_heavy, Scale.ORDINAL), "ferrante2021")

    @property
    def worst(self) -> float | None:
        """As that of the measure inside: none where it has none."""
        return self.of.worst if self.of.worst is None or np.isnan(self.of.worst) else 0.0

    def value(self, block: Block) -> Rows:
        from .all_rankings import Rankings, known_spacing  # what goes through all rankings is for this alone

        value = self.of.value(block)
        out, best = np.full(len(value), np.nan), block.at_best(self.of)
        which, profiles, few = self._profiles(block)
        for i in sorted(set(which[block.topic].tolist())):
            rows = np.flatnonzero((which[block.topic] == i) & ~np.isnan(value))
            found = known_spacing(self.of, Rankings(self.of.k or 0, profiles[i]))
            # What is left out of the profile has divided the values by some number.
            place = found.place(ratio(value[rows] * found.value.max(initial=0), best[rows]) if few else value[rows])
            if (place < 0).any():
                strange = value[rows[place < 0][0]]
                message = f"{self.of} of {strange:.6g} is none of the values that {self.of.k} documents can have"
                raise ParameterError(message, hint="choose a measure of the grades of the first documents alone")
            out[rows] = scores(found.count, self.by, self.of.direction)[place]
        return out

    def _profiles(self, block: Block) -> tuple[NDArray[np.int64], list[Profile], bool]:
        """(topic,): which of the profiles each topic has: how many documents there are of every grade that earns.

        And whether it is enough to count as many as a ranking has room for: then topics with many share one.
        """
        return block.assessed.once(("profiles", self.of), lambda: self._counted(block))

    def _counted(self, block: Block) -> tuple[NDArray[np.int64], list[Profile], bool]:
        from .all_rankings import more_divides

        named = block.assessed
        topic = np.repeat(np.arange(len(named.topics)), np.diff(named.named))
        earns = self.of.earns(named.grade)
        grades = sorted(set(named.grade[earns].tolist()))
        worth: dict[float, float] = {}  # grades of one gain are one: to a binary measure all that is relevant is alike
        alike = [worth.setdefault(w, g) for g, w in zip(grades, self.of.gain(np.array(grades)).tolist(), strict=True)]
        kinds = sorted(set(alike))
        kind = np.searchsorted(kinds, alike)[np.searchsorted(grades, named.grade[earns])]
        counts = np.zeros((len(named.topics), len(kinds)), np.int64)
        np.add.at(counts, (topic[earns], kind), 1)
        upward = self.of.direction is Direction.HIGHER and "ideal-best" in self.of.axioms
        few = upward and bool(kinds) and more_divides(self.of, tuple(kinds))
        counts = np.minimum(counts, self.of.k or 0) if few else counts
        rows = [tuple((kind, int(n)) for kind, n in zip(kinds, row, strict=True) if n) for row in counts]
        known = {profile: i for i, profile in enumerate(dict.fromkeys(rows))}
        return np.array([known[row] for row in rows], dtype=np.int64), list(known), few


def _asks_who_judged(of: Measure) -> bool:
    """Whether a document that is judged not relevant counts otherwise than one that nobody judged, as in bpref."""
    (block,) = assess_grades([(0, 1), (-1, 1)], [(0, 1), (0, 0, 1)]).blocks()
    judged, unjudged = of.settled(1.0).value(block)
    return bool(judged != unjudged)


def scores(count: NDArray[np.int64], by: str, direction: Direction = Direction.HIGHER) -> Rows:
    """(value,): a score from 0, the worst, to 1, the best, for every value, lowest first.

    ``count`` says how many rankings have each; it makes the scores ``by='rankings'``, of others only their number.
    """
    if len(count) < 2:
        return np.zeros(len(count))
    score = {"values": _even, "rankings": _middle, "maximin": maximin}[by](count)
    score = (score - score[0]) / (score[-1] - score[0])
    return 1 - score if direction is Direction.LOWER else score


def _even(count: NDArray[np.int64]) -> Rows:
    return np.arange(len(count), dtype=np.float64)


def _middle(count: NDArray[np.int64]) -> Rows:
    """The mean place of the rankings of each value (gaito1959)."""
    return count.cumsum() - (count - 1) / 2


def maximin(count: NDArray[np.int64]) -> Rows:
    """The scores of n ordered values that correlate best with the least favourable true ones (abelson1963)."""
    n = len(count)
    edge = np.arange(n + 1)
    root = np.sqrt(edge * (1 - edge / n))
    return root[:-1] - root[1:]
