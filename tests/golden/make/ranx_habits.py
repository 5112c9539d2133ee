"""Makes ranx_habits.json: p-values of three runs in ranx, and what it does where it has to choose.

ranx is among the requirements of the benchmarks only: it compiles itself at every start.
Run from the root: python -m tests.golden.make.ranx_habits
"""

from typing import Any

from tests.golden.make.writing import save
from tests.support.golden.fusion_inputs import Scores, runs
from tests.support.golden.ranking_inputs import graded, inputs, three_runs

METRICS = ["map", "ndcg@10"]
TIED = [f"d{i:02}" for i in range(20)]  # documents of one score, as the file has them


def make() -> object:
    """P-values by test and pair, fused runs, a run that misses topics, RBP of grades, and the order of ties."""
    from ranx import Qrels, Run, evaluate

    given, missing = graded(), inputs()["missing topics"]
    run = Run(given.run)
    evaluate(Qrels(given.qrels), run, ["rbp.8"])
    filled = Run(missing.run)
    evaluate(Qrels(missing.qrels), filled, METRICS, make_comparable=True)
    return {
        "p": {test: compared(test) for test in ("student", "tukey")},  # fisher's change from call to call
        "fused": {method: fused(method) for method in ("rrf", "isr", "sum", "mnz")},
        "refuses": refused(Qrels(missing.qrels), Run(missing.run)),
        "make_comparable": {metric: by_topic(filled, metric) for metric in METRICS},
        "rbp.8": by_topic(run, "rbp.8"),
        "ties": sorted(
            TIED, key=lambda document: -evaluate(one(document), Run({"1": dict.fromkeys(TIED, 1.0)}), "mrr")
        ),
    }


def by_topic(run: Any, metric: str) -> dict[str, float]:
    """What ranx leaves in a run that it measured."""
    return {topic: float(value) for topic, value in run.scores[metric].items()}


def compared(test: str) -> dict[str, dict[str, float]]:
    """{"a b": {metric: p}}."""
    from ranx import Qrels, Run, compare

    named = [Run(run, name=name) for name, run in three_runs().items()]
    said = compare(Qrels(graded().qrels), named, METRICS, stat_test=test).comparisons
    pairs = [(a.name, b.name) for i, a in enumerate(named) for b in named[i + 1 :]]
    return {f"{a} {b}": {m: float(said[frozenset([a, b])][m]["p_value"]) for m in METRICS} for a, b in pairs}


def fused(method: str) -> Scores:
    """What ranx makes of runs when nothing is said but the method."""
    from ranx import Run, fuse

    found = fuse([Run(run) for run in runs()], method=method)
    return {topic: {document: float(found[topic][document]) for document in found[topic]} for topic in runs()[0]}


def one(document: str) -> Any:
    """Judgments of which this document alone is relevant."""
    from ranx import Qrels

    return Qrels({"1": {document: 1}})


def refused(qrels: Any, run: Any) -> str:
    """What is said of a run that misses topics, or has others."""
    from ranx import evaluate

    try:
        evaluate(qrels, run, METRICS)
    except AssertionError as error:
        return str(error)
    return ""


if __name__ == "__main__":
    save("ranx_habits", make())
