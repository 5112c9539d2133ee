"""Makes trectools.json: the understandability-biased bpref and RBP of trectools, topic by topic.

trectools is among no requirements. It has a folder of its own, and needs pandas:
pip install --no-deps --target /path/to/folder trectools==0.0.50 sarge beautifulsoup4 soupsieve
Run from the root: TRECTOOLS=/path/to/folder python -m tests.golden.make.trectools
"""

import os
import sys
import tempfile
from importlib import import_module
from pathlib import Path

from tests.golden.make.writing import save
from tests.support.golden.aspect_inputs import TOP, labelled, ranked

PERSISTENT: dict[str, dict[str, float]] = {"uRBP": {}, "uRBP(p=0.5)": {"p": 0.5}, "uRBP@5": {"depth": 5}}


def make() -> object:
    """{measure: {topic: value}}; ten decimals."""
    sys.path.append(os.environ["TRECTOOLS"])
    tools = import_module("trectools")
    with tempfile.TemporaryDirectory() as folder:
        names = [str(Path(folder, name)) for name in ("qrels", "other", "run")]
        for name, which in zip(names, (0, 1), strict=False):
            rows = [(t, d, told[which]) for t, documents in labelled().items() for d, told in documents.items()]
            Path(name).write_text("".join(f"{t} 0 {d} {grade}\n" for t, d, grade in rows), encoding="utf-8")
        lines = [(t, d, rank) for t, documents in ranked().items() for rank, d in enumerate(documents, 1)]
        Path(names[2]).write_text("".join(f"{t} Q0 {d} {rank} {-rank} m\n" for t, d, rank in lines), encoding="utf-8")
        qrels, other = (tools.TrecQrel(name) for name in names[:2])
        asked = tools.TrecEval(tools.TrecRun(names[2]), qrels)
        options = {"per_query": True, "normalization_factor": 1 / TOP}
        found = {"uBpref": asked.get_ubpref(other, **options)}
        found |= {name: asked.get_urbp(other, **options, **settings) for name, settings in PERSISTENT.items()}
    return {
        name: {str(topic): round(float(value), 10) for topic, value in values.iloc[:, 0].items()}
        for name, values in found.items()
    }


if __name__ == "__main__":
    save("trectools", make())
