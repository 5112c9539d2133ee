"""Makes trec_eval_cases.json: what trec_eval 9.0.8, inside pytrec_eval-terrier, says of two hundred simulated topics.

Run from the root: python -m tests.golden.make.trec_eval_cases
"""

from math import isnan

from tests.golden.make.writing import save
from tests.support.golden.ranking_inputs import cases, is_graded, trec_names
from tests.support.guarded_peers import pytrec_eval

# The options of trec_eval that pytrec_eval has: -l and -J.
OPTIONS = {"": (1, False), "-l2": (2, False), "-J": (1, True), "-l2 -J": (2, True)}


def make() -> object:
    """{options: {measure: values}}, in the order of the topics of the run; null where trec_eval divides 0 by 0."""
    given = cases()
    made: dict[str, dict[str, list[float | None]]] = {}
    for options, (level, judged_only) in OPTIONS.items():
        names = [name for name in trec_names() if level == 1 or not is_graded(name)]
        evaluator = pytrec_eval.RelevanceEvaluator(given.qrels, names, level, judged_only)
        found = evaluator.evaluate(given.run)
        made[options] = {name: [_number(found[topic][name]) for topic in given.run] for name in names}
    return made


def _number(value: float) -> float | None:
    return None if isnan(value) else value


if __name__ == "__main__":
    save("trec_eval_cases", make())
