"""Where runs are found, what they are called, and what is kept of their files."""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from cranfield.core import InputError, ParameterError
from cranfield.data import RunFile, assess, find_runs, read_qrels, read_run, run_name
from tests.support.simulations.random_campaigns import write_qrels, write_run

RUN = {"1": {"a": 2.0, "b": 1.0}}
QRELS = {"1": {"a": 1, "b": 0}}


def names(data: Any) -> list[str]:
    return [run.name for run in find_runs(data)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two groups with runs of one name, and a file that is no run."""
    monkeypatch.chdir(tmp_path)
    for path in ("uva/bm25.txt", "uva/dense.run.gz", "tno/bm25.txt", "uva/.hidden"):
        Path(path).parent.mkdir(exist_ok=True)
        write_run(Path(path), RUN)
    (tmp_path / "uva" / "notes").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("bm25.txt", "bm25"),
        ("bm25", "bm25"),
        ("a/b/bm25.run.gz", "bm25"),
        ("input.bm25.res.zst", "input.bm25"),
        ("v1.2", "v1.2"),
        ("BM25.TXT", "BM25"),
        ("dense.parquet", "dense"),
        (".txt", ".txt"),
    ],
)
def test_a_run_is_called_by_its_file_without_suffixes(file: str, name: str) -> None:
    assert run_name(Path(file)) == name


def test_a_folder_holds_its_files_but_no_hidden_ones_and_no_folders(folder: Path) -> None:
    assert names("uva") == ["bm25", "dense"]
    assert names(folder / "uva") == ["bm25", "dense"]


def test_a_pattern_holds_what_fits(folder: Path) -> None:
    assert names("uva/d*") == ["dense"]
    assert names(str(folder / "*" / "dense*")) == ["dense"]
    assert names("**/dense*") == ["dense"]


def test_a_file_whose_name_looks_like_a_pattern_is_a_file(folder: Path) -> None:
    write_run(folder / "run[1].txt", RUN)
    assert names("run[1].txt") == ["run[1]"]


def test_files_of_one_name_are_told_apart_by_their_paths(folder: Path) -> None:
    assert names("*/bm25.txt") == ["tno/bm25", "uva/bm25"]
    assert names(["uva/bm25.txt", "tno/bm25.txt", "uva/dense.run.gz"]) == ["uva/bm25", "tno/bm25", "dense"]
    write_run(folder / "uva" / "bm25.run", RUN)
    assert names(["uva/bm25.txt", "uva/bm25.run"]) == ["uva/bm25.txt", "uva/bm25.run"]


def test_the_same_file_twice_is_refused(folder: Path) -> None:
    with pytest.raises(InputError) as caught:
        find_runs(["uva/bm25.txt", "uva/bm25.txt"])
    assert caught.value.code == "E-NAMES"
    assert str(caught.value) == "uva/bm25.txt: two runs have this name\nhint: give every run a name of its own"


def test_runs_in_memory_are_numbered(folder: Path) -> None:
    assert names([RUN, RUN]) == ["run1", "run2"]
    assert names([read_run(RUN, name="x"), read_run(RUN, name="x"), read_run(RUN, name="y")]) == ["x-1", "x-2", "y"]
    assert names(["uva/bm25.txt", read_run("uva/bm25.txt")]) == ["uva/bm25", "bm25"]


def test_a_dict_names_its_runs(folder: Path) -> None:
    frame = pl.DataFrame({"topic": ["1"], "document": ["a"], "score": [1.0]})
    mixed = {"first": "uva/bm25.txt", "second": RUN, "third": frame, "fourth": read_run(RUN), 5: frame.to_dict()}
    assert names(mixed) == ["first", "second", "third", "fourth", "5"]


@pytest.mark.parametrize(
    "data",
    [RUN, {"1": {}, "2": {"a": 1.0}}, {"topic": ["1"], "document": ["a"], "score": [1.0]}, {1: {2: np.float32(3)}}],
    ids=["dicts", "first topic empty", "columns", "numbers"],
)
def test_a_dict_may_be_one_run(data: Any) -> None:
    assert names(data) == ["run1"]


@pytest.mark.parametrize(
    "data",
    [{"x": RUN}, {"x": {"topic": ["1"], "document": ["a"], "score": [1.0]}}, {"x": {"1": {}, "2": {"a": 1}}}],
    ids=["dicts", "columns", "first topic empty"],
)
def test_a_dict_may_hold_one_run(data: Any) -> None:
    assert names(data) == ["x"]


def test_a_file_is_not_read_before_it_is_needed() -> None:
    assert find_runs("nowhere.txt") == [RunFile("nowhere", Path("nowhere.txt"))]


def test_the_tag_and_the_name_of_the_file_are_kept(tmp_path: Path) -> None:
    path = write_run(tmp_path / "run.txt", RUN, tag="uva-bm25")
    for source in (read_run(path).source, assess(QRELS, path).sources[1]):
        assert (source.tag, source.kind, source.name) == ("uva-bm25", "run", str(path))
        assert source.as_input().digest == source.digest


HEADER = "# ir_metadata.start\n# team: uva\n# ir_metadata.end\n"


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gz"])
def test_the_header_of_a_run_is_kept(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = write_run(tmp_path / "run.txt", RUN)
    path.write_bytes(pack(HEADER.encode() + path.read_bytes() + b"# late\n"))
    assert read_run(path).source.header == HEADER
    assert assess(QRELS, path).sources[1].header == HEADER


def test_the_header_of_qrels_is_kept(tmp_path: Path) -> None:
    path = write_qrels(tmp_path / "qrels.txt", QRELS)
    path.write_text("# judged by NIST\n" + path.read_text())
    assert read_qrels(path).source.header == "# judged by NIST\n"


def test_read_run_reads_one_run_in_rank_order_to_a_depth(tmp_path: Path) -> None:
    scores = {"2": {"a": 1.0, "c": 3.0, "b": 3.0}, "1": {"a": 0.5}}
    for data in (scores, write_run(tmp_path / "run.txt", scores)):
        run = read_run(data, name="mine")
        assert (run.name, len(run), run.topics.to_list()) == ("mine", 4, ["2", "1"])
        assert run.document.to_list() == ["c", "b", "a", "a"]
        assert (run.rank.tolist(), run.score.tolist()) == ([1, 2, 3, 1], [3.0, 3.0, 1.0, 0.5])
        assert read_run(data, depth=2).document.to_list() == ["c", "b", "a"]
        assert read_run(data, ties="docno-asc", depth=1).document.to_list() == ["b", "a"]
        assert [tuple(row.values()) for row in run.to_table().rows()][1] == ("2", "b", 2, 3.0)


def test_read_run_refuses_several() -> None:
    with pytest.raises(ParameterError) as caught:
        read_run([RUN, RUN])
    expected = "there are 2 runs where one is meant: run1, run2\nhint: read one run at a time; find_runs finds them all"
    assert str(caught.value) == expected


def test_rows_of_assessed_runs_are_run_by_run(tmp_path: Path) -> None:
    found = assess(QRELS | {"2": {"a": 1}}, {"x": RUN, "y": {"2": {"b": 1.0, "a": 0.5}}})
    assert (found.runs, found.topics) == (("x", "y"), ("1", "2"))
    assert found.retrieved.tolist() == [2, 0, 0, 2]
    assert found.missing.tolist() == [[False, True], [True, False]]
    assert [source.name for source in found.sources] == ["qrels", "x", "y"]


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_many_runs_come_in_their_order_on_any_number_of_threads(tmp_path: Path, threads: int) -> None:
    (tmp_path / "runs").mkdir()
    for i in range(20):
        write_run(tmp_path / "runs" / f"r{i:02}.txt", {"1": {f"x{j}": 99.0 - j for j in range(i)} | {"a": 1.0}})
    seen: list[tuple[int, int]] = []
    found = assess(QRELS, tmp_path / "runs", threads=threads, progress=lambda done, total: seen.append((done, total)))
    assert found.runs == tuple(f"r{i:02}" for i in range(20))
    assert found.rank.tolist() == list(range(1, 21))
    size = sum(path.stat().st_size for path in (tmp_path / "runs").iterdir())
    assert seen[-1] == (size, size)
