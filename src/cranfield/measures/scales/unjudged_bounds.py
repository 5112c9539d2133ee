"""Bounds on values with unjudged documents, and worst-case and best-case scenarios for them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError
from cranfield.core.types import Cube, Gains, Grades, Ranks, Rows, Weights
from cranfield.data import Assessed, Block, with_unjudged_as
from cranfield.measures.base import MEASURES, Cascade, Discounted, Measure
from cranfield.measures.notation.parsing import parse_measure
from cranfield.measures.user_models.cwl_users import FAR, INST, Fading

Scenario = Literal["as_worst", "as_best"]
DOCUMENTS = 1 << 18  # that are looked at together: what a scenario needs of memory
NOTHING = 1e-18  # a share of users too small to change a sum


def bounds(assessed: Assessed, measure: str | Measure) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(run, topic): the lowest and the highest value that can come out once everything is judged.

    Scenario documents are taken as worthless, then as best, and so are all that might stand below the end of a list,
    down to the cut-off or for ever; a topic that a run misses may thus have any value. The best is the top of the
    measure's scale, or the top grade of the judgments where it has none. The difference is the residual: rank-biased
    precision has 1 for a missing topic, and ``p`` to the power of n below n judged documents.
    """
    wanted = _settled(assessed, measure)
    if not wanted.bounded:
        known = ", ".join(cls.name for cls in MEASURES if cls(k=10).bounded)
        others = "for others see --unjudged (unjudged='as_worst' and 'as_best')"
        hint = f"these have, cut off and not judged_only: {known}; {others}"
        raise ParameterError(f"{wanted} has no bounds: what it divides by moves, or better can be worse", hint=hint)
    low, high = (assessed.map([kernel])[:, :, 0] for kernel in (wanted, _AtBest(wanted, _best(assessed, wanted))))
    return low, np.maximum(low, high)


def scenario(assessed: Assessed, unjudged: Scenario, *, depth: int | None = None) -> Iterator[Assessed]:
    """Each run by itself, as if every unjudged document of its first ``depth`` were worthless, or of the top grade.

    A scenario is no bound: other documents become relevant too, and what a measure divides by moves with them.
    """
    for run in range(len(assessed.runs)):
        yield with_unjudged_as(assessed, _grade(assessed, unjudged), run=run, depth=depth)


def map_scenario(assessed: Assessed, measures: list[Measure], unjudged: Scenario) -> Cube:
    """(run, topic, measure): values in a scenario, down to the cut-off of each measure or to the end of the list."""
    grade = _grade(assessed, unjudged)
    wanted = [_settled(assessed, measure) for measure in measures]
    out = np.empty((len(assessed.runs), len(assessed.topics), len(wanted)))
    for depth in dict.fromkeys(measure.k for measure in wanted):
        of = [i for i, measure in enumerate(wanted) if measure.k == depth]
        for run in range(len(assessed.runs)):
            for topics in _some_topics(assessed, run, depth):
                there = with_unjudged_as(assessed, grade, run=run, topics=topics, depth=depth)
                out[run, topics][:, of] = there.map([wanted[i] for i in of])[0]
    return out


