"""What the golden values are values of: small judgments and runs, the same for the peers and for us.

Nothing here looks at a measure. What is drawn is drawn by Python's own generator from a fixed seed, whose ``random()``
is the same in every version of Python.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

CUTS = (1, 3, 5, 10, 20, 100, 1000)
LEVELS = tuple(i / 10 for i in range(11))
TIMES = tuple(i / 5 for i in range(1, 11))

# What trec_eval calls our measures: name, parameters, and what stands behind the @.
TREC: dict[str, tuple[str, dict[str, object], str]] = {
    "num_ret": ("NumRet", {}, ""),
    "num_rel": ("NumRel", {}, ""),
    "num_rel_ret": ("NumRet", {"rel": 1}, ""),
    "num_nonrel_judged_ret": ("NumNonRel", {}, ""),
    "map": ("AP", {}, ""),
    "gm_map": ("GMAP", {}, ""),
    "Rprec": ("Rprec", {}, ""),
    "bpref": ("Bpref", {}, ""),
    "gm_bpref": ("GMBpref", {}, ""),
    "recip_rank": ("RR", {}, ""),
    "infAP": ("infAP", {}, ""),
    "utility": ("Utility", {}, ""),
    "11pt_avg": ("IAP", {"rounding": "trec_eval-9"}, ""),
    "binG": ("binG", {}, ""),
    "G": ("G", {}, ""),
    "ndcg": ("nDCG", {}, ""),
    "ndcg_rel": ("nDCGrel", {}, ""),
    "Rndcg": ("RnDCG", {}, ""),
    "set_P": ("SetP", {}, ""),
    "set_relative_P": ("SetP", {"relative": True}, ""),
    "set_recall": ("SetR", {}, ""),
    "set_map": ("SetAP", {}, ""),
    "set_F": ("SetF", {}, ""),
}
TREC |= {f"iprec_at_recall_{x:.2f}": ("IPrec", {"rounding": "trec_eval-9"}, f"@{x}") for x in LEVELS}
TREC |= {f"Rprec_mult_{x:.2f}": ("Rprec", {"times": x}, "") for x in TIMES}

# The same with a cut-off.
TREC_CUT: dict[str, tuple[str, dict[str, object]]] = {
    "P": ("P", {}),
    "recall": ("R", {}),
    "relative_P": ("R", {"capped": True}),
    "map_cut": ("AP", {}),
    "ndcg_cut": ("nDCG", {}),
    "success": ("Success", {}),
}
GRADED = ("num_ret", "G", "ndcg", "ndcg_cut", "ndcg_rel", "Rndcg")  # whatever the smallest relevant grade is
GEOMETRIC = ("gm_map", "gm_bpref")  # one topic has the logarithm of its value, or of 1e-5 if that is more


def trec_names(cuts: Iterable[int] = CUTS) -> list[str]:
    """Everything that trec_eval calls all_trec, but the string of grades, with these cut-offs."""
    return [*TREC, *(f"{stem}_{k}" for stem in TREC_CUT for k in cuts)]


def all_trec() -> list[str]:
    """The same with the cut-offs that trec_eval takes when none are given."""
    cuts = dict.fromkeys(TREC_CUT, (5, 10, 15, 20, 30, 100, 200, 500, 1000)) | {"success": (1, 5, 10)}
    return [*TREC, *(f"{stem}_{k}" for stem in TREC_CUT for k in cuts[stem])]


def is_graded(trec: str) -> bool:
    """Whether a measure of trec_eval never asks which grades are relevant."""
    return trec in GRADED or trec.rpartition("_")[0] in GRADED


def notation(trec: str, *, rel: int = 1, judged_only: bool = False) -> str:
    """What we call a measure of trec_eval, with its options -l and -J."""
    stem, _, k = trec.rpartition("_")
    name, parameters, at = TREC[trec] if trec in TREC else (*TREC_CUT[stem], f"@{k}")
    if rel != 1 and not is_graded(trec):
        parameters = parameters | {"rel": rel}
    if judged_only:
        parameters = parameters | {"judged_only": True}
    inside = ",".join(f"{parameter}={value!r}" for parameter, value in sorted(parameters.items()))
    return f"{name}({inside}){at}" if inside else f"{name}{at}"


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
        "lists": lists(),
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
    # Grades below 0 alone are too much for trec_eval, which then writes past its memory: one document of grade 0.
    qrels = {"only 0": {"a": 0, "b": 0}, "below 0": {"a": -1, "b": -2, "c": 0}, "some": {"a": 1, "b": 0}}
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


def three_runs() -> dict[str, dict[str, dict[str, float]]]:
    """The run of ``graded``, the same upside down, and its documents in an order that has nothing to do with either."""
    run = graded().run
    return {
        "as-it-is": run,
        "upside-down": {topic: {document: -score for document, score in row.items()} for topic, row in run.items()},
        "shuffled": {topic: {d: float(37 * i % 101) for i, d in enumerate(sorted(row))} for topic, row in run.items()},
    }


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


KINDS = (
    *("ties", "close scores", "short", "one document", "unjudged", "negative grades"),
    *("nothing relevant", "deep", "perfect", "missing"),
)


@cache
def cases(*, each: int = 20) -> Input:
    """Two hundred topics, twenty of each kind, of forty documents or, where they are deep, of up to 350."""
    rng = Random(2008)
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for topic in (f"{kind} {i}" for kind in KINDS for i in range(each)):
        kind = topic.rpartition(" ")[0]
        documents = [f"D{i}" for i in range(150 + int(200 * rng.random()) if kind == "deep" else 40)]
        share = 0.15 if kind == "unjudged" else 0.7
        qrels[topic] = {document: _grade(rng, kind) for document in documents if rng.random() < share}
        found = [document for document in documents if rng.random() < 0.8 or kind == "perfect"]
        if kind == "perfect":
            found = [document for _, document in sorted((-qrels[topic].get(name, 0), name) for name in found)]
        keep = {"short": 2 + int(5 * rng.random()), "one document": 1, "missing": 0}.get(kind, len(found))
        scores = [_score(rng, kind) + (len(found) - i if kind == "perfect" else 0) for i in range(keep)]
        if keep:
            run[topic] = dict(zip(found, scores, strict=False))
    return Input(qrels, run)


def _grade(rng: Random, kind: str) -> int:
    drawn = rng.random()
    if kind == "negative grades":
        return int(6 * drawn) - 2
    return -int(2 * drawn) if kind == "nothing relevant" else int(4 * drawn**2)


def _score(rng: Random, kind: str) -> float:
    # Close ones differ as float64 and tie as float32.
    return (
        0.5 + int(9 * rng.random()) * 1e-9 if kind == "close scores" else round(_place(rng), 1 if kind == "ties" else 4)
    )


@cache
def lists() -> Input:
    """Twenty topics for user models: no ties, grades 0 to 3, many documents unjudged; lists of 1 document to 1100."""
    rng = Random(2019)
    lengths = (1, 1, 1, 2, 2, 3, 3, 4, 5, 6, 8, 10, 10, 15, 20, 30, 50, 100, 300, 1100)
    qrels, run = {}, {}
    for topic, length in enumerate(lengths, start=1):
        documents = [f"d{i:04}" for i in range(length + 5)]
        power = (0.5, 1, 2, 4)[topic % 4]  # from mostly good documents to mostly bad ones
        qrels[str(topic)] = {document: int(4 * rng.random() ** power) for document in documents if rng.random() < 0.7}
        qrels[str(topic)] |= {documents[0]: topic % 4}
        run[str(topic)] = {document: float(2000 - i) for i, document in enumerate(documents[:length])}
    return Input(qrels, run)


def words() -> dict[str, int]:
    """How many words each document of ``lists`` has."""
    return {f"d{i:04}": 50 + 137 * i % 900 for i in range(1105)}


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
