"""What is wrong with a file is said in two lines: the problem with its file and line, and what to do next."""

from pathlib import Path

import pytest

from cranfield.data import find_runs, read_qrels
from tests.support.expected_errors import IDS, check

SUBTOPICS = "if the second column is a subtopic, say so: --subtopics (subtopics=True)"
UTF8 = "convert the file, for example: iconv -f LATIN1 -t UTF-8 FILE"
UTF16 = "save it as UTF-8, for example: iconv -f UTF-16 -t UTF-8 FILE"


@pytest.mark.parametrize(
    ("file", "content", "code", "problem", "hint"),
    [
        (
            "q.json",
            '{"1":\n nonsense}',
            "E-JSON",
            "q.json:2: this is not JSON: Expecting value",
            'expected {"topic": {"document": 1}}',
        ),
        (
            "q.json",
            '{"1": {"a": 1, "a": 2}}',
            "E-DUPKEY",
            'q.json: the key "a" stands twice in one object',
            "keep one entry for each topic and document",
        ),
        (
            "q.json",
            '"1"',
            "E-JSON",
            "q.json: JSON of this shape holds no grades",
            'expected {"topic": {"document": 1}}',
        ),
        ("q.csv", "", "E-EMPTY", "q.csv: the file has no rows", "is it the right file?"),
        ("q.csv", "topic,document,grade\n1,a,1\n".encode("utf-16"), "E-UTF16", "q.csv: the text is UTF-16", UTF16),
        ("q.csv", "topic,document,grade\n1,é,1\n".encode("latin-1"), "E-UTF8", "q.csv:2: the line is not UTF-8", UTF8),
        (
            "q.csv",
            "topic,document,grade,grade\n1,a,1,0\n",
            "E-COLUMNS",
            "q.csv:1: two columns are called grade",
            "keep one of them, or give the other another name",
        ),
        (
            "q.csv",
            "topic;document;grade\n1;a;0,5\n",
            "E-COLUMNS",
            "q.csv:1: columns are separated by semicolons, not by commas",
            "save it with commas, and decimals with a point",
        ),
        (
            "q.csv",
            "topic\tdocument\tgrade\n1\ta\t1\n",
            "E-COLUMNS",
            "q.csv:1: columns are separated by tabs, not by commas",
            "save it with commas",
        ),
        ("q.csv", "topic,document,grade\n1,,1\n", "E-NULL", "q.csv: the column of the document: row 0 is null", IDS),
        (
            "q.txt",
            "1 0 a 0.5\n1 0 b 0.5\n",
            "E-DECIMAL",
            'q.txt:1: grade "0.5" is not a whole number (and 1 more error)',
            "if decimals are meant: --gains (in Python gains=True)",
        ),
        (
            "q.txt",
            "1 1 a 1\n1 2 a 0\n",
            "E-CONFLICT",
            "q.txt:2: document a has grade 0 in topic 1, but 1 on line 1",
            f"decide on one grade of the document; {SUBTOPICS}",
        ),
        (
            "q.txt",
            "1 0 a 1\n1 0 a 1\n",
            "E-DUPQREL",
            "q.txt:2: document a is judged twice in topic 1 (first on line 1)",
            "keep one line for each document of a topic",
        ),
        (
            "q.txt",
            "1 Q0 a 1 2.5 tag\n",
            "E-SWAPPED",
            "q.txt: this looks like a run where qrels are expected",
            "the qrels come first, then the runs",
        ),
    ],
)
def test_files_of_judgments(
    file: str, content: str | bytes, code: str, problem: str, hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(file).write_bytes(content if isinstance(content, bytes) else content.encode())
    check(lambda: read_qrels(file), code, problem, hint)


@pytest.mark.parametrize("file", ["q.txt", "q.json", "q.csv", "q.jsonl", "q.parquet"])
def test_a_file_that_is_not_there(file: str) -> None:
    check(lambda: read_qrels(file), "E-MISSING", f"{file}: there is no such file", "check the name of the file")


def test_places_without_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("runs").mkdir()
    hint = "name a folder that holds runs"
    check(lambda: find_runs("runs"), "E-FOLDER", "runs: the folder has no files", hint)
    check(lambda: find_runs("runs/*.txt"), "E-MISSING", "runs/*.txt: no file fits the pattern", "check the pattern")
