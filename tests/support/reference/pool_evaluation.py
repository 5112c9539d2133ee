"""Reference evaluation of pools: campaigns as dictionaries, rank correlations with loops and sets."""

import gzip
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
from scipy import stats

from cranfield.collections import Candidates, Replay, Strategy, find_candidates, replay
from cranfield.data import Assessed, Qrels, assess, read_entries, read_qrels, read_run
from cranfield.simulate import Campaign

Judgments = dict[str, dict[str, float]]  # topic → document → grade
Rankings = dict[str, dict[str, list[str]]]  # run → topic → documents, best first


@dataclass(frozen=True, eq=False)
class Plain:
    """Judgments and runs in dictionaries, and what the package makes of them."""

    judgments: Judgments
    rankings: Rankings
    team: dict[str, str]  # of each run
    qrels: Qrels
    assessed: Assessed
    candidates: Candidates  # judged or not
    depth: int

    @property
    def judged(self) -> Candidates:
        return self.candidates.only(self.candidates.grades(self.qrels) >= 0)

    def replay(self, strategy: Strategy, *, rel: float = 1, budget: int | None = None) -> Replay:
        candidates = self.judged
        return replay(strategy, candidates, candidates.grades(self.qrels) >= rel, budget=budget)

    def after(self, replayed: Replay, budget: int) -> Judgments:
        """What is judged after so many steps of each topic."""
        documents = replayed.candidates.document.to_list()
        return {
            topic: {documents[place]: self.judgments[topic][documents[place]] for place in steps[:budget] if place >= 0}
            for topic, steps in zip(replayed.candidates.topics, replayed.order.tolist(), strict=True)
        }

    def depth_pool(self, runs: Collection[str], budget: int) -> Judgments:
        """The first judged documents of each topic, rank by rank and run by run."""
        pool: Judgments = {}
        for topic, grades in self.judgments.items():
            asked = [
                self.rankings[run][topic][rank]
                for rank in range(self.depth)
                for run in self.rankings
                if run in runs and rank < len(self.rankings[run].get(topic, []))
            ]
            known = [document for document in dict.fromkeys(asked) if grades.get(document, -1) >= 0]
            pool[topic] = {document: grades[document] for document in known[:budget]}
        return pool

    def holders(self, topic: str, document: str) -> set[str]:
        """The runs that have a document among their first."""
        return {run for run, ranked in self.rankings.items() if document in ranked.get(topic, [])[: self.depth]}

    def ap(self, judgments: Judgments, rel: float = 1) -> dict[str, list[float]]:
        """Average precision of every run, topic by topic."""
        return {
            run: [average_precision(ranked.get(topic, []), judgments.get(topic, {}), rel) for topic in self.judgments]
            for run, ranked in self.rankings.items()
        }

    def means(self, judgments: Judgments) -> dict[str, float]:
        return {run: sum(values) / len(values) for run, values in self.ap(judgments).items()}

    def unjudged(self, judgments: Judgments, run: str, k: int) -> tuple[int, int]:
        """Of the first k documents of a run how many are unjudged, and how many there are."""
        first = [(topic, document) for topic in self.judgments for document in self.rankings[run].get(topic, [])[:k]]
        return sum(judgments.get(topic, {}).get(document, -1) < 0 for topic, document in first), len(first)


def average_precision(ranking: Sequence[str], grades: Mapping[str, float], rel: float = 1) -> float:
    relevant = {document for document, grade in grades.items() if grade >= rel}
    hits, total = 0, 0.0
    for rank, document in enumerate(ranking, 1):
        if document in relevant:
            hits += 1
            total += hits / rank
    return total / len(relevant) if relevant else 0.0


def above(a: float, b: float) -> bool:
    """Whether a is more than b, not just by the rounding of a sum."""
    return a - b > 1e-12


def rank(means: Mapping[str, float], run: str) -> int:
    return 1 + sum(above(other, means[run]) for other in means.values())


def tau(a: Mapping[str, float], b: Mapping[str, float]) -> float:
    """Kendall's τ-b over pairs."""
    signs = [[above(means[x], means[y]) - above(means[y], means[x]) for x, y in combinations(a, 2)] for means in (a, b)]
    top = sum(x * y for x, y in zip(*signs, strict=True))
    bottom = (sum(x != 0 for x in signs[0]) * sum(y != 0 for y in signs[1])) ** 0.5
    return top / bottom if bottom else float("nan")


