"""ir_measures, through its own readers."""

import json
import sys
from pathlib import Path

import ir_measures


def main(qrels: str, runs: list[str]) -> None:
    """Print one JSON object: run → measure → mean."""
    measures = [ir_measures.parse_measure(name) for name in ("AP", "nDCG@10", "RR@10", "P@10", "R@1000")]
    judged = list(ir_measures.read_trec_qrels(qrels))
    evaluator = ir_measures.evaluator(measures, judged)
    out = {}
    for run in runs:
        means = evaluator.calc_aggregate(ir_measures.read_trec_run(run))
        out[Path(run).stem] = {str(measure): value for measure, value in means.items()}
    print(json.dumps(out))


main(sys.argv[1], sys.argv[2:])
