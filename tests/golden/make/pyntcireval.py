"""Makes pyntcireval.json: what pyNTCIREVAL 0.0.3 says of lists without ties.

pyNTCIREVAL is among no requirements. It has a folder of its own:
pip install --target /path/to/folder pyNTCIREVAL==0.0.3
Run from the root: PYNTCIREVAL=/path/to/folder python -m tests.golden.make.pyntcireval
"""

import os
import sys
from importlib import import_module
from typing import Any

from tests.golden.make.writing import save
from tests.support.golden.ranking_inputs import Input, graded, lists

LEVELS = 4  # grades 0 to 3
# What documents of grade 1, 2, 3 are worth.
GAINS = {"linear": [1, 2, 3], "exponential": [1, 3, 7]}
CUTS = (1, 3, 10, 100)


def make() -> object:
    """{input: {gains: {measure: {topic: value}}}}; topics without a relevant document are left out: it divides by 0."""
    sys.path.append(os.environ["PYNTCIREVAL"])
    metrics = import_module("pyNTCIREVAL.metrics")
    labeler = import_module("pyNTCIREVAL.labeler").Labeler
    return {
        name: {way: _said(metrics, labeler, given, gains) for way, gains in GAINS.items()}
        for name, given in (("graded", graded()), ("lists", lists()))
    }


def _said(metrics: Any, labeler: Any, given: Input, gains: list[int]) -> dict[str, dict[str, float]]:
    made: dict[str, dict[str, float]] = {}
    for topic, row in given.run.items():
        judged = given.qrels[topic]
        ranked = sorted(row, key=lambda document: -row[document])
        if not any(grade > 0 for grade in judged.values()):
            continue
        for condensed in (False, True):
            whole = labeler(judged, is_condensed=condensed)
            counts = whole.compute_per_level_doc_num(LEVELS)
            for name, metric in _metrics(metrics, counts, gains).items():
                made.setdefault(name + " condensed" * condensed, {})[topic] = _of(metric, whole.label(ranked))
            for k in CUTS:
                cut = labeler(judged, truncate=k, is_condensed=condensed).label(ranked)
                for name, metric in _one_document(metrics, counts, gains).items():
                    made.setdefault(f"{name}@{k}" + " condensed" * condensed, {})[topic] = _of(metric, cut)
    return made


def _of(metric: Any, labelled: list[Any]) -> float:
    return float(metric.compute(labelled)) if labelled else 0.0  # it looks for the best grade of nothing


def _metrics(metrics: Any, counts: list[int], gains: list[int]) -> dict[str, Any]:
    made = {
        **_one_document(metrics, counts, gains),
        **{f"Q(beta={beta})": metrics.QMeasure(counts, gains, beta) for beta in (0.0, 1.0, 10.0)},
        "NCUguP": metrics.NCUguP(counts, gains, gains),
        "NCUguBR": metrics.NCUguBR(counts, gains, gains, 1.0),
        "NCUrbP": metrics.NCUrbP(counts, gains, 0.95),
        "NCUrbBR": metrics.NCUrbBR(counts, gains, 0.95, 1.0),
        "RBP": metrics.RBP(counts, gains, 0.85),
        "ERR": metrics.ERR(counts, gains),
    }
    for k in CUTS:
        made |= {
            f"Q(beta=1.0)@{k}": metrics.QMeasure(counts, gains, 1.0, k),
            f"nDCG(b=2)@{k}": metrics.nDCG(counts, gains, 2, k),
            f"MSnDCG@{k}": metrics.MSnDCG(counts, gains, k),
            f"nERR@{k}": metrics.nERR(counts, gains, k),
        }
    return made


def _one_document(metrics: Any, counts: list[int], gains: list[int]) -> dict[str, Any]:
    """For somebody who wants one document: their cut-off is where the list ends."""
    return {
        "O(beta=1.0)": metrics.OMeasure(counts, gains, 1.0),
        "O(beta=10.0)": metrics.OMeasure(counts, gains, 10.0),
        "P-measure": metrics.PMeasure(counts, gains, 1.0),
        "P-plus": metrics.PPlusMeasure(counts, gains, 1.0),
    }


if __name__ == "__main__":
    save("pyntcireval", make())
