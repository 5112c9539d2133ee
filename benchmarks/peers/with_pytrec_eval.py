"""pytrec_eval-terrier: one evaluator, one or many runs; means over all judged topics."""

import json
import sys
from pathlib import Path

import pytrec_eval

NAMES = {"AP": "map", "nDCG@10": "ndcg_cut_10", "RR@10": "recip_rank", "P@10": "P_10", "R@1000": "recall_1000"}


def main(qrels: str, runs: list[str]) -> None:
    """Print one JSON object: run → measure → mean."""
    with Path(qrels).open() as file:
        judged = pytrec_eval.parse_qrel(file)
    evaluator = pytrec_eval.RelevanceEvaluator(judged, set(NAMES.values()))
    out = {}
    for run in runs:
        with Path(run).open() as file:
            values = evaluator.evaluate(pytrec_eval.parse_run(file))
        for value in values.values():  # it has no cut-off for this one
            value["recip_rank"] *= value["recip_rank"] >= 1 / 10
        means = {m: sum(v[n] for v in values.values()) / len(judged) for m, n in NAMES.items()}
        out[Path(run).stem] = means
    print(json.dumps(out))


main(sys.argv[1], sys.argv[2:])
