"""Makes pyterrier.json: what PyTerrier 1.1.2 gives for an experiment of two systems, by topic and with p-values.

It is among no requirements, and brings much with it; it has a folder of its own:
pip install --target /path/to/folder pyterrier==1.1.2
Run from the root: PYTERRIER=/path/to/folder python -m tests.golden.make.pyterrier
"""

import os
import sys
from importlib import import_module
from typing import Any

from tests.golden.inputs import inputs
from tests.golden.make.writing import save

MEASURES = ["map", "ndcg_cut_10", "recip_rank", "P_5"]


def make() -> object:
    """The columns of the frame by topic, the same as a dict, and what is told against the first system."""
    sys.path.append(os.environ["PYTERRIER"])
    pt: Any = import_module("pyterrier")
    pd: Any = import_module("pandas")
    given = inputs()["graded"]
    rows = [(topic, document, score) for topic, row in given.run.items() for document, score in row.items()]
    first = pd.DataFrame(rows, columns=["qid", "docno", "score"])
    judged = [(topic, document, grade) for topic, row in given.qrels.items() for document, grade in row.items()]
    qrels = pd.DataFrame(judged, columns=["qid", "docno", "label"])
    topics = pd.DataFrame({"qid": list(given.qrels), "query": list(given.qrels)})
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
    }


if __name__ == "__main__":
    save("pyterrier", make())