def _some_topics(assessed: Assessed, run: int, depth: int | None) -> Iterator[slice]:
    """Topics one after the other, as many at a time as memory should hold."""
    of_run = assessed.retrieved.reshape(len(assessed.runs), -1)[run].astype(np.int64)
    some = (np.minimum(of_run, of_run.max() if depth is None else depth).cumsum() // DOCUMENTS).tolist()
    ends = [t + 1 for t in range(len(some)) if t + 1 == len(some) or some[t + 1] > some[t]]
    yield from map(slice, [0, *ends[:-1]], ends)


def _settled(assessed: Assessed, measure: str | Measure) -> Measure:
    return parse_measure(measure).settled(float(assessed.grade.max(initial=0)))


def _grade(assessed: Assessed, unjudged: Scenario) -> float:
    if unjudged not in ("as_worst", "as_best"):
        raise ParameterError(f"unjudged={unjudged!r} is not known", hint="choose 'as_worst' or 'as_best'")
    return 0.0 if unjudged == "as_worst" else float(assessed.grade.max(initial=1))


def _best(assessed: Assessed, measure: Measure) -> float:
    """The grade of a document that is worth most: as a rule the top grade, but gains may be mapped otherwise."""
    top = float(getattr(measure, "max_rel", None) or max(assessed.grade.max(initial=1), getattr(measure, "rel", 1)))
    grades = np.append(np.arange(0, top), top)
    return float(grades[np.argmax(measure.gain(grades))])


@dataclass(frozen=True, slots=True)
class _AtBest:
    """A measure where every rank that holds no judged document holds one of the best grade."""

    of: Measure
    best: float

    def gain(self, grade: Grades) -> Gains:
        return self.of.gain(grade)

    def earns(self, grade: Grades) -> NDArray[np.bool_]:
        return grade >= 0

    @property
    def reach(self) -> float:
        return self.of.reach

    def kernel(self, block: Block) -> Rows:
        if isinstance(self.of, INST):
            return _hopeful(self.of, block)
        if isinstance(self.of, Cascade):
            return _satisfied(self.of, self.best, block)
        # Attention that does not depend on what is seen: all of it, but for what goes to judged documents.
        gain = float(self.of.gain(np.array([self.best]))[0])
        left = _attention(self.of) - _weights(self.of, block.rank).sum(axis=1)
        return np.minimum(self.of.value(block) + gain * left, self.of.range[1])  # a rounded sum may exceed it


def _weights(measure: Measure, rank: Ranks) -> Weights:
    """What a gain counts at a rank."""
    if isinstance(measure, Fading):
        return measure.attention(rank) * measure.within(rank) / measure.looks(np.array([measure.end]))
    if isinstance(measure, Discounted):
        return measure.discount(rank) * measure.within(rank)
    raise TypeError(f"nobody said what {measure} makes of a rank")


def _attention(measure: Measure) -> float:
    """The sum of the weights of all ranks; without a cut-off it is 1."""
    return 1.0 if measure.k is None else float(_weights(measure, np.arange(1.0, measure.k + 1)).sum())


def _stretches(measure: Measure, block: Block) -> tuple[Ranks, Weights]:
    """(row, document + 1): where each stretch of ranks without a judged document begins, and how long it is."""
    end = measure.k or np.inf
    rank = np.minimum(block.rank, min(end + 1, FAR))  # judged documents below the cut-off all stand just below it
    edges = np.concatenate([np.zeros((len(rank), 1)), rank, np.full((len(rank), 1), end + 1)], axis=1)
    return edges[:, :-1] + 1, np.maximum(np.diff(edges, axis=1) - 1, 0)


def _hopeful(measure: INST, block: Block) -> Rows:
    """INST at best: a document that is worth 1 leaves i + T + R as it is, so that users go on at one rate."""
    inside = measure.within(block.rank)
    gain = measure.gain(block.grade) * inside
    first = np.zeros((len(gain), 1))
    hope = 2 * measure.T + np.concatenate([first, (inside - gain).cumsum(axis=1)], axis=1)
    rate = ((hope - 1) / hope) ** 2
    _, length = _stretches(measure, block)
    whole = rate**length  # who is left after a stretch, of those who began it
    began = np.concatenate([first + 1, whole[:, :-1] * rate[:, 1:]], axis=1).cumprod(axis=1)
    seen = (began * whole)[:, :-1] * inside
    looks = (began * (1 - whole) / (1 - rate)).sum(axis=1)
    return ((seen * gain).sum(axis=1) + looks) / (seen.sum(axis=1) + looks)


def _satisfied(measure: Cascade, best: float, block: Block) -> Rows:
    """A cascade at best: the best grade satisfies most who see it, so that few see more than some ranks of it."""
    inside = measure.within(block.rank)
    stop = measure.stop(block.grade) * inside
    chance = float(measure.stop(np.array([best]))[0])
    start, length = _stretches(measure, block)
    whole = (1 - chance) ** length
    began = np.concatenate([np.ones((len(stop), 1)), whole[:, :-1] * (1 - stop)], axis=1).cumprod(axis=1)
    judged = ((began * whole)[:, :-1] * stop * measure.effort(block.rank)).sum(axis=1)
    users, unjudged = chance, np.zeros(start.shape)
    step = 0
    while users > NOTHING:
        unjudged += np.where(step < length, users * measure.effort(start + step), 0)
        users, step = users * (1 - chance), step + 1
    return judged + (began * unjudged).sum(axis=1)
