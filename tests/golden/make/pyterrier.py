"""Makes pyterrier.json: what PyTerrier 1.1.2 gives for experiments, by topic and with p-values, corrected and not.

It is among no requirements, and brings much with it; it has a folder of its own:
pip install --target /path/to/folder pyterrier==1.1.2 statsmodels
Run from the root: PYTERRIER=/path/to/folder python -m tests.golden.make.pyterrier
"""

import os
import sys
from importlib import import_module
from typing import Any

from tests.golden.make.writing import save
from tests.support.golden.ranking_inputs import Input, inputs, three_runs

MEASURES = ["map", "ndcg_cut_10", "recip_rank", "P_5"]
CORRECTIONS = ("bonferroni", "holm")


def make() -> object:
    """The columns of the frame by topic, the same as a dict, what is told against the first system, and habits."""
    sys.path.append(os.environ["PYTERRIER"])
    pt: Any = import_module("pyterrier")
    given = inputs()["graded"]
    first, qrels, topics = frames(given)
    systems = {"as it is": first, "upside down": first.assign(score=-first.score)}
    ranked = [pt.model.add_ranks(frame) for frame in systems.values()]
    asked: dict[str, Any] = {"names": list(systems), "eval_metrics": MEASURES}
    # It takes the measures out of a set, in another order each time.
    frame = pt.Experiment(ranked, topics, qrels, perquery=True, **asked).sort_values(["name", "qid", "measure"])
    nested = pt.Experiment(ranked, topics, qrels, perquery=True, dataframe=False, **asked)
    against = pt.Experiment(ranked, topics, qrels, baseline=0, **asked)
    return {
        "frame": {str(column): frame[column].tolist() for column in frame.columns},
        "dict": {
            name: {topic: {str(m): v for m, v in row.items()} for topic, row in of.items()}
            for name, of in nested.items()
        },
        "p": {measure: against[f"{measure} p-value"].tolist()[1] for measure in MEASURES},
        "mean": {measure: against[measure].tolist() for measure in MEASURES},
        "corrected": {correction: corrected(correction) for correction in CORRECTIONS},
        "missing": {"all topics": missing(3), "the first topic": missing(1)},
        "ties": ties(),
    }


def frames(given: Input) -> tuple[Any, Any, Any]:
    """Results, judgments and topics as PyTerrier has them."""
    pd: Any = import_module("pandas")
    rows = [(topic, document, score) for topic, row in given.run.items() for document, score in row.items()]
    judged = [(topic, document, grade) for topic, row in given.qrels.items() for document, grade in row.items()]
    return (
        pd.DataFrame(rows, columns=["qid", "docno", "score"]),
        pd.DataFrame(judged, columns=["qid", "docno", "label"]),
        pd.DataFrame({"qid": list(given.qrels), "query": list(given.qrels)}),
    )


def corrected(correction: str) -> dict[str, list[float]]:
    """{measure: p of every system but the first, against the first}."""
    pt: Any = import_module("pyterrier")
    qrels = inputs()["graded"].qrels
    tables = [frames(Input(qrels, run)) for run in three_runs().values()]
    _, judged, topics = tables[0]
    ranked = [pt.model.add_ranks(results) for results, _, _ in tables]
    told = pt.Experiment(ranked, topics, judged, MEASURES, names=list(three_runs()), baseline=0, correction=correction)
    return {measure: told[f"{measure} p-value corrected"].tolist()[1:] for measure in MEASURES}


def missing(count: int) -> list[float]:
    """The mean of AP over the first topics, of which the second has no results."""
    pt: Any = import_module("pyterrier")
    results, qrels, topics = frames(inputs()["missing topics"])
    told = pt.Experiment([pt.model.add_ranks(results)], topics.head(count), qrels, ["map"], names=["it"])
    return list(told["map"])


def ties() -> dict[str, list[float]]:
    """Two documents of one score in two orders of lines and of ranks: {measure: values}."""
    pt: Any = import_module("pyterrier")
    pd: Any = import_module("pandas")
    forth = pd.DataFrame({"qid": ["1", "1"], "docno": ["a", "z"], "score": [1.0, 1.0], "rank": [0, 1]})
    back = forth.iloc[::-1].assign(rank=[0, 1])
    qrels = pd.DataFrame({"qid": ["1"], "docno": ["a"], "label": [1]})
    topics = pd.DataFrame({"qid": ["1"], "query": ["1"]})
    told = pt.Experiment([forth, back], topics, qrels, ["recip_rank"], names=["forth", "back"])
    return {"recip_rank": told["recip_rank"].tolist()}


if __name__ == "__main__":
    save("pyterrier", make())
