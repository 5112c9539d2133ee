"""Reference fusion methods, topic by topic and document by document, and runs to fuse."""

from dataclasses import dataclass
from math import fsum, sqrt
from random import Random

from cranfield.data import Run, read_run

Scores = dict[str, dict[str, float]]  # topic → document → score


@dataclass(frozen=True)
class Made:
    """Runs as dicts, and the same as runs."""

    scores: list[Scores]
    runs: list[Run]


def made(scores: list[Scores]) -> Made:
    return Made(scores, [read_run(run, name=f"run{i}") for i, run in enumerate(scores)])


def drawn(seed: int, runs: int = 5) -> Made:
    """Runs with ties, negative scores, topics of one document or of one score, and topics that some of them lack."""
    random = Random(seed)
    scores: list[Scores] = []
    for _ in range(runs):
        run: Scores = {}
        for topic in range(8):
            if random.random() < 0.2 and (topic or run):
                continue
            kind = random.choice(["ties", "real", "one score", "one document"])
            number = 1 if kind == "one document" else random.randint(2, 30)
            documents = random.sample([f"d{i}" for i in range(45)], number)
            run[f"t{topic}"] = {document: _score(kind, random) for document in documents}
        scores.append(run)
    return made(scores)


def _score(kind: str, random: Random) -> float:
    if kind == "one score":
        return -2.5
    return random.randint(-3, 3) / 4 if kind == "ties" else random.gauss(0, 10)


def ordered(scores: dict[str, float]) -> list[str]:
    """By score, ties by id, both descending."""
    return sorted(scores, key=lambda document: (scores[document], document.encode()), reverse=True)


def fused(runs: list[Scores], method: str, *, depth: int = 10**6, k: float = 60, norm: str = "min-max") -> Scores:
    """The runs as one."""
    out: Scores = {}
    for topic in dict.fromkeys(topic for run in runs for topic in run):
        given: dict[str, list[float]] = {}
        for run in runs:
            first = ordered(run.get(topic, {}))[:depth]
            kept = {document: run[topic][document] for document in first}
            scores = normalised(kept, norm)
            for rank, document in enumerate(first, 1):
                part = {"rrf": 1 / (k + rank), "isr": 1 / rank**2}.get(method, scores[document])
                given.setdefault(document, []).append(part)
        times = method in ("isr", "combmnz")
        out[topic] = {document: fsum(parts) * (len(parts) if times else 1) for document, parts in given.items()}
    return out


def normalised(scores: dict[str, float], norm: str) -> dict[str, float]:
    if norm == "none" or not scores:
        return scores
    low, high, n = min(scores.values()), max(scores.values()), len(scores)
    if low == high:
        return dict.fromkeys(scores, 1.0 if norm == "min-max" else 0.0)
    if norm == "min-max":
        return {document: (score - low) / (high - low) for document, score in scores.items()}
    mean = fsum(scores.values()) / n
    deviation = sqrt(fsum((score - mean) ** 2 for score in scores.values()) / n)
    return {document: (score - mean) / deviation for document, score in scores.items()}


def as_scores(run: Run) -> Scores:
    """A run as a dict, its documents in rank order."""
    out: Scores = {}
    for row in run.to_table().rows():
        out.setdefault(str(row["topic"]), {})[str(row["document"])] = float(str(row["score"]))
    return out
