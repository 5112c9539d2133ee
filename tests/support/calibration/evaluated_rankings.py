"""Real and simulated rankings, evaluated once, from which comparisons of two runs are drawn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from pathlib import Path
from typing import TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from cranfield.data import Assessed, Qrels, Run, Values, assess, read_qrels, read_run
from cranfield.measures import dominate, first_ranks, measure_all
from cranfield.simulate import Campaign

Floats: TypeAlias = NDArray[np.float64]
Dominance: TypeAlias = NDArray[np.int8]  # (run a, run b, topic): 1 b dominates, −1 a dominates, 0 equal, 2 neither

SEVERAL = "AP nDCG@10 P@10"
SINGLE = "RR@10 nDCG@10 AP"
ANSWERED_AT = 100  # the cutoff of a measure without one
CAMPAIGN = Campaign(topics=300, groups=10, runs=16, depth=200, candidates=1000, documents=20_000, relevant=25, pool=50)
SINGLE_CAMPAIGN = Campaign(
    topics=300, groups=10, runs=16, depth=200, candidates=1000, documents=20_000, one_relevant=True
)


@dataclass(frozen=True, eq=False, kw_only=True)
class Collapse:
    """The same rankings with every relevant document but the first one moved to the end of the list."""

    cube: Floats  # (run, topic, measure)
    first: Floats  # (run, topic)
    dominance: Dominance  # of an unchanged run a and a changed run b


@dataclass(frozen=True, eq=False, kw_only=True)
class Rankings:
    """Evaluated rankings of several runs: per topic the measures, the first relevant document and dominance."""

    name: str
    measures: tuple[str, ...]  # the first is the primary measure
    cube: Floats  # (run, topic, measure)
    first: Floats  # (run, topic): rank of the first relevant document within the cutoff, NaN where there is none
    cutoff: int
    single_relevant: bool = False
    dominance: Dominance | None = None
    collapse: Collapse | None = None

    def __str__(self) -> str:
        return self.name

    @cached_property
    def spread(self) -> Floats:
        """Return (run, run): the standard deviation of the primary differences after a fair coin exchanges the runs."""
        primary = self.cube[..., 0]
        return np.sqrt(((primary[:, None] - primary[None]) ** 2).mean(axis=2))

    @cached_property
    def effect(self) -> Floats:
        """Return (run a, run b): the mean primary difference b − a over its standard deviation; NaN without one."""
        difference = self.cube[None, ..., 0] - self.cube[:, None, :, 0]
        deviation = difference.std(axis=2, ddof=1)
        return np.divide(difference.mean(axis=2), deviation, out=np.full_like(deviation, np.nan), where=deviation > 0)

    @cached_property
    def pairs(self) -> NDArray[np.intp]:
        """Return (pair, 2): all ordered pairs of runs whose primary values are not identical."""
        return np.argwhere(self.spread > 0)


@cache
def load_rankings(name: str, folder: Path | None = None) -> Rankings:
    """Return evaluated rankings by their name; real ones are read from the folder of public data."""
    if name == "simulated":
        return simulate_rankings(CAMPAIGN, name, SEVERAL)
    if name == "one relevant":
        return simulate_rankings(SINGLE_CAMPAIGN, name, SINGLE)
    assert folder is not None
    return read_trec_covid(folder) if name == "TREC-COVID" else read_score_matrices(folder, name)


def simulate_rankings(campaign: Campaign, name: str, measures: str) -> Rankings:
    """Return the evaluated rankings of a simulated campaign."""
    data = campaign.make()
    runs = [read_run(pl.DataFrame(data.run_columns(run)), name=run) for run in data.names]
    return evaluate_rankings(name, read_qrels(pl.DataFrame(data.qrels_columns())), runs, measures)


def read_trec_covid(folder: Path) -> Rankings:
    """Return the evaluated rankings of TREC-COVID round 1: 22 runs, 30 topics."""
    runs = [read_run(path) for path in sorted((folder / "trec-covid" / "runs").glob("*.gz"))]
    return evaluate_rankings("TREC-COVID", read_qrels(folder / "trec-covid" / "qrels-rnd1.txt"), runs, SEVERAL)


def read_score_matrices(folder: Path, name: str) -> Rankings:
    """Return AP, P@10 and RR of a real campaign, with the first relevant document from RR; dominance is unknown."""
    files = [folder / "score-matrices" / f"{name}_{measure}.csv" for measure in ("ap", "p10", "rr")]
    matrices = [np.loadtxt(file, delimiter=",", skiprows=1).T for file in files]
    ranks = np.rint(np.divide(1, matrices[2], out=np.full_like(matrices[2], np.nan), where=matrices[2] > 0))
    return Rankings(
        name=name,
        measures=("AP", "P@10", "RR"),
        cube=np.stack(matrices, axis=2),
        first=np.where(ranks <= ANSWERED_AT, ranks, np.nan),
        cutoff=ANSWERED_AT,
    )


def evaluate_rankings(name: str, qrels: Qrels, runs: Sequence[Run], measures: str) -> Rankings:
    """Return the evaluation of rankings; with several relevant documents per topic also that of their collapse."""
    grades = qrels.by_topic()
    plain = {
        run.name: {topic: scores_in_order(documents) for topic, documents in run.by_topic().items()} for run in runs
    }
    relevant = [sum(grade > 0 for grade in topic.values()) for topic in grades.values()]
    single = max(relevant) == 1
    copies = {} if single else {f"{run} collapse": collapse_run(plain[run], grades) for run in plain}
    assessed = assess(qrels, plain | copies)
    values: Values = measure_all(assessed, measures)
    cutoff = int(getattr(values.measures[0], "k", None) or ANSWERED_AT)
    first = first_ranks(assessed, depth=cutoff).T
    size = len(plain)
    others = range(size, 2 * size)
    return Rankings(
        name=name,
        measures=tuple(map(str, values.measures)),
        cube=values.cube[:size],
        first=first[:size],
        cutoff=cutoff,
        single_relevant=single,
        dominance=find_dominance(assessed, range(size), range(size)),
        collapse=None
        if single
        else Collapse(
            cube=values.cube[size:], first=first[size:], dominance=find_dominance(assessed, range(size), others)
        ),
    )


def find_dominance(assessed: Assessed, a: Sequence[int], b: Sequence[int]) -> Dominance:
    """Return (run a, run b, topic): the outcome of every comparison, all grades together."""
    outcome = dominate(assessed, list(product(a, b))).outcome[:, 0]
    return outcome.reshape(len(a), len(b), -1)


def scores_in_order(documents: Sequence[str]) -> dict[str, float]:
    """Return scores that put documents in this order."""
    return {document: -float(rank) for rank, document in enumerate(documents)}


def collapse_run(
    run: Mapping[str, Mapping[str, float]], grades: Mapping[str, Mapping[str, float]]
) -> dict[str, dict[str, float]]:
    """Return a run with every relevant document but the first of each topic moved to the end."""
    scores = {}
    for topic, documents in run.items():
        judged = grades.get(topic, {})
        tail = [document for document in documents if judged.get(document, 0) > 0][1:]
        later = set(tail)
        scores[topic] = scores_in_order([*(document for document in documents if document not in later), *tail])
    return scores
