"""cranfield convert: what goes in comes out, in every format."""

import bz2
import gzip
import json
import lzma
from itertools import pairwise
from pathlib import Path

import pytest

import cranfield as cf
from tests.support.cli.commands import RUN, Command

WITH_SCORES = ["txt", "run", "json", "jsonl", "parquet", "csv", "trec.gz", "csv.bz2", "json.xz"]
READ = [suffix for suffix in WITH_SCORES if suffix not in ("csv.bz2", "json.xz")]  # tables are read unpacked


def run_rows(path: Path) -> list[tuple[object, ...]]:
    table = cf.read_run(path).to_table()
    return [tuple(row[name] for name in ("topic", "document", "rank", "score")) for row in table.rows()]


def qrels_rows(path: Path) -> list[tuple[object, ...]]:
    return [tuple(row.values()) for row in cf.read_qrels(path).to_table().rows()]


def test_a_run_goes_round(campaign: Path, here: Path, cranfield: Command) -> None:
    source = campaign / "runs" / "cedar-1.txt"
    expected = run_rows(source)
    assert len(expected) == 400
    files = [source, *(here / f"cedar.{suffix}" for suffix in READ)]
    for before, after in pairwise(files):
        ended = cranfield("convert", str(before), str(after))
        assert (ended.code, ended.out) == (0, "")
        assert ended.err == f"{after}: 400 rows, 8 topics\n"
        assert run_rows(after) == expected


def test_ties_keep_their_order(here: Path, cranfield: Command) -> None:
    (here / "run.txt").write_bytes(b"1 Q0 a 1 0.5 me\n1 Q0 c 2 0.5 me\n1 Q0 b 3 0.5 me\n")
    for ties, order in (("trec", "cba"), ("docno-asc", "abc"), ("input", "acb")):
        assert cranfield("convert", "run.txt", "out.csv", "--ties", ties).code == 0
        assert "".join(line.split(",")[1] for line in (here / "out.csv").read_text().splitlines()[1:]) == order


def test_qrels_go_round(campaign: Path, here: Path, cranfield: Command) -> None:
    source = campaign / "qrels.txt"
    expected = qrels_rows(source)
    files = [source, *(here / f"qrels.{suffix}" for suffix in (*READ, "tsv", "tsv.gz", "qrels"))]
    for before, after in pairwise(files):
        ended = cranfield("convert", str(before), str(after))
        assert ended.code == 0, ended.err
        assert ended.err == f"{after}: {len(expected)} rows, 8 topics\n"
        assert qrels_rows(after) == expected


def test_ms_marco_keeps_ranks_and_says_so(campaign: Path, here: Path, cranfield: Command) -> None:
    source = campaign / "runs" / "cedar-1.txt"
    ended = cranfield("convert", str(source), "cedar.tsv")
    assert ended.err == "cedar.tsv: 400 rows, 8 topics (MS MARCO keeps the ranks, not the scores)\n"
    assert [row[:3] for row in run_rows(here / "cedar.tsv")] == [row[:3] for row in run_rows(source)]


@pytest.mark.parametrize(
    ("suffix", "unpack"), [("gz", gzip.decompress), ("bz2", bz2.decompress), ("xz", lzma.decompress)]
)
def test_packing(suffix: str, unpack: object, here: Path, cranfield: Command) -> None:
    assert cranfield("convert", "run.txt", f"out.txt.{suffix}").code == 0
    assert callable(unpack)
    assert unpack((here / f"out.txt.{suffix}").read_bytes()) == RUN
    assert run_rows(here / f"out.txt.{suffix}") == run_rows(here / "run.txt")


def test_depth(here: Path, cranfield: Command) -> None:
    assert cranfield("convert", "run.txt", "top.json", "--depth", "1").err == "top.json: 2 rows, 2 topics\n"
    assert json.loads((here / "top.json").read_text()) == {"1": {"a": 2.5}, "2": {"c": 9.0}}


def test_decimal_grades(here: Path, cranfield: Command) -> None:
    (here / "qrels.txt").write_bytes(b"1 0 a 0.5\n")
    assert cranfield("convert", "qrels.txt", "out.json").code == 1
    assert cranfield("convert", "qrels.txt", "out.json", "--gains").code == 0
    assert json.loads((here / "out.json").read_text()) == {"1": {"a": 0.5}}


def test_subtopics(here: Path, cranfield: Command) -> None:
    lines = "1 s1 a 1\n1 s2 a 0\n2 s1 a 2\n"
    (here / "qrels.txt").write_text(lines)
    ended = cranfield("convert", "qrels.txt", "out.csv")
    assert (ended.code, "--subtopics" in ended.err) == (1, True)
    assert cranfield("convert", "qrels.txt", "out.csv", "--subtopics").code == 0
    assert (here / "out.csv").read_text().splitlines()[:2] == ["topic,subtopic,document,grade", "1,s1,a,1"]
    for before, after in pairwise(["out.csv", "out.jsonl", "out.parquet", "out.qrels"]):
        assert cranfield("convert", before, after, "--subtopics").code == 0
    assert (here / "out.qrels").read_text() == lines
    assert cranfield("convert", "qrels.txt", "out.json", "--subtopics").code == 1


def test_what_the_file_is_can_be_said(here: Path, cranfield: Command) -> None:
    (here / "judged.tsv").write_bytes(b"1\ta\t1\n1\tb\t2\n")
    assert cranfield("convert", "judged.tsv", "as-run.csv").code == 0
    assert (here / "as-run.csv").read_text().startswith("topic,document,rank,score\n")
    assert cranfield("convert", "judged.tsv", "as-qrels.csv", "--as", "qrels").code == 0
    assert (here / "as-qrels.csv").read_text().startswith("topic,document,grade\n")


def test_standard_input(process: Command, here: Path) -> None:
    ended = process("convert", "-", "out.json", "--as", "run", stdin=RUN)
    assert (ended.code, ended.err) == (0, "out.json: 4 rows, 2 topics\n")
    assert json.loads((here / "out.json").read_text())["1"] == {"a": 2.5, "x": 1.5}


def test_a_failure_leaves_the_old_file(here: Path, cranfield: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "out.csv").write_text("what was there\n")

    def full(self: Path, data: bytes) -> int:
        with self.open("wb") as file:
            file.write(data[:10])
        raise OSError(28, "No space left on device", str(self))

    monkeypatch.setattr(Path, "write_bytes", full)
    ended = cranfield("convert", "run.txt", "out.csv")
    assert ended.code == 1
    assert ended.err == (
        "error: out.csv: writing failed: No space left on device\nhint: check the permissions and the disk\n"
    )
    assert (here / "out.csv").read_text() == "what was there\n"
    assert sorted(path.name for path in here.iterdir()) == ["out.csv", "qrels.txt", "run.txt"]


def test_a_bad_run_is_not_converted(here: Path, cranfield: Command) -> None:
    (here / "run.txt").write_bytes(RUN.replace(b"1.5", b"NaN"))
    ended = cranfield("convert", "run.txt", "out.csv")
    assert ended.code == 1
    assert ended.err.startswith('error: run.txt:2: score "NaN" is not a finite number')
    assert not (here / "out.csv").exists()
