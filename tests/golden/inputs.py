"""What the golden values are values of: small judgments and runs, the same for the peers and for us.

Nothing here looks at a measure. What is drawn is drawn by Python's own generator from a fixed seed, whose ``random()``
is the same in every version of Python.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

CUTS = (1, 3, 5, 10, 20, 100, 1000)

# What trec_eval calls our measures.
TREC = {"num_ret": "NumRet", "num_rel": "NumRel", "num_rel_ret": "NumRet(rel=1)"}
TREC |= {"map": "AP", "recip_rank": "RR", "Rprec": "Rprec", "ndcg": "nDCG"}
for _k in CUTS:
    TREC |= {f"P_{_k}": f"P@{_k}", f"recall_{_k}": f"R@{_k}", f"map_cut_{_k}": f"AP@{_k}"}
    TREC |= {f"ndcg_cut_{_k}": f"nDCG@{_k}", f"success_{_k}": f"Success@{_k}"}


@dataclass(frozen=True)
class Input:
    """Judgments and one run."""

    qrels: dict[str, dict[str, int]]
    run: dict[str, dict[str, float]]


@cache
def inputs() -> dict[str, Input]:
    """Every input by the name of what it is hard about."""
    return {
        "ties": _ties(),
        "missing topics": _missing_topics(),
        "nothing relevant": _nothing_relevant(),
        "negative grades": _negative_grades(),
        "unjudged documents": _unjudged_documents(),
        "close scores": _close_scores(),
        "graded": graded(),
        "many ties": many_ties(),
    }


def _ties() -> Input:
    # By bytes: é1 > a.b > Z > D9 > 9 > 10; all in two groups of equal score.
    grades = {"a.b": 1, "Z": 0, "D9": 2, "9": 0, "10": 1, "é1": 0}
    run = {
        "all": dict.fromkeys(grades, 1.0),
        "two groups": {"10": 2.0, "é1": 2.0, "D9": 2.0, "a.b": 1.0, "9": 1.0, "Z": 1.0},
        "zero": {"10": 0.0, "é1": -0.0, "D9": 0.0},
    }
    return Input(dict.fromkeys(run, grades), run)


def _missing_topics() -> Input:
    grades = {"a": 1, "b": 0, "c": 2}
    qrels = {"in both": grades, "not in the run": grades, "found nothing": grades}
    run = {"in both": {"b": 3.0, "a": 2.0}, "found nothing": {"x": 1.0}, "not judged": {"a": 1.0}}
    return Input(qrels, run)


def _nothing_relevant() -> Input:
    qrels = {"only 0": {"a": 0, "b": 0}, "only below 0": {"a": -1, "b": -2}, "some": {"a": 1, "b": 0}}
    return Input(qrels, {topic: {"a": 2.0, "b": 1.0, "x": 3.0} for topic in qrels})


def _negative_grades() -> Input:
    qrels = {
        "spam on top": {"a": -2, "b": 2, "c": 0, "d": 1},
        "all signs": {"a": -1, "b": 1, "c": -2, "d": 3, "e": 0},
        "missed": {"a": 1, "y": -2, "z": 2},
    }
    return Input(qrels, {topic: {"a": 5.0, "b": 4.0, "c": 3.0, "d": 2.0, "e": 1.0} for topic in qrels})


def _unjudged_documents() -> Input:
    qrels = {"above": {"a": 1, "b": 2}, "between": {"a": 1, "b": 2}, "below": {"a": 1, "b": 0}}
    run = {
        "above": {"x": 9.0, "y": 8.0, "a": 7.0, "b": 6.0},
        "between": {"a": 9.0, "x": 8.0, "y": 7.0, "b": 6.0},
        "below": {"b": 9.0, "a": 8.0} | {f"x{i}": 7.0 - i for i in range(30)},
    }
    return Input(qrels, run)


def _close_scores() -> Input:
    # trec_eval 9 keeps scores as float32: these differ only as float64, and then the id decides.
    grades = {"a": 1, "b": 0, "c": 2}
    run = {
        "large": {"a": 16777217.0, "b": 16777216.0, "c": 1.0},
        "small": {"a": 0.1 + 1e-10, "b": 0.1, "c": 0.1 - 1e-10},
        "apart": {"a": 0.1001, "b": 0.1, "c": 0.0999},
    }
    return Input(dict.fromkeys(run, grades), run)


def graded() -> Input:
    """Eight numbered topics, grades 0 to 3, a third of the documents unjudged, no two scores alike."""
    rng = Random(19)
    qrels, run = {}, {}
    for topic in range(1, 9):
        documents = [f"d{i:03}" for i in range(80)]
        qrels[str(topic)] = {document: int(4 * rng.random() ** 2) for document in documents if rng.random() < 0.66}
        run[str(topic)] = {
            document: _place(rng) + i / 1e6 for i, document in enumerate(documents) if rng.random() < 0.8
        }
    return Input(qrels, run)


def many_ties(*, topics: int = 50, depth: int = 1000) -> Input:
    """Fifty topics of a thousand documents whose scores are rounded to one decimal."""
    rng = Random(1974)
    qrels, run = {}, {}
    for topic in range(301, 301 + topics):
        documents = [f"FT{int(rng.random() * 1000):03}-{i}" for i in range(2 * depth)]
        qrels[str(topic)] = {document: int(3 * rng.random() ** 3) for document in documents if rng.random() < 0.2}
        worth = {document: 1.5 * qrels[str(topic)].get(document, 0) for document in documents}
        run[str(topic)] = {document: round(worth[document] + 8 * _place(rng), 1) for document in documents[:depth]}
    return Input(qrels, run)


def _place(rng: Random) -> float:
    """Somewhere between 0 and 1, more often in the middle; a multiple of 1/10000."""
    return round((rng.random() + rng.random()) / 2, 4)


@cache
def halves() -> dict[str, Input]:
    """Campaigns whose means often lie half way between two numbers of four decimals: the last bit decides."""
    found = {}
    for seed, topics in enumerate((4, 4, 8, 8, 16, 16, 100, 100, 100)):
        rng = Random(seed)
        qrels: dict[str, dict[str, int]] = {}
        run: dict[str, dict[str, float]] = {}
        for topic in map(str, range(topics)):
            qrels[topic] = {f"d{i}": int(3 * rng.random() ** 2) for i in range(40)}
            run[topic] = {document: round(rng.random(), 2) for document in qrels[topic] if rng.random() < 0.7}
        found[f"{topics} topics, seed {seed}"] = Input(qrels, run)
    return found


def trec_files(given: Input, folder: Path) -> tuple[Path, Path]:
    """The judgments and the run as text."""
    qrels, run = folder / "qrels", folder / "run"
    judgments = ((topic, document, grade) for topic, row in given.qrels.items() for document, grade in row.items())
    qrels.write_text("".join(f"{topic} 0 {document} {grade}\n" for topic, document, grade in judgments))
    lines = ((topic, document, score) for topic, row in given.run.items() for document, score in row.items())
    run.write_text("".join(f"{topic} Q0 {document} 0 {score!r} tag\n" for topic, document, score in lines))
    return qrels, run
