"""Makes fusion.json: what ranx makes of three runs, and of runs whose scores are all equal.

ranx is among the requirements of the benchmarks only: it compiles itself at every start.
Run from the root: python -m tests.golden.make.fusion
"""

from typing import Any

from tests.golden.make.writing import save
from tests.support.golden.fusion_inputs import Scores, constant, runs

ASKED: dict[str, dict[str, Any]] = {  # by our notation
    "rrf": {"method": "rrf", "norm": None},
    "rrf(k=10)": {"method": "rrf", "norm": None, "params": {"k": 10}},
    "isr": {"method": "isr", "norm": None},
    "combsum": {"method": "sum", "norm": "min-max"},
    "combsum(norm='z-score')": {"method": "sum", "norm": "zmuv"},
    "combsum(norm='none')": {"method": "sum", "norm": None},
    "combmnz": {"method": "mnz", "norm": "min-max"},
    "combmnz(norm='z-score')": {"method": "mnz", "norm": "zmuv"},
    "combmnz(norm='none')": {"method": "mnz", "norm": None},
}
CONSTANT = ("combsum", "combsum(norm='z-score')", "combmnz", "combmnz(norm='z-score')")  # ranks would need ties


def make() -> object:
    """{input: {method: {topic: {document: score}}}}."""
    return {
        "runs": {method: fused(runs(), **asked) for method, asked in ASKED.items()},
        "constant": {method: fused(constant(), **ASKED[method]) for method in CONSTANT},
    }


def fused(given: list[Scores], **asked: Any) -> Scores:
    """What ranx makes of runs."""
    from ranx import Run, fuse

    found = fuse(runs=[Run(run) for run in given], **asked)
    return {topic: {document: float(found[topic][document]) for document in found[topic]} for topic in given[0]}


if __name__ == "__main__":
    save("fusion", make())
