"""Makes expeval.json: what expeval says of the expected exposure of groups over series of rankings.

expeval is no package: it is commit 69ab070 of github.com/diazf/expeval, in a folder of its own.
Run from the root: EXPEVAL=/path/to/expeval python -m tests.golden.make.expeval
"""

import os
import sys
from importlib import import_module
from typing import Any

from tests.golden.make.writing import save
from tests.support.golden.series_inputs import PATIENCE, drawn, judged


def make() -> object:
    """Disparity, relevance and difference (EE-D, EE-R, EE-L) of every topic that has rankings."""
    sys.path.insert(0, os.environ["EXPEVAL"])
    modules = [import_module(name) for name in ("exposure", "group", "permutation")]
    return {str(p): {topic: _of_topic(topic, p, *modules) for topic in drawn()} for p in PATIENCE}


def _of_topic(topic: str, p: float, exposure: Any, group: Any, permutation: Any) -> dict[str, float]:
    relevant = {document: grade for document, (grade, _) in judged()[topic].items() if grade > 0}
    groups = {document: [group] for document, (grade, group) in judged()[topic].items() if grade > 0}
    rankings = {}
    for sample, documents in drawn()[topic].items():
        rankings[sample] = permutation.Permutation()
        for rank, document in enumerate(documents, 1):
            rankings[sample].add(rank, document)
    due, *_ = exposure.target(relevant, "rbp", p, 0.5, False)
    due = group.exposure(due, groups, relevant, False)
    got = exposure.expected(rankings, relevant, "rbp", p, 0.5)
    got = group.exposure(got, groups, relevant, False)
    said = {}
    for one in group.metrics(due, "rbp", p, 0.5, float("inf"), len(relevant)):
        one.compute(got)
        said[one.name] = one.value
    return said


if __name__ == "__main__":
    save("expeval", make())
