"""Makes ranx.json: what ranx says of the graded input, and of the same with every relevant grade taken as 1.

ranx is among the requirements of the benchmarks only: it compiles itself at every start.
Run from the root: python -m tests.golden.make.ranx
"""

from tests.golden.make.writing import save
from tests.support.golden.ranking_inputs import graded

METRICS = """
    hits hits@5 hits@5-l2 hit_rate hit_rate@1 hit_rate@1-l3 precision precision-l2 precision@5 precision@5-l2
    recall recall@5 recall@10-l3 f1 f1@5 f1@5-l2 r-precision r-precision-l2 bpref bpref-l2
    mrr mrr@10 mrr@10-l3 map map@10 map-l2 map@10-l2
    dcg dcg@10 dcg@10-l2 dcg_burges dcg_burges@10-l3 ndcg ndcg@10 ndcg@10-l2 ndcg@20-l3 ndcg_burges ndcg_burges@10-l2
""".split()
PERSISTENT = ["rbp.5", "rbp.8", "rbp.95"]  # grades are taken as they are: these only of grades 0 and 1


def make() -> object:
    """{metric: {topic: value}}."""
    from ranx import Qrels, Run, evaluate

    given = graded()
    binary = {topic: {doc: min(1, grade) for doc, grade in row.items()} for topic, row in given.qrels.items()}
    made: dict[str, dict[str, float]] = {}
    for qrels, metrics in ((given.qrels, METRICS), (binary, PERSISTENT)):
        run = Run(given.run)
        evaluate(Qrels(qrels), run, metrics)
        made |= {metric: {topic: float(run.scores[metric][topic]) for topic in given.run} for metric in metrics}
    return made


if __name__ == "__main__":
    save("ranx", make())
