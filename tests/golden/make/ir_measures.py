"""Makes ir_measures.json: what ir_measures says of the inputs without ties, where all its providers sort alike.

Run from the root: python -m tests.golden.make.ir_measures
"""

from typing import Any

import ir_measures

from tests.golden.inputs import inputs
from tests.golden.make.writing import save

INPUTS = ("missing topics", "negative grades", "unjudged documents", "graded")
MEASURES = """
    AP AP@10 AP(rel=2) AP(judged_only=True) AP(judged_only=True)@5 AP(judged_only=True,rel=2)
    P@1 P@5 P@10 P(rel=2)@10 P(judged_only=True)@5 P(judged_only=True,rel=2)@10
    R@5 R@20 R(rel=2)@20 RR RR(rel=2) RR@10 RR(judged_only=True)
    nDCG nDCG@5 nDCG@20 nDCG(judged_only=True) nDCG(judged_only=True)@10
    nDCG(gains={1:2,2:5}) nDCG(gains={1:5,2:1})@10 nDCG(gains={0:1,1:0,3:7})@20
    Rprec Rprec(rel=2) Rprec(judged_only=True) Success@1 Success(rel=2)@5 Success(judged_only=True)@1
    NumRet NumRet(rel=1) NumRet(rel=2) NumRel
""".split()
MEASURES += ["Judged@1", "Judged@5", "Judged@50"]
# Where it says something else than it means: see SOURCES.md.
LEFT_OUT = {"negative grades": "Judged", "missing topics": "NumRel"}


def make() -> object:
    """{input: {measure: {topic: value}}}."""
    made: dict[str, Any] = {}
    for name in INPUTS:
        given = inputs()[name]
        asked = [measure for measure in MEASURES if measure.partition("@")[0] != LEFT_OUT.get(name)]
        made[name] = {measure: {} for measure in asked}
        for measure in asked:  # one by one: together, some of its providers lose values
            parsed = ir_measures.parse_measure(measure)
            for found in ir_measures.iter_calc([parsed], given.qrels, given.run):
                made[name][measure][found.query_id] = found.value
    return made


if __name__ == "__main__":
    save("ir_measures", make())
