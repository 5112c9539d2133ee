"""cranfield fuse, as a user runs it."""

import gzip
import json
import shutil
from pathlib import Path

import pytest

import cranfield as cf
from tests.support.cli.commands import RUN, Command, expect_refusal

OTHER = b"1 Q0 x 1 7 other\n1 Q0 b 2 6 other\n2 Q0 y 1 5 other\n3 Q0 z 1 4 other\n"
# run.txt has a, x and c, y; the other x, b and y and z: 1/61 + 1/62 for x and y.
FUSED = [("1", "x", 1 / 62 + 1 / 61), ("1", "a", 1 / 61), ("1", "b", 1 / 62)]
FUSED += [("2", "y", 1 / 62 + 1 / 61), ("2", "c", 1 / 61), ("3", "z", 1 / 61)]
LACKS = "note: run.txt: 1 of 3 topics is missing (3); there the other runs are fused without it\n"


@pytest.fixture(autouse=True)
def other(here: Path) -> Path:
    (here / "other.txt").write_bytes(OTHER)
    return here / "other.txt"


def rows(path: Path) -> list[tuple[object, ...]]:
    return [tuple(row[name] for name in ("topic", "document", "score")) for row in cf.read_run(path).to_table().rows()]


def test_text_on_standard_output(cranfield: Command) -> None:
    ended = cranfield("fuse", "run.txt", "other.txt")
    assert (ended.code, ended.err) == (0, LACKS)
    ranks = [1, 2, 3, 1, 2, 1]
    lines = [f"{t} Q0 {d} {r} {s!r} rrf" for (t, d, s), r in zip(FUSED, ranks, strict=True)]
    assert ended.out.splitlines() == lines


@pytest.mark.parametrize("suffix", ["txt", "run", "json", "jsonl", "csv", "parquet", "txt.gz"])
def test_the_name_of_the_file_says_the_format(suffix: str, here: Path, cranfield: Command) -> None:
    ended = cranfield("fuse", "run.txt", "other.txt", "-o", f"both.{suffix}")
    assert (ended.code, ended.out) == (0, "")
    assert ended.err == f"both.{suffix}: 6 rows, 3 topics\n{LACKS}"
    assert rows(here / f"both.{suffix}") == FUSED


def test_ms_marco_keeps_ranks_and_says_so(here: Path, cranfield: Command) -> None:
    ended = cranfield("fuse", "run.txt", "other.txt", "-o", "both.tsv")
    assert ended.err.splitlines()[0] == "both.tsv: 6 rows, 3 topics (MS MARCO keeps the ranks, not the scores)"
    assert (here / "both.tsv").read_text().splitlines()[0] == "1\tx\t1"


@pytest.mark.parametrize(
    ("words", "tag"),
    [
        ([], "rrf"),
        (["--method", "combmnz(norm='z-score')"], "combmnz"),
        (["--name", "ours"], "ours"),
        (["--name", "our best run"], "our-best-run"),
        (["-o", "runs.of.two.txt"], "runs.of.two"),
        (["-o", "two.run.gz", "--name", "2"], "2"),
    ],
)
def test_the_tag(words: list[str], tag: str, here: Path, cranfield: Command) -> None:
    text = cranfield("fuse", "run.txt", "other.txt", *words).out
    if "-o" in words:
        file = here / words[1]
        text = gzip.decompress(file.read_bytes()).decode() if file.suffix == ".gz" else file.read_text()
    assert {line.split(" ", 5)[5] for line in text.splitlines()} == {tag}


def test_methods_and_depth(here: Path, cranfield: Command) -> None:
    assert cranfield("fuse", "run.txt", "other.txt", "--method", "isr", "--depth", "1", "-o", "top.json").code == 0
    assert json.loads((here / "top.json").read_text()) == {"1": {"x": 1.0}, "2": {"y": 1.0}, "3": {"z": 1.0}}
    assert cranfield("fuse", "run.txt", "other.txt", "--method", "CombSUM(norm='none')", "-o", "sum.json").code == 0
    assert json.loads((here / "sum.json").read_text())["1"] == {"x": 8.5, "b": 6.0, "a": 2.5}


def test_ties_of_the_runs(here: Path, cranfield: Command) -> None:
    (here / "tied.txt").write_bytes(b"1 Q0 a 1 5 t\n1 Q0 x 2 5 t\n")
    for ties, rank in (("trec", 2), ("docno-asc", 1), ("input", 1), ("rank", 1)):
        ended = cranfield("fuse", "tied.txt", "run.txt", "--ties", ties, "--method", "rrf(k=0)")
        found = {line.split()[2]: float(line.split()[4]) for line in ended.out.splitlines() if line.startswith("1 ")}
        assert found["a"] == 1 / rank + 1


def test_a_folder_and_the_notes(campaign: Path, here: Path, cranfield: Command) -> None:
    shutil.copytree(campaign / "runs", here / "runs")
    for i in range(5):
        (here / "runs" / f"short{i}.txt").write_text("301 Q0 x 1 1 s\n")
    ended = cranfield("fuse", "runs", "-o", "all.txt")
    assert ended.code == 0
    said = ended.err.splitlines()
    assert said[0].startswith("all.txt: ")
    assert said[1].startswith("note: runs/")
    lacking = [run for run in (cf.read_run(path) for path in sorted((here / "runs").iterdir())) if len(run.topics) < 8]
    assert said[-1] == f"note: {len(lacking) - 3} more runs lack topics that others have"
    assert len(said) == 5


