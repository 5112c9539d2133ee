"""Many simulated comparisons of two runs: exchanged by a coin, or with harm of a known size."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cranfield.data import Values
from cranfield.measures import parse_measures
from cranfield.stats import (
    Asked,
    Evidence,
    Facets,
    Pairs,
    T,
    Uncorrected,
    gather_evidence,
    judge,
    verdicts_by_measure,
)
from cranfield.studies.comparison.requirements import Gate, Requirement
from cranfield.studies.comparison.text import PairNames
from tests.support.calibration.error_rates import Rate
from tests.support.calibration.evaluated_rankings import Dominance, Floats, Rankings
from tests.support.calibration.null_distributions import Draw, draw_for
from tests.support.calibration.repeated_procedures import scaled
from tests.support.run_size import Size

A_AHEAD, EQUAL = -1, 0  # outcomes of dominance
COMPARISONS = 150  # for a size of one draw
AT_ONCE = 700  # comparisons in one call: the ruling on a pair takes time in proportion to the pairs of the call
NAMES = PairNames("a", "b")


@dataclass(frozen=True, eq=False, kw_only=True)
class Comparisons:
    """Simulated comparisons of run b with run a, each with its own topics."""

    measures: tuple[str, ...]
    cutoff: int
    cubes: tuple[Floats, Floats]  # of a and of b: (comparison, topic, measure)
    first: tuple[Floats, Floats]  # of a and of b: (comparison, topic)
    spread: Floats  # (comparison,): standard deviation of the exchanged primary differences
    centre: Floats  # (comparison,): mean of the primary differences over all topics that were drawn from
    dominance: Dominance | None  # (comparison, topic)
    single_relevant: bool

    def __len__(self) -> int:
        return len(self.spread)

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Return the columns of run a and of run b, comparison by comparison."""
        return [(place, place + len(self)) for place in range(len(self))]

    @cached_property
    def first_pairs(self) -> Pairs:
        """Return the ranks of the first relevant documents as pairs of runs."""
        return Pairs.given(np.concatenate(self.first).T, self.pairs)

    def values(self, measures: int) -> Values:
        """Return the values of the first measures: all runs a, then all runs b."""
        cube = np.concatenate(self.cubes)[..., :measures]
        runs, topics = cube.shape[:2]
        return Values(
            runs=("run",) * runs,
            topics=tuple(map(str, range(topics))),
            measures=tuple(parse_measures(" ".join(self.measures[:measures]))),
            cube=cube,
            counted=np.ones((runs, topics), dtype=bool),
            missing=np.zeros((runs, topics), dtype=bool),
            without_relevant=np.zeros((measures, topics), dtype=bool),
        )

    def evidence(self, measures: int) -> Evidence:
        """Return the evidence on every comparison, each uncorrected."""
        return gather_evidence(
            self.values(measures),
            self.pairs,
            test=T(),
            correction=Uncorrected(),
            asked=Asked(threads=1),
            first=self.first_pairs,
            cutoff=self.cutoff,
            dominance=self.dominance,
            with_margin=True,
        )

    def facets(self) -> Facets:
        """Return the facets of the outcome rule: ranking by dominance where topics have several relevant documents."""
        return judge(self.first_pairs, dominance=None if self.single_relevant else self.dominance)

    def passes(self, rule: str, evidence: Evidence, margin: float | None = None) -> NDArray[np.bool_]:
        """Return which comparisons meet a requirement; an inconclusive one does not."""
        gate = Gate(
            values=self.values(1),
            chosen=self.pairs,
            names=[NAMES] * len(self),
            evidence=evidence,
            kinds=verdicts_by_measure(evidence, margin),
            facets=None,
            basis="measure",
            margins={} if margin is None else {evidence.primary.measure: margin},
            harm=None,
        )
        return np.array([ruling.met is True for ruling in gate.check([Requirement(rule)])])

    def shift(self, by: Floats) -> "Comparisons":
        """Return the same with the primary values of b changed, comparison by comparison."""
        cube = self.cubes[1].copy()
        cube[..., 0] += by[:, None]
        return replace(self, cubes=(self.cubes[0], cube))

    def rescale(self) -> "Comparisons":
        """Return the same with primary differences whose standard deviation is 1."""
        unit = 1 / self.spread[:, None, None]
        a, b = (np.concatenate([cube[..., :1] * unit, cube[..., 1:]], axis=2) for cube in self.cubes)
        return replace(self, cubes=(a, b), centre=self.centre / self.spread, spread=np.ones(len(self)))

    def lose(self, draw: Draw, proportion: float) -> "Comparisons":
        """Return the same where b retrieves no relevant document in a proportion of the topics."""
        lost = draw.random(self.first[1].shape) < proportion
        return replace(
            self,
            cubes=(self.cubes[0], np.where(lost[..., None], 0.0, self.cubes[1])),
            first=(self.first[0], np.where(lost, np.nan, self.first[1])),
            # Where a retrieves something it dominates an empty ranking; AP above 0 says that it does.
            dominance=None
            if self.dominance is None
            else np.where(lost, np.where(self.cubes[0].any(axis=2), A_AHEAD, EQUAL), self.dominance).astype(np.int8),
        )


def draw_comparisons(
    rankings: Rankings,
    pairs: NDArray[np.intp],
    topics: int,
    comparisons: int,
    draw: Draw,
    *,
    exchange: bool = True,
    collapse: bool = False,
) -> Comparisons:
    """Draw two runs and a sample of topics for every comparison.

    With ``exchange`` a fair coin exchanges the rankings of the two runs in every topic, so that neither is better. With
    ``collapse`` every relevant document of b but the first one of each topic then moves to the end.
    """
    pair = pairs[draw.integers(len(pairs), size=comparisons)]
    topic = draw.integers(rankings.cube.shape[1], size=(comparisons, topics))
    swap = (draw.random(topic.shape) < 0.5) & exchange
    a, b = np.where(swap, pair[:, [1]], pair[:, [0]]), np.where(swap, pair[:, [0]], pair[:, [1]])
    later = rankings.collapse if collapse else rankings
    assert later is not None
    return Comparisons(
        measures=rankings.measures,
        cutoff=rankings.cutoff,
        cubes=(rankings.cube[a, topic], later.cube[b, topic]),
        first=(rankings.first[a, topic], later.first[b, topic]),
        spread=rankings.spread[pair[:, 0], pair[:, 1]],
        centre=(rankings.cube[pair[:, 1], :, 0] - rankings.cube[pair[:, 0], :, 0]).mean(axis=1),
        dominance=None if later.dominance is None else later.dominance[a, b, topic],
        single_relevant=rankings.single_relevant,
    )


def simulate_comparisons(
    rankings: Rankings,
    topics: int,
    size: Size,
    *,
    pairs: NDArray[np.intp] | None = None,
    exchange: bool = True,
    collapse: bool = False,
) -> Iterator[Comparisons]:
    """Yield comparisons in parts, each with its own random numbers; by default of all pairs that are not identical."""
    wanted = scaled(size.draws, COMPARISONS)
    parts = -(-wanted // AT_ONCE)
    some = rankings.pairs if pairs is None else pairs
    for part in range(parts):
        draw = draw_for("compare", rankings.name, topics, part)
        yield draw_comparisons(rankings, some, topics, wanted // parts, draw, exchange=exchange, collapse=collapse)


def rate_of(parts: Iterable[NDArray[np.bool_]]) -> Rate:
    """Return how often a claim was wrong, over all parts."""
    return Rate(np.concatenate(list(parts))[None])
