"""pytrec_eval-terrier with everything that trec_eval's ``all_trec`` holds; means over all judged topics."""

import json
import sys
import time
from pathlib import Path

import pytrec_eval

# Text, not a number.
LEFT_OUT = {"relstring", "runid"}


def main(qrels: str, runs: list[str]) -> None:
    """Print one JSON object: the seconds without reading, and run → measure → mean, in trec_eval's own names."""
    with Path(qrels).open() as file:
        judged = pytrec_eval.parse_qrel(file)
    evaluator = pytrec_eval.RelevanceEvaluator(judged, pytrec_eval.supported_measures - LEFT_OUT)
    out: dict[str, object] = {}
    evaluating = 0.0
    for run in runs:
        with Path(run).open() as file:
            parsed = pytrec_eval.parse_run(file)
        started = time.perf_counter()
        values = evaluator.evaluate(parsed)
        evaluating += time.perf_counter() - started
        names = next(iter(values.values()))
        out[Path(run).stem] = {name: sum(v[name] for v in values.values()) / len(judged) for name in names}
    print(json.dumps({"evaluating": evaluating, **out}))


main(sys.argv[1], sys.argv[2:])
