"""Data that comes through standard input, a FIFO or process substitution; pandas where there is no pyarrow."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from cranfield.data import assess, read_qrels

QRELS = "1 0 a 1\n1 0 b 0\n2 0 c 2\n"
RUN = "1 Q0 x 1 3 t\n1 Q0 b 2 2 t\n1 Q0 a 3 2 t\n2 Q0 c 1 1 t\n"
RANKS = [2, 3, 1]  # b before a, because ties go by id from the top

SCRIPT = """
import sys
from cranfield.data import assess
found = assess(sys.argv[1], sys.argv[2])
print(found.rank.tolist(), found.runs[0])
"""


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "run.txt"
    qrels.write_text(QRELS)
    run.write_text(RUN)
    return qrels, run


@pytest.mark.parametrize("pack", [str.encode, lambda text: gzip.compress(text.encode())], ids=["plain", "gz"])
def test_a_dash_is_standard_input_for_the_run(files: tuple[Path, Path], pack: object) -> None:
    assert callable(pack)
    command = [sys.executable, "-c", SCRIPT, str(files[0]), "-"]
    done = subprocess.run(command, input=pack(RUN), capture_output=True, check=True)
    assert done.stdout.decode() == f"{RANKS} -\n"


def test_a_dash_is_standard_input_for_the_qrels(files: tuple[Path, Path]) -> None:
    command = [sys.executable, "-c", SCRIPT, "-", str(files[1])]
    done = subprocess.run(command, input=QRELS, capture_output=True, check=True, text=True)
    assert done.stdout == f"{RANKS} run\n"


def test_process_substitution_works_for_both(files: tuple[Path, Path]) -> None:
    line = f"{sys.executable} -c '{SCRIPT}' <(cat {files[0]}) <(gzip -c {files[1]})"
    done = subprocess.run(["bash", "-c", line], capture_output=True, check=True, text=True)
    assert done.stdout.startswith(str(RANKS))


def test_a_fifo_is_read_once_even_where_topics_are_scattered(files: tuple[Path, Path], tmp_path: Path) -> None:
    lines = RUN.splitlines(keepends=True)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = Thread(target=pipe.write_text, args=("".join([*lines[:1], *lines[3:], *lines[1:3]]),))
    writer.start()
    found = assess(files[0], pipe)
    writer.join()
    assert found.rank.tolist() == RANKS
    assert "W-SCATTERED" in [problem.code for problem in found.sources[1].problems.warnings]


def test_an_empty_pipe_is_an_empty_file() -> None:
    script = (
        "from cranfield.data import read_qrels\ntry: read_qrels('-')\nexcept ValueError as error: print(error.code)"
    )
    done = subprocess.run([sys.executable, "-c", script], input="", capture_output=True, check=True, text=True)
    assert done.stdout == "E-EMPTY\n"


PANDAS = """
import json, sys
sys.modules["pyarrow"] = None  # as if it were not installed
import pandas as pd
from cranfield.data import assess, read_qrels
cells = [[line.split() for line in text.splitlines()] for text in sys.argv[1:]]
qrels = pd.DataFrame(cells[0], columns=["qid", "0", "docno", "grade"])
run = pd.DataFrame(cells[1], columns=["qid", "Q0", "docno", "place", "score", "tag"])
out = {}
for dtype in ("object", "str", "string"):
    ids = {"qid": dtype, "docno": dtype}
    found = assess(qrels.astype(ids | {"grade": int}), run.astype(ids | {"score": float}))
    out[dtype] = [found.rank.tolist(), found.grade.tolist()]
judged = read_qrels(qrels)
out["numbers as text"] = [RANKS, judged.grade.tolist()]
print(json.dumps(out))
""".replace("RANKS", str(RANKS))


def test_pandas_needs_no_pyarrow() -> None:
    done = subprocess.run([sys.executable, "-c", PANDAS, QRELS, RUN], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    found = json.loads(done.stdout)
    assert list(found) == ["object", "str", "string", "numbers as text"]
    assert all(value == [RANKS, [1, 0, 2]] for value in found.values())


def test_reading_text_loads_no_frame_library(files: tuple[Path, Path]) -> None:
    script = SCRIPT + "print(sorted({'polars', 'pandas', 'pyarrow', 'scipy'} & set(sys.modules)))"
    command = [sys.executable, "-c", script, *map(str, files)]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    assert done.stdout.splitlines()[1] == "[]"


def test_the_digest_is_that_of_the_bytes_however_they_come(files: tuple[Path, Path], tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = Thread(target=pipe.write_text, args=(QRELS,))
    writer.start()
    through_pipe = read_qrels(pipe).source.digest
    writer.join()
    assert through_pipe == read_qrels(files[0]).source.digest
    files[0].write_text(QRELS + "3 0 a 1\n")
    assert through_pipe != read_qrels(files[0]).source.digest
