"""cranfield lint, as a user runs it."""

import json
from pathlib import Path

import pytest

from tests.support.cli.commands import QRELS, RUN, Command

ROW = ["file", "line", "code", "severity", "message", "hint"]


def test_good_files_pass(cranfield: Command) -> None:
    ended = cranfield("lint", "qrels.txt", "run.txt")
    assert (ended.code, ended.err) == (0, "2 files: no problems\n")
    assert ended.out == "\t".join(ROW) + "\n"
    text = cranfield("lint", "qrels.txt", "run.txt", "--strict", "--format", "text")
    assert (text.code, text.out, text.err) == (0, "", "2 files: no problems\n")


def test_errors_fail(here: Path, cranfield: Command) -> None:
    (here / "run.txt").write_bytes(RUN + b"2 Q0 z 3 7.5 my run\n")
    ended = cranfield("lint", "run.txt")
    assert ended.code == 3
    assert ended.err == "error: 1 file: 1 error\nhint: the hint of each problem says how to mend it\n"


def test_warnings_fail_where_asked(here: Path, cranfield: Command) -> None:
    (here / "run.txt").write_bytes(RUN[:-1])
    ended = cranfield("lint", "qrels.txt", "run.txt")
    assert (ended.code, ended.err) == (0, "2 files: 1 warning\n")
    strict = cranfield("lint", "qrels.txt", "run.txt", "--strict")
    assert strict.code == 3
    assert strict.err.splitlines()[0] == "error: 2 files: 1 warning"
    assert strict.out == ended.out


def test_text_starts_with_the_place(here: Path, cranfield: Command) -> None:
    (here / "run.txt").write_bytes(RUN + b"2 Q0 z 3 7.5 my run")
    ended = cranfield("lint", "run.txt", "--format", "text")
    assert ended.out.splitlines() == [
        'run.txt:5: error: 7 columns where a run has 6: "2 Q0 z 3 7.5 my run" [E-FIELDS]',
        "    hint: a run line reads: topic Q0 document rank score tag",
        "run.txt:5: warning: the last line has no end of line [W-END]",
        "    hint: was the file cut short?",
    ]


def test_json_is_the_contract(here: Path, cranfield: Command) -> None:
    (here / "run.txt").write_bytes(RUN + b"2 Q0 z 3 7.5 my run")
    first = cranfield("lint", "qrels.txt", "run.txt", "--format", "json")
    assert first == cranfield("lint", "qrels.txt", "run.txt", "--format", "json")
    found = json.loads(first.out)
    assert list(found) == ["contract", "study", "verdict", "tables", "made_by"]
    assert (found["contract"], found["study"]) == (2, "lint")
    assert found["verdict"] == {"files": 2, "errors": 1, "warnings": 1, "sentence": "2 files: 1 error, 1 warning"}
    assert list(found["tables"]) == ["problems"]
    assert [list(row) for row in found["tables"]["problems"]] == [ROW, ROW]
    assert [row["severity"] for row in found["tables"]["problems"]] == ["error", "warning"]
    assert list(found["made_by"]) == ["version", "command", "inputs", "measures", "seed"]
    assert [source["kind"] for source in found["made_by"]["inputs"]] == ["qrels", "run"]


def test_a_folder_is_its_files(here: Path, cranfield: Command) -> None:
    (here / "runs").mkdir()
    (here / "runs" / "a.txt").write_bytes(RUN)
    (here / "runs" / "b.txt").write_bytes(b"")
    (here / "runs" / ".hidden").write_bytes(b"")
    ended = cranfield("lint", "qrels.txt", "runs")
    assert ended.err.splitlines()[0] == "error: 3 files: 1 error"
    assert ended.out.splitlines()[1].startswith("runs/b.txt\t0\tE-EMPTY\terror\t")


def test_files_that_are_not_there_are_problems_too(cranfield: Command) -> None:
    ended = cranfield("lint", "nothing.txt", "run.txt")
    assert ended.code == 3
    assert ended.out.splitlines()[1].startswith("nothing.txt\t0\tE-MISSING\terror\tthere is no such file\t")