def test_one_more_run_lacks_topics(here: Path, cranfield: Command) -> None:
    for i in range(3):
        (here / f"short{i}.txt").write_text("1 Q0 x 1 1 s\n")
    ended = cranfield("fuse", "other.txt", "run.txt", "short0.txt", "short1.txt", "short2.txt")
    assert ended.err.splitlines()[-1] == "note: 1 more run lacks topics that others have"


def test_standard_input(process: Command) -> None:
    ended = process("fuse", "-", "other.txt", stdin=RUN)
    assert ended.code == 0
    assert ended.out.startswith("1 Q0 x 1 ")
    assert process("fuse", "run.txt", "other.txt", "-o", "/dev/stdout").out == ended.out


def test_what_is_written_is_what_is_evaluated(campaign: Path, here: Path, cranfield: Command) -> None:
    runs = [str(campaign / "runs" / name) for name in ("cedar-1.txt", "cedar-2.txt", "aurora-1.txt")]
    assert cranfield("fuse", *runs, "-o", "fused.txt").code == 0
    qrels = str(campaign / "qrels.txt")
    kept = cf.evaluate(qrels, cf.fuse(runs), "AP nDCG@10")
    assert cf.evaluate(qrels, here / "fused.txt", "AP nDCG@10").cube.tolist() == kept.cube.tolist()


GOOD = "run.txt other.txt"


@pytest.mark.parametrize(
    ("words", "code", "error", "hint"),
    [
        ("", 2, "RUN is missing", None),
        ("run.txt", 1, "1 run cannot be fused", "give two runs or more"),
        ("run.txt mising.txt", 1, "mising.txt: there is no such file", None),
        ("run.txt othr.txt", 1, "othr.txt: there is no such file", "did you mean other.txt?"),
        ("run.txt empty.txt", 1, "empty.txt: the file has no lines of data", None),
        ("run.txt columns.txt", 1, 'columns.txt:1: 5 columns where a run has 6: "1 Q0 a 1 2.5"', None),
        (
            "run.txt nan.txt",
            1,
            'nan.txt:2: score "NaN" is not a finite number (topic 1, document x)',
            "a run line reads: topic Q0 document rank score tag",
        ),
        ("run.txt twice.txt", 1, "twice.txt:2: document a stands twice in topic 1 (first on line 1)", None),
        ("run.txt foreign.txt", 1, "run.txt: no topic of the run is in another run (it has 1, 2)",
         "the others have 9: do they belong together?"),
        ("run.txt run.txt", 1, "run.txt: two runs have this name", "give every run a name of its own"),
        (f"{GOOD} -o run.txt", 1, "run.txt: this file is one of the runs", "write to another file: -o fused.run"),
        (f"{GOOD} -o link.txt", 1, "link.txt: this file is one of the runs", "write to another file: -o fused.run"),
        (f"run.json {GOOD} -o run.json", 1, "run.json: this file is one of the runs",
         "write to another file: -o fused.run"),
        (f"{GOOD} -o .", 1, ".: this is a folder, not a file", "name a file in it"),
        (f"{GOOD} -o no/fused.run", 1, "no/fused.run: there is no folder no", "make it first: mkdir -p no"),
        (f"{GOOD} -o fused.doc", 1, "fused.doc: no format ends in .doc", None),
        (f"{GOOD} --method borda", 1, "there is no fusion named 'borda'", "there are: rrf, combsum, combmnz, isr"),
        (f"{GOOD} --method rrf(k=-1)", 1, "rrf cannot have k=-1", "k is a number from 0 up"),
        (f"{GOOD} --depth 0", 2, "--depth cannot be 0", "give a whole number, 1 or more"),
        (f"{GOOD} --ties average", 2, "--ties cannot be average", "choose one of: trec, docno-asc, input, rank"),
    ],
    ids=str,
)  # fmt: skip
def test_refusals(words: str, code: int, error: str, hint: str | None, here: Path, cranfield: Command) -> None:
    (here / "empty.txt").write_bytes(b"")
    (here / "columns.txt").write_bytes(b"1 Q0 a 1 2.5\n1 Q0 b 2 2.0 t\n")
    (here / "nan.txt").write_bytes(RUN.replace(b"1.5", b"NaN"))
    (here / "twice.txt").write_bytes(b"1 Q0 a 1 2.5 t\n1 Q0 a 2 2.0 t\n")
    (here / "foreign.txt").write_bytes(b"9 Q0 a 1 2.5 t\n")
    (here / "run.json").write_text('{"1": {"a": 1.5}}')
    (here / "link.txt").symlink_to("other.txt")
    before = {path: path.read_bytes() for path in here.iterdir()}
    expect_refusal(cranfield("fuse", *words.split()), code, error, hint)
    assert {path: path.read_bytes() for path in here.iterdir()} == before


def test_the_help_lists_the_methods(cranfield: Command) -> None:
    text = cranfield("fuse", "--help").out
    for written in ("rrf(k=60)", "combsum(norm='min-max')", "combmnz(norm='min-max')", "isr", "Σ 1/rank²", "'z-score'"):
        assert written in text
