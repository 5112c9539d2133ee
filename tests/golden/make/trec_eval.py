"""Makes trec_eval.json: what trec_eval 9.0.8, inside pytrec_eval-terrier, says of every input.

Run from the root: python -m tests.golden.make.trec_eval
"""

from tests.golden.make.writing import save
from tests.support.golden.ranking_inputs import inputs, trec_names
from tests.support.guarded_peers import pytrec_eval


def make() -> object:
    """{input: {topic: {measure: value}}}; a topic that the run misses is not there."""
    return {
        name: pytrec_eval.RelevanceEvaluator(given.qrels, trec_names()).evaluate(given.run)
        for name, given in inputs().items()
    }


if __name__ == "__main__":
    save("trec_eval", make())