def tau_ap(reference: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Of the runs above each, the share that the reference has above it too (yilmaz2008); over runs below the top."""
    shares = []
    for run in other:
        better = [x for x in other if above(other[x], other[run])]
        if better:
            shares.append(sum(above(reference[x], reference[run]) for x in better) / len(better))
    return 2 * sum(shares) / len(shares) - 1 if shares else float("nan")


def significant(values: Mapping[str, Sequence[float]], level: float = 0.05) -> dict[tuple[str, str], int]:
    """Pairs that differ by a paired t-test after Holm's correction, and who is ahead: 1 the second, −1 the first."""
    found = []
    for a, b in combinations(values, 2):
        difference = np.subtract(values[b], values[a])
        p = 1.0 if not difference.any() else float(stats.ttest_1samp(difference, 0).pvalue)
        found.append((p, (a, b), 1 if difference.mean() > 0 else -1))
    kept, highest = {}, 0.0
    for step, (p, pair, ahead) in enumerate(sorted(found)):
        highest = max(highest, p * (len(found) - step))
        if highest <= level:
            kept[pair] = ahead
    return kept


@cache
def simulated(seed: int, *, depth: int = 15, topics: int = 12, missing: float = 0.3, spam: float = 0.1) -> Plain:
    """A small campaign of four groups: some runs came too late to be judged, some lack topics, some have ties."""
    drawn = Campaign(
        topics=topics, groups=4, runs=9, depth=40, documents=900, candidates=150, relevant=25, pool=12, pooled=0.7,
        missing=missing, ties=0.3, spam=spam, skill=0.9, seed=seed,
    ).make()  # fmt: skip
    judgments: Judgments = {}
    columns = drawn.qrels_columns()
    for topic, document, grade in zip(columns["topic"], columns["document"], columns["grade"], strict=True):
        judgments.setdefault(str(topic), {})[str(document)] = float(str(grade))
    rankings = {}
    for name in drawn.names:
        rows: dict[str, list[tuple[float, str]]] = {}
        run = drawn.run_columns(name)
        for topic, document, score in zip(run["topic"], run["document"], run["score"], strict=True):
            rows.setdefault(str(topic), []).append((float(str(score)), str(document)))
        rankings[name] = {topic: [document for _, document in sorted(of, reverse=True)] for topic, of in rows.items()}
    runs = [read_run(drawn.run_columns(name), name=name) for name in drawn.names]
    qrels = read_qrels(columns)
    team = {entry.run: entry.group for entry in drawn.entries}
    return Plain(judgments, rankings, team, qrels, assess(qrels, runs), find_candidates(runs, depth=depth), depth)


@cache
def covid(folder: Path, *, depth: int = 100) -> Plain:
    """The runs of TREC-COVID's first round that are at hand, under all its judgments."""
    judgments: Judgments = {}
    for line in (folder / "qrels-rnd1.txt").read_text().splitlines():
        topic, _, document, grade = line.split()
        judgments.setdefault(topic, {})[document] = float(str(grade))
    files = sorted((folder / "runs").iterdir())
    rankings = {}
    for file in files:
        rows: dict[str, list[tuple[float, str]]] = {}
        with gzip.open(file, "rt") as lines:
            for line in lines:
                topic, _, document, _, score, _ = line.split()
                rows.setdefault(topic, []).append((float(score), document))
        ranked = {topic: [document for _, document in sorted(of, reverse=True)] for topic, of in rows.items()}
        rankings[file.name.removesuffix(".gz")] = ranked
    runs = [read_run(file) for file in files]
    qrels = read_qrels(folder / "qrels-rnd1.txt")
    known = read_entries(folder / "leaderboard-round1.csv")
    team = {run: str(known.of(run).group) for run in rankings}
    return Plain(judgments, rankings, team, qrels, assess(qrels, runs), find_candidates(runs, depth=depth), depth)


def as_dicts(case: Plain) -> dict[str, dict[str, dict[str, float]]]:
    """The runs of a campaign with scores that say nothing but the order."""
    return {
        run: {topic: {document: -float(i) for i, document in enumerate(of)} for topic, of in ranked.items()}
        for run, ranked in case.rankings.items()
    }