def test_what_a_file_is_is_seen_from_its_columns(here: Path, cranfield: Command) -> None:
    files = {
        "judged.txt": QRELS,
        "decimal.txt": QRELS.replace(b" 1\n", b" 0.5\n"),
        "beir.tsv": b"query-id\tcorpus-id\tscore\n1\ta\t1\n2\tc\t2\n",
        "marco.tsv": b"1\ta\t1\n1\tb\t2\n2\tc\t1\n",
        "garbage.txt": b"a b c d e\n",
        "mixed.txt": RUN + b"1 Q0 z\n" * 200,
        "judged.csv": b"topic,document,grade\n1,a,1\n",
        "scored.csv": b"topic,document,score\n1,a,1.5\n",
    }
    for name, content in files.items():
        (here / name).write_bytes(content)
    found = json.loads(cranfield("lint", *files, "--format", "json").out)
    kinds = {source["name"]: source["kind"] for source in found["made_by"]["inputs"]}
    assert kinds == {
        "judged.txt": "qrels",
        "decimal.txt": "qrels",
        "beir.tsv": "qrels",
        "marco.tsv": "run",
        "garbage.txt": "run",
        "mixed.txt": "run",
        "judged.csv": "qrels",
        "scored.csv": "run",
    }


def test_three_columns_are_judgments_where_their_numbers_are_grades(here: Path, cranfield: Command) -> None:
    """The ranks of a topic differ; of four grades from 0 to 2, most are equal to another."""
    (here / "graded.tsv").write_text("".join(f"{topic}\td{i}\t{i % 3}\n" for topic in (1, 2) for i in range(8)))
    (here / "one.qrels").write_text("1\ta\t1\n2\tc\t1\n")
    (here / "tie.tsv").write_text("".join(f"1\td{i}\t{max(i, 2)}\n" for i in range(1, 21)))
    found = json.loads(cranfield("lint", "graded.tsv", "one.qrels", "tie.tsv", "--format", "json").out)
    kinds = {source["name"]: source["kind"] for source in found["made_by"]["inputs"]}
    assert kinds == {"graded.tsv": "qrels", "one.qrels": "qrels", "tie.tsv": "run"}


@pytest.mark.parametrize("suffix", ["txt", "csv"])
def test_grades_and_subtopics_are_read_as_evaluate_reads_them(suffix: str, here: Path, cranfield: Command) -> None:
    rows = [("1", "s1", "a", "0.5"), ("1", "s2", "a", "1"), ("1", "s1", "b", "0")]
    header = ["topic,iteration,document,grade"] * (suffix == "csv")
    text = [("," if header else " ").join(row) for row in rows]
    (here / f"judged.{suffix}").write_text("".join(f"{line}\n" for line in [*header, *text]))

    def codes(*options: str) -> list[str]:
        ended = cranfield("lint", f"judged.{suffix}", *options, "--format", "json")
        return [row["code"] for row in json.loads(ended.out)["tables"]["problems"]]

    assert codes() == ["E-DECIMAL"]
    assert codes("--gains") == ["E-CONFLICT"]
    assert codes("--subtopics") == ["E-DECIMAL"]
    assert codes("--gains", "--subtopics") == []


def test_the_result_can_be_kept(here: Path, cranfield: Command) -> None:
    for name in ("problems.json", "problems.csv", "problems.txt", "problems.md", "problems.parquet"):
        ended = cranfield("lint", "qrels.txt", "run.txt", "-o", name)
        assert (ended.code, ended.out, ended.err) == (0, "", "2 files: no problems\n")
        assert (here / name).exists()


def test_a_corpus_is_checked(here: Path, cranfield: Command) -> None:
    (here / "corpus.jsonl").write_text('{"_id": "a", "text": "same"}\n{"_id": "b", "text": "same"}\n')
    (here / "judged.txt").write_text("1 0 a 1\n1 0 b 0\n1 0 c 0\n")
    ended = cranfield("lint", "judged.txt", "--corpus", "corpus.jsonl", "--format", "json")
    codes = [row["code"] for row in json.loads(ended.out)["tables"]["problems"]]
    assert (ended.code, codes) == (0, ["W-ABSENT", "W-DUPTEXT", "W-DUPGRADE"])
    assert cranfield("lint", "judged.txt", "--corpus", "corpus.jsonl", "--strict").code == 3
    assert cranfield("lint", "judged.txt", "--corpus", "nothing.jsonl").code == 3
