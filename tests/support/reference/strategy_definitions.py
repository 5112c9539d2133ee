"""Reference pooling strategies for one topic, with lists and dictionaries, and campaigns to run them on."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from functools import cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from cranfield.collections import Candidates, find_candidates
from cranfield.core import SEED, generator
from cranfield.data import Corpus, Run, read_corpus, read_qrels, read_run
from cranfield.simulate import Campaign

K = TypeVar("K")
Rankings = list[list[str]]  # for each run its documents of one topic, best first
Worth = Callable[[Sequence[float], Sequence[float], int, np.random.Generator], Sequence[float]]


@dataclass(frozen=True, eq=False)
class Case:
    """Runs, what they may be pooled to, and what is known to be relevant: as arrays, and as lists and sets."""

    runs: list[Run]
    candidates: Candidates
    relevant: NDArray[np.bool_]  # (document,)
    rankings: dict[str, Rankings]
    found: dict[str, set[str]]
    corpus: Corpus

    @property
    def topics(self) -> tuple[str, ...]:
        return self.candidates.topics

    def stream(self, topic: str, seed: int = SEED) -> np.random.Generator:
        return generator(seed, "pool", topic)

    def names(self, which: NDArray[np.int64]) -> list[str]:
        """The documents of some numbers among all candidates; −1 is none."""
        documents = self.candidates.document.to_list()
        return [documents[place] for place in which.tolist() if place >= 0]


def texts_of(candidates: Candidates) -> Corpus:
    """Documents that say little more than their names, and every third of them nothing at all."""
    documents = sorted(set(candidates.document.to_list()))
    return read_corpus({name: f"document {name} of kind {i % 5}" for i, name in enumerate(documents) if i % 3})


@cache
def campaign(seed: int, depth: int = 20) -> Case:
    """A small campaign: some runs lack topics, some stop early, some have ties, half of them were not judged."""
    shape = Campaign(topics=4, groups=3, runs=7, depth=30, documents=500, candidates=90, relevant=18, pool=12)
    return case_of(replace(shape, pooled=0.5, missing=0.4, ties=0.3, seed=seed), depth)


def case_of(shape: Campaign, depth: int) -> Case:
    drawn = shape.make()
    runs = [read_run(drawn.run_columns(name), name=name) for name in drawn.names]
    candidates = find_candidates(runs, depth=depth)
    relevant = candidates.grades(read_qrels(drawn.qrels_columns())) > 0
    found = found_of(candidates, relevant)
    return Case(runs, candidates, relevant, rankings_of(runs, depth), found, texts_of(candidates))


def rankings_of(runs: Sequence[Run], depth: int) -> dict[str, Rankings]:
    topics = dict.fromkeys(topic for run in runs for topic in run.topics.to_list())
    out: dict[str, Rankings] = {topic: [[] for _ in runs] for topic in topics}
    for number, run in enumerate(runs):
        for row in run.to_table().rows():
            if int(str(row["rank"])) <= depth:
                out[str(row["topic"])][number].append(str(row["document"]))
    return out


def found_of(candidates: Candidates, relevant: NDArray[np.bool_]) -> dict[str, set[str]]:
    out: dict[str, set[str]] = {topic: set() for topic in candidates.topics}
    for topic, document, hit in zip(candidates.topic, candidates.document.to_list(), relevant, strict=True):
        if hit:
            out[candidates.topics[topic]].add(document)
    return out


def grown(rankings: Rankings) -> list[str]:
    """All documents in the order in which a pool grows: rank by rank, run by run."""
    deepest = max(map(len, rankings))
    return list(dict.fromkeys(r[rank] for rank in range(deepest) for r in rankings if rank < len(r)))


def pool(rankings: Rankings, k: int) -> set[str]:
    """The first k documents of every run."""
    return {document for ranking in rankings for document in ranking[:k]}


def ranks(rankings: Rankings, document: str) -> dict[int, int]:
    """Run → rank, where the run has the document."""
    return {run: r.index(document) + 1 for run, r in enumerate(rankings) if document in r}


def depth(rankings: Rankings, k: int | None = None) -> list[str]:
    return [d for d in grown(rankings) if k is None or min(ranks(rankings, d).values()) <= k]


def take(rankings: Rankings) -> list[str]:
    def early(document: str) -> tuple[int, int]:
        places = list(ranks(rankings, document).values())
        return min(places), -places.count(min(places))

    return sorted(grown(rankings), key=early)  # stable: of equals the one that the pool finds first


def rrf(rankings: Rankings, k: float = 60) -> list[str]:
    return _by(rankings, lambda rank: 1 / (Decimal(k) + rank))


def rbp(rankings: Rankings, p: float = 0.8) -> list[str]:
    return _by(rankings, lambda rank: (1 - Decimal(p)) * Decimal(p) ** (rank - 1))


def _by(rankings: Rankings, weight: Callable[[int], Decimal]) -> list[str]:
    """By the sum of weights over runs, with so many digits that sums which are equal as numbers are equal."""
    with localcontext(prec=60) as context:
        total = {d: sum(map(weight, ranks(rankings, d).values()), Decimal(0)) for d in grown(rankings)}
        context.prec = 30
        return sorted(total, key=lambda d: -total[d])


def best(worth: dict[K, float] | dict[K, Decimal], stream: np.random.Generator) -> K:
    """One with the highest worth, drawn where there are several."""
    highest = max(worth.values())
    equals = [key for key, value in worth.items() if value == highest]
    return equals[int(stream.integers(len(equals)))] if len(equals) > 1 else equals[0]


def arms(
    rankings: Rankings, relevant: set[str], stream: np.random.Generator, worth: Worth, *, rate: float = 1
) -> list[str]:
    """The next document of the run with the highest worth; every run that has the document learns from it."""
    hits, seen = [0.0 for _ in rankings], [0.0 for _ in rankings]
    asked: list[str] = []
    while left := [run for run, r in enumerate(rankings) if set(r) - set(asked)]:
        values = worth(hits, seen, len(asked), stream)
        run = best({run: values[run] for run in left}, stream)
        document = next(d for d in rankings[run] if d not in asked)
        asked.append(document)
        for other, ranking in enumerate(rankings):
            if document in ranking:
                hits[other] = rate * hits[other] + (document in relevant)
                seen[other] = rate * seen[other] + 1
    return asked


def random(rankings: Rankings, relevant: set[str], stream: np.random.Generator) -> list[str]:
    return arms(rankings, relevant, stream, lambda hits, seen, step, stream: [0.0 for _ in hits])


def maxmean(rankings: Rankings, relevant: set[str], stream: np.random.Generator, rate: float = 1) -> list[str]:
    return arms(rankings, relevant, stream, lambda hits, seen, step, stream: _means(hits, seen), rate=rate)


def _means(hits: Sequence[float], seen: Sequence[float]) -> list[float]:
    return [(1 + h) / (2 + s) for h, s in zip(hits, seen, strict=True)]


def thompson(rankings: Rankings, relevant: set[str], stream: np.random.Generator, rate: float = 1) -> list[str]:
    def draw(hits: Sequence[float], seen: Sequence[float], step: int, stream: np.random.Generator) -> list[float]:
        return [stream.beta(1 + h, 1 + s - h) for h, s in zip(hits, seen, strict=True)]

    return arms(rankings, relevant, stream, draw, rate=rate)


def ucb(rankings: Rankings, relevant: set[str], stream: np.random.Generator) -> list[str]:
    def bound(hit: float, seen: float, step: int) -> float:
        if not seen:
            return math.inf
        mean, log = hit / seen, math.log(step) / seen
        return mean + math.sqrt(log * min(0.25, mean - mean**2 + math.sqrt(2 * log)))

    def bounds(hits: Sequence[float], seen: Sequence[float], step: int, stream: np.random.Generator) -> list[float]:
        return [bound(h, s, step) for h, s in zip(hits, seen, strict=True)]

    return arms(rankings, relevant, stream, bounds)


def epsilon_greedy(
    rankings: Rankings, relevant: set[str], stream: np.random.Generator, *, c: float = 0.01, d: float = 0.1
) -> list[str]:
    number = sum(bool(ranking) for ranking in rankings)

    def worth(hits: Sequence[float], seen: Sequence[float], step: int, stream: np.random.Generator) -> list[float]:
        explores = stream.random() < min(1, c * number / (d**2 * (step + 1)))
        return [0.0 for _ in hits] if explores else _means(hits, seen)

    return arms(rankings, relevant, stream, worth)


def mtf(rankings: Rankings, relevant: set[str], stream: np.random.Generator) -> list[str]:
    priority = [0 for _ in rankings]
    asked: list[str] = []
    front: int | None = None
    while left := [run for run, r in enumerate(rankings) if set(r) - set(asked)]:
        if front is None or front not in left:
            front = best({run: float(priority[run]) for run in left}, stream)
        document = next(d for d in rankings[front] if d not in asked)
        asked.append(document)
        if document not in relevant:
            priority[front] -= 1
            front = None
    return asked


def hedge(rankings: Rankings, relevant: set[str], stream: np.random.Generator, beta: float = 0.1) -> list[str]:
    """With 60 digits: where most runs have lost nearly all their weight, what is left still decides."""
    with localcontext(prec=60) as context:
        documents = grown(rankings)
        runs = [run for run, ranking in enumerate(rankings) if ranking]
        size = Decimal(len(documents))
        early: dict[tuple[int, str], Decimal] = {}
        for run in runs:
            behind = [(size / rank).ln() for rank in range(len(rankings[run]) + 1, len(documents) + 1)]
            for document in documents:
                rank = ranks(rankings, document).get(run)
                worth = (size / rank).ln() if rank else sum(behind, Decimal(0)) / len(behind)
                early[run, document] = worth
        loss = dict.fromkeys(runs, Decimal(0))
        asked: list[str] = []
        while len(asked) < len(documents):
            weight = {run: Decimal(beta) ** loss[run] for run in runs}
            left = [document for document in documents if document not in asked]
            total = {d: sum((weight[run] * early[run, d] for run in runs), Decimal(0)) for d in left}
            context.prec = 45
            document = best({d: +total[d] for d in left}, stream)
            context.prec = 60
            asked.append(document)
            for run in runs:
                loss[run] += (-1 if document in relevant else 1) * early[run, document] / 2
        return asked
