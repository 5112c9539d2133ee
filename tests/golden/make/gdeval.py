"""Makes gdeval.json: what TREC's gdeval.pl, which ir_measures calls, says of ERR and of nDCG with gains 2^grade - 1.

It rounds to five decimals, takes 4 as the top grade and needs perl.
Run from the root: python -m tests.golden.make.gdeval
"""

from tests.golden.make.writing import save
from tests.support.golden.ranking_inputs import graded
from tests.support.guarded_peers import ir_measures

# What ir_measures calls them, and what we do.
MEASURES = {
    "ERR@5": "ERR(max_rel=4)@5",
    "ERR@20": "ERR(max_rel=4)@20",
    "nDCG(dcg='exp-log2')@5": "nDCG(dcg='exp-log2')@5",
    "nDCG(dcg='exp-log2')@20": "nDCG(dcg='exp-log2')@20",
}


def make() -> object:
    """{measure: {topic: value}}."""
    given = graded()
    made: dict[str, dict[str, float]] = {}
    for theirs, ours in MEASURES.items():
        found = ir_measures.iter_calc([ir_measures.parse_measure(theirs)], given.qrels, given.run)
        made[ours] = {metric.query_id: metric.value for metric in found}
    return made


if __name__ == "__main__":
    save("gdeval", make())
