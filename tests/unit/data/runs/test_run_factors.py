"""Tables of factors and of replicates: what is read, and every refusal to the letter."""

import gzip
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from cranfield.data import read_factors, read_replicates
from tests.support.expected_errors import check

GRID = "run,stemmer,model\nr1,none,bm25\nr2, porter ,bm25\nr3,none,lm\n"
ROWS = {"run": ["r1", "r2", "r3"], "stemmer": ["none", "porter", "none"], "model": ["bm25", "bm25", "lm"]}
FILES: dict[str, Callable[[Path], object]] = {
    "grid.csv": lambda path: path.write_text(GRID),
    "turned.csv": lambda path: path.write_text("stemmer,System,model\nnone,r1,bm25\nporter,r2,bm25\nnone,r3,lm\n"),
    "packed.csv.gz": lambda path: path.write_bytes(gzip.compress(GRID.encode())),
    "grid.parquet": lambda path: pl.DataFrame(ROWS).write_parquet(path),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_says_what_runs_are_made_of(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    FILES[name](path)
    found = read_factors(path)
    assert found.runs == ("r1", "r2", "r3")
    assert found.names == ("stemmer", "model")
    assert found.levels == (("none", "porter", "none"), ("bm25", "bm25", "lm"))
    assert (found.source.name, found.source.kind) == (str(path), "factors")
    assert repr(found) == f"Factors({str(path)!r}: stemmer, model of 3 runs)"


def test_so_do_frames_and_dictionaries() -> None:
    of_frame, of_dict = read_factors(pl.DataFrame(ROWS)), read_factors(ROWS)
    assert of_frame.levels == of_dict.levels == (("none", "porter", "none"), ("bm25", "bm25", "lm"))
    assert of_frame.source.digest == of_dict.source.digest
    assert of_frame.source.digest != read_factors({**ROWS, "model": ["bm25", "lm", "lm"]}).source.digest
    assert read_factors({"run": ["a", "b"], "size": [7, 13]}).levels == (("7", "13"),)


def test_factors_follow_the_runs() -> None:
    found = read_factors(ROWS).of(("r3", "r1"))
    assert (found.runs, found.names) == (("r3", "r1"), ("stemmer", "model"))
    assert found.levels == (("none", "none"), ("lm", "bm25"))
    hint = "give every run a row; there are rows for r1, r2, r3"
    check(lambda: read_factors(ROWS).of(["r1", "r9"]), "E-FACTOR", "factors: there is no row for run r9", hint)


ROW = "a row reads: run, then the level of each factor"


@pytest.mark.parametrize(
    ("text", "code", "problem", "hint"),
    [
        ("name,group\nr1,a\n", "E-COLUMNS", "{}: there is no column for the run", "there are: name, group"),
        ("run\nr1\n", "E-EMPTY", "{}: there is no factor", ROW),
        ("run,group\n", "E-EMPTY", "{}: there is no run", ROW),
        ("", "E-EMPTY", "{}: the file has no rows", "is it the right file?"),
        ("run,group\nr1,a\nr2,\n", "E-FACTOR", "{}:3: run r2 has no level of group", ROW),
        ("run,group\nr1,a\n,b\n", "E-FACTOR", "{}:3: the row has no run", ROW),
        ("run,group\nr1,a\nr1,b\n", "E-NAMES", "{}:3: run r1 has two rows", "keep one row for each run"),
        (
            "run,system,group\nr1,s,a\n",
            *("E-COLUMNS", "{}: a factor cannot be called system"),
            "a row of every analysis has that name: choose another",
        ),
        (
            "run,group,group\nr1,a,b\n",
            *("E-NAMES", "{}: two columns are called group", "give every run a name of its own"),
        ),
    ],
)
def test_a_wrong_table_of_factors_is_refused(text: str, code: str, problem: str, hint: str, tmp_path: Path) -> None:
    path = tmp_path / "grid.csv"
    path.write_text(text)
    check(lambda: read_factors(path), code, problem.format(path), hint)


@pytest.mark.parametrize("read", [read_factors, read_replicates])
def test_a_file_that_is_not_there(read: Callable[[str], object]) -> None:
    hint = "check the name of the file"
    check(lambda: read("no.csv"), "E-MISSING", "no.csv: there is no such file", hint)


SHARDS = "topic,shard,bm25,lm\n301,a,.1,.2\n302,a,.3,.4\n302,b,.7,.8\n301,b,.5,.6\n"


@pytest.mark.parametrize(
    "text", [SHARDS, SHARDS.replace("shard", "Replicate").replace("topic", "qid"), SHARDS.replace("shard", "seed")]
)
def test_replicates_become_a_cube(text: str, tmp_path: Path) -> None:
    path = tmp_path / "shards.csv"
    path.write_text(text)
    found = read_replicates(path, measure="AP")
    assert (found.runs, found.topics, found.replicates) == (("bm25", "lm"), ("301", "302"), ("a", "b"))
    # (replicate, topic, run), though the rows of replicate b stand the other way round
    assert found.cube.tolist() == [[[0.1, 0.2], [0.3, 0.4]], [[0.5, 0.6], [0.7, 0.8]]]
    (source,) = found.made_by.inputs
    assert (source.name, source.kind, found.made_by.measures) == (str(path), "replicates", ("AP",))
    assert repr(found) == "Replicated(AP: 2 runs, 2 topics, 2 replicates)"


def test_replicates_from_a_frame_and_from_parquet(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [0.1, 0.3], "topic": [7, 7], "variant": [1, 2]})
    path = tmp_path / "variants.parquet"
    frame.write_parquet(path)
    for found in (read_replicates(frame), read_replicates(path)):
        assert (found.runs, found.topics, found.replicates) == (("a",), ("7",), ("1", "2"))
        assert found.cube.tolist() == [[[0.1]], [[0.3]]]


CELL = "a row reads: topic, replicate, then the score of each run"
NEEDS = "every topic needs every replicate: fill it in, or leave the topic out"


@pytest.mark.parametrize(
    ("text", "code", "problem", "hint"),
    [
        (
            "topic,a,b\n1,.1,.2\n",
            "E-COLUMNS",
            "{}: there is no column for the replicate",
            f"{CELL}; there are: topic, a, b",
        ),
        ("seed,a\n1,.1\n", "E-COLUMNS", "{}: there is no column for the topic", f"{CELL}; there are: seed, a"),
        ("topic,seed\n1,1\n", "E-EMPTY", "{}: there are no scores", CELL),
        ("topic,seed,a\n", "E-EMPTY", "{}: there are no scores", CELL),
        ("topic,seed,a\n1,1,.1\n1,2,.1\n2,1,.2\n", "E-REPLICATE", "{}: topic 2 has no row for replicate 2", NEEDS),
        (
            "topic,seed,a\n1,1,.1\n1,2,.1\n1,1,.2\n",
            *("E-REPLICATE", "{}:4: topic 1 has two rows for replicate 1", "keep one row for each"),
        ),
        ("topic,seed,a\n1,1,.1\n,2,.1\n", "E-REPLICATE", "{}:3: the row has no topic", CELL),
        ("topic,seed,a\n1,1,.1\n1,,.1\n", "E-REPLICATE", "{}:3: the row has no replicate", CELL),
        (
            "topic,seed,a\n1,1,.1\n2,1,.1\n",
            *("E-REPLICATE", "{}: there is one replicate of each topic"),
            "without a column for the replicate the scores are a matrix of topics and runs",
        ),
        (
            "topic,seed,a\n1,1,.1\n1,2,high\n",
            *("E-SCORE", '{}:3: score "high" of run a in topic 1, replicate 2 is not a finite number'),
            "fill every cell: topics are rows, runs are columns",
        ),
        (
            "topic,seed,a,b\n1,1,.1,.1\n1,2,.1,\n",
            *("E-SCORE", "{}:3: run b has no score in topic 1, replicate 2"),
            "fill every cell: topics are rows, runs are columns",
        ),
    ],
)
def test_a_wrong_table_of_replicates_is_refused(text: str, code: str, problem: str, hint: str, tmp_path: Path) -> None:
    path = tmp_path / "seeds.csv"
    path.write_text(text)
    check(lambda: read_replicates(path), code, problem.format(path), hint)
