"""Makes ir_measures.json: what ir_measures says of the inputs without ties, where all its providers sort alike.

Run from the root: python -m tests.golden.make.ir_measures
"""

from typing import Any

from tests.golden.make.writing import save
from tests.support.golden.ranking_inputs import inputs
from tests.support.guarded_peers import ir_measures

INPUTS = ("missing topics", "negative grades", "unjudged documents", "graded", "lists")
MEASURES = """
    AP AP@10 AP(rel=2) AP(judged_only=True) AP(judged_only=True)@5 AP(judged_only=True,rel=2)
    P@1 P@5 P@10 P(rel=2)@10 P(judged_only=True)@5 P(judged_only=True,rel=2)@10
    R@5 R@20 R(rel=2)@20 RR RR(rel=2) RR@10 RR(judged_only=True)
    nDCG nDCG@5 nDCG@20 nDCG(judged_only=True) nDCG(judged_only=True)@10
    nDCG(gains={1:2,2:5}) nDCG(gains={1:5,2:1})@10 nDCG(gains={0:1,1:0,3:7})@20
    Rprec Rprec(rel=2) Rprec(judged_only=True) Success@1 Success(rel=2)@5 Success(judged_only=True)@1
    NumRet NumRet(rel=1) NumRet(rel=2) NumRel Bpref Bpref(rel=2) infAP infAP(rel=2)
    IPrec@0.0 IPrec@0.05 IPrec@0.25 IPrec@0.3 IPrec@1.0 IPrec(rel=2)@0.5 IPrec(judged_only=True)@0.35
    SetP SetP(rel=2) SetP(judged_only=True) SetP(relative=True) SetP(relative=True,rel=2) SetR SetR(rel=2)
    SetAP SetAP(rel=2) SetAP(judged_only=True) SetF SetF(rel=2) SetF(judged_only=True)
    Compat(p=0.95) Compat(p=0.8) Compat(p=0.99)
    Compat(normalize=False,p=0.95) Compat(normalize=False,p=0.8) Compat(normalize=False,p=0.99)
""".split()
# Its beta is trec_eval's x, the square of what beta is elsewhere.
MEASURES += ["SetF(beta=0.25)", "SetF(beta=2.0)", "SetF(beta=4.0)", "SetF(beta=4.0,rel=2)"]
MEASURES += ["Judged@1", "Judged@5", "Judged@50"]
MEASURES += ["Accuracy", "Accuracy@5", "Accuracy(rel=2)", "Accuracy(rel=2)@10"]
# Where it says something else than it means, or nothing at all: see SOURCES.md.
LEFT_OUT = {"negative grades": ("Judged",), "missing topics": ("NumRel",), "lists": ("Accuracy",)}


def make() -> object:
    """{input: {measure: {topic: value}}}."""
    made: dict[str, Any] = {}
    for name in INPUTS:
        given = inputs()[name]
        asked = [measure for measure in MEASURES if not measure.startswith(LEFT_OUT.get(name, ()))]
        made[name] = {measure: {} for measure in asked}
        for measure in asked:  # one by one: together, some of its providers lose values
            parsed = ir_measures.parse_measure(measure)
            for found in ir_measures.iter_calc([parsed], given.qrels, given.run):
                made[name][measure][found.query_id] = found.value
    return made


if __name__ == "__main__":
    save("ir_measures", make())
