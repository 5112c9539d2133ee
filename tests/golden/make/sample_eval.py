"""Makes sample_eval.json: what NIST's sample_eval.pl says of xinfAP and infNDCG, of each topic.

There are two of the script. TREC's (its change log ends on 10 October 2011) rounds how many documents of a grade are
to be expected, TRECVID's (up to 5 September 2012) takes at most 1000 relevant documents: infNDCG is from the first,
xinfAP (there: infAP) from the second. Both are asked for twelve decimals instead of four. They need perl.
Run from the root: SAMPLE_EVAL=/path/of/TREC/sample_eval.pl SAMPLE_EVAL_TRECVID=/path/of/TRECVID/sample_eval.pl
    python -m tests.golden.make.sample_eval
"""

import os
import subprocess
import tempfile
from pathlib import Path

from tests.golden.make.writing import save
from tests.support.golden.stratified_inputs import files, sampled

Found = dict[str, dict[str, float]]  # measure: topic: value


def make() -> object:
    """{measure: {run: {topic: value}}}."""
    made: dict[str, dict[str, dict[str, float]]] = {"xinfAP": {}, "infNDCG": {}}
    for run in sampled().runs:
        trec, trecvid = (asked(os.environ[name], run) for name in ("SAMPLE_EVAL", "SAMPLE_EVAL_TRECVID"))
        few = [topic for topic, relevant in trec["inum_rel"].items() if relevant <= 1000]
        assert all(trec["infAP"][topic] == trecvid["infAP"][topic] for topic in few)
        made["xinfAP"][run], made["infNDCG"][run] = trecvid["infAP"], trec["infNDCG"]
    return made


def asked(program: str, run: str) -> Found:
    """What the script prints of each topic."""
    text = Path(program).read_text(encoding="utf-8").replace("%6.4f", "%.12f").replace("%14.4f", "%.12f")
    with tempfile.TemporaryDirectory() as folder:
        command = ["perl", "-", "-q", *map(str, files(sampled(), run, Path(folder)))]
        printed = subprocess.run(command, check=True, capture_output=True, text=True, input=text).stdout
    found: Found = {}
    for name, topic, value in map(str.split, printed.splitlines()):
        if topic != "all":
            found.setdefault(name, {})[topic] = float(value)
    return found


if __name__ == "__main__":
    save("sample_eval", make())
