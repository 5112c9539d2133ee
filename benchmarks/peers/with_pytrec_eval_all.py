"""pytrec_eval-terrier with everything that trec_eval's ``all_trec`` holds; means over all judged topics."""

import json
import sys
from pathlib import Path

import pytrec_eval

# Text, not a number.
LEFT_OUT = {"relstring", "runid"}


def main(qrels: str, runs: list[str]) -> None:
    """Print one JSON object: run → measure → mean, in trec_eval's own names."""
    with Path(qrels).open() as file:
        judged = pytrec_eval.parse_qrel(file)
    evaluator = pytrec_eval.RelevanceEvaluator(judged, pytrec_eval.supported_measures - LEFT_OUT)
    out = {}
    for run in runs:
        with Path(run).open() as file:
            values = evaluator.evaluate(pytrec_eval.parse_run(file))
        names = next(iter(values.values()))
        out[Path(run).stem] = {name: sum(v[name] for v in values.values()) / len(judged) for name in names}
    print(json.dumps(out))


main(sys.argv[1], sys.argv[2:])
