"""What sample_eval.pl was asked about: judgments of stratified samples, and runs; the same for it and for us."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

Strata = dict[str, dict[str, tuple[str, int]]]  # topic: document: stratum and grade; below 0: not drawn
Scores = dict[str, dict[str, float]]

RATES = {"1": 1.0, "2": 0.4, "3": 0.1}  # which share of each stratum is drawn


@dataclass(frozen=True)
class Sampled:
    """Judgments with strata, and runs by name."""

    qrels: Strata
    runs: dict[str, Scores]


@cache
def sampled() -> Sampled:
    """Twenty topics of up to two hundred pooled documents, and four of their own kind."""
    rng = Random(2008)
    topics = map(str, range(1, 21))
    qrels = {topic: _pool(rng, 20 + int(180 * rng.random()), RATES) for topic in topics}
    qrels["21"] = _pool(rng, 900, {"1": 0.5, "2": 0.1, "3": 0.05})  # the runs are longer than 1000 documents
    qrels["22"] = _pool(rng, 60, {"1": 0.8, "2": 0.3, "3": 0.0})  # nothing drawn of a stratum
    qrels["23"] = {document: (stratum, min(grade, 0)) for document, (stratum, grade) in qrels["1"].items()}
    qrels["24"] = _many()
    runs = {
        "good": {topic: _scores(rng, judged, 1.2, 9) for topic, judged in qrels.items()},
        "poor": {topic: _scores(rng, judged, 0.2, 9) for topic, judged in qrels.items() if topic != "5"},
        "tied": {topic: _scores(rng, judged, 0.7, 1) for topic, judged in qrels.items()},
    }
    return Sampled(qrels, runs)


def _pool(rng: Random, size: int, rates: dict[str, float]) -> dict[str, tuple[str, int]]:
    """Good documents are more often in the first stratum."""
    pool = {}
    for i in range(size):
        stratum = "1" if rng.random() < 0.3 else "2" if rng.random() < 0.5 else "3"
        power = {"1": 1.2, "2": 2.5, "3": 5.0}[stratum]
        grade = int(4 * rng.random() ** power)
        pool[f"D{int(9000 * rng.random())}-{i}"] = (stratum, grade if rng.random() < rates[stratum] else -1)
    return pool


def _many() -> dict[str, tuple[str, int]]:
    """More relevant documents than a run can hold, of which those of the lowest grade are too many."""
    first = {f"E{i:04}": ("1", (2, 1, 0)[i % 3]) for i in range(60)}
    return first | {f"F{i:04}": ("2", (1, 0)[i % 40 == 20] if i % 20 == 0 else -1) for i in range(3000)}


def _scores(rng: Random, judged: dict[str, tuple[str, int]], skill: float, decimals: int) -> dict[str, float]:
    """A ranking of most of the pool and of documents that were not in it."""
    others = [f"X{i}" for i in range(len(judged) // 2)]
    scores = {}
    for document in (*judged, *others):
        stratum, grade = judged.get(document, ("3", 0))
        worth = skill * (max(grade, 0) + {"1": 1.0, "2": 0.5, "3": 0.0}[stratum])
        if rng.random() < 0.8:
            scores[document] = round(worth + 2 * rng.random(), decimals)
    return scores


def files(given: Sampled, run: str, folder: Path) -> tuple[Path, Path]:
    """The judgments, the stratum in the fourth of five columns, and one run, as the script reads them."""
    qrels, path = folder / "qrels", folder / "run"
    rows = ((topic, document, *row) for topic, judged in given.qrels.items() for document, row in judged.items())
    qrels.write_text("".join(f"{topic} 0 {document} {stratum} {grade}\n" for topic, document, stratum, grade in rows))
    lines = ((topic, *pair) for topic, scores in given.runs[run].items() for pair in scores.items())
    path.write_text("".join(f"{topic} Q0 {document} 0 {score!r} {run}\n" for topic, document, score in lines))
    return qrels, path
