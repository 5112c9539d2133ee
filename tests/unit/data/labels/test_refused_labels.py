"""What is no label is refused in two lines, with the file and the line where it stands."""

import gzip
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from cranfield.core import InputError, ParameterError
from cranfield.data import labels_from_qrels, read_labels
from tests.support.expected_errors import IDS, check
from tests.support.label_files import FILL, FRAME, JSON_LINES, NAMES, called, qrels_files, text, write

COLUMNS = FRAME.to_dict(as_series=False)
LINE = "a line reads: topic document worker grade"
SAME = "every line has the same columns"
NUMBER = "a grade is a number"
GIVE = "give a file name or a frame with columns topic, document, worker, grade"
JSON = 'expected [{"topic": …}, …], or columns'
DATES = "the first time is 2024-05-31: write dates as 2024-05-31 or 2024-05-31T14:05:00, or numbers everywhere"


BROKEN: list[tuple[str, str | bytes, Any, str, int, str, str]] = [
    ("a.tsv", "t\td\tw\t1\nt\td\tw\tmany\n", None, "E-GRADE", 2, 'grade "many" is not a finite number', NUMBER),
    (
        "a.csv",
        "topic,document,worker,grade\nt,d,w,1\n\nt,d,w,NaN\n",
        None,
        "E-GRADE",
        4,
        'grade "NaN" is not a finite number',
        NUMBER,
    ),
    ("a.txt", "t d w inf\n", None, "E-GRADE", 1, 'grade "inf" is not a finite number', NUMBER),
    (
        *("a.txt", "q d w r\nt d w 1\n", None, "E-GRADE", 1, 'grade "r" is not a finite number'),
        f"{NUMBER}; if the line names columns, none is called grade",
    ),
    ("a.csv", "topic,document,worker,grade\nt,d,,1\n", None, "E-NULL", 2, "there is no worker", FILL),
    (
        "a.csv",
        'note,topic,document,worker,grade\n"a\nb",t,d,w,1\n"c",t, ,w,1\n',
        None,
        "E-NULL",
        4,
        "there is no document",
        FILL,
    ),
    ("a.tsv", "\nt\td\tw\t1\nt\td\tw\t\n", None, "E-NULL", 3, "there is no grade", FILL),
    ("a.tsv", "t\td\tw\t1\n\nt\td\t1\n", None, "E-FIELDS", 3, "the line has 3 columns, the first has 4", SAME),
    ("a.tsv", "t\td\tw\t1\nt\td\tw\t1\t1\n", None, "E-FIELDS", 2, "the line has 5 columns, the first has 4", SAME),
    (
        "a.csv",
        "topic,document,worker,grade\nt,d,w\n",
        None,
        "E-FIELDS",
        2,
        "the line has 3 columns, the first has 4",
        SAME,
    ),
    (
        "a.tsv",
        "t_d\tw\t1\n",
        None,
        "E-FIELDS",
        1,
        "the line has 3 columns",
        LINE + '; or name the columns, in order: columns=("topic", …)',
    ),
    (
        "a.tsv",
        "t_d\tw\t1\n",
        ("item", "worker"),
        "E-FIELDS",
        1,
        "the line has 3 columns, but 2 are named",
        'name every column, those that are not needed "-"',
    ),
    (
        "a.tsv",
        "t_d\tw\t1\ntd\tw\t1\n",
        ("item", "worker", "grade"),
        "E-FIELDS",
        2,
        'item "td" has no "_" between topic and document',
        'an item reads: topic_document; otherwise give the columns "topic" and "document"',
    ),
    ("a.tsv", "_d\tw\t1\n", ("item", "worker", "grade"), "E-NULL", 1, "there is no topic", FILL),
    (
        "a.tsv",
        "t\tw\t1\n",
        ("topic", "worker", "grade"),
        "E-COLUMNS",
        0,
        "there is no column for the document",
        called("document", "document, docno, doc_id, docid, doc"),
    ),
    (
        "a.csv",
        "topic,document,who,grade\nt,d,w,1\n",
        None,
        "E-COLUMNS",
        0,
        "there is no column for the worker",
        called("worker", "worker, worker_id, workerid, annotator, annotator_id"),
    ),
    (
        "a.csv",
        "topic,document,who,grade\nt,d,w,1\n",
        {"worker": "whom"},
        "E-COLUMNS",
        0,
        "there is no column whom for the worker",
        "there are: topic, document, who, grade",
    ),
    ("a.csv", "topic,document,worker,grade\n", None, "E-EMPTY", 0, "there are no labels", LINE),
    (
        "a.csv",
        "\ngrade,topic,document,worker,grade\n1,t,d,w,0\n",
        None,
        "E-NAMES",
        2,
        "two columns are called grade",
        "give every column a name of its own",
    ),
    ("a.tsv", "", None, "E-EMPTY", 0, "the file has no rows", "is it the right file?"),
    ("a.jsonl", " \n\n", None, "E-EMPTY", 0, "the file has no rows", "is it the right file?"),
    (
        "a.txt",
        "301 0 FT-1 1\n301 Q0 FT-2 0\n",
        None,
        "E-SWAPPED",
        0,
        "these are judgments: the second column is 0 in every line",
        LINE + '; for judgments of one worker each: labels_from_qrels({"worker": file})',
    ),
    (
        "a.txt",
        "".join(f"301 {1 + i % 2} FT-{i} 1\n" for i in range(50)),
        None,
        "E-SWAPPED",
        0,
        "these look like judgments: the second column holds nothing but 1 and 2",
        LINE + '; for judgments of one worker each: labels_from_qrels({"worker": file})',
    ),
    (
        "a.tsv",
        b"t\td\tw\t1\nt\t\xff\tw\t1\n",
        None,
        "E-UTF8",
        2,
        "the line is not UTF-8",
        "convert the file, for example: iconv -f LATIN1 -t UTF-8 FILE",
    ),
    ("a.csv", 't,d,w,1\nt,d,"w,1\n', None, "E-FIELDS", 2, "the line has 3 columns, the first has 4", SAME),
    (
        "a.jsonl",
        '{"topic": 1, "document": 1, "worker": 1, "grade": 1}\n\n{"topic": 1, "document": 1, "worker": 1}\n',
        None,
        "E-NULL",
        3,
        "there is no grade",
        FILL,
    ),
    (
        "a.jsonl",
        '{"topic": 1}\n{"topic": \n',
        None,
        "E-JSON",
        2,
        "this is not JSON: Expecting value",
        "a line is one object",
    ),
    ("a.jsonl", '{"topic": 1}\n5\n', None, "E-JSON", 2, "the line is no object", 'a line reads: {"topic": …}'),
    (
        "a.json",
        "[\n{1: 2}]",
        None,
        "E-JSON",
        2,
        "this is not JSON: Expecting property name enclosed in double quotes",
        JSON,
    ),
    ("a.json", '{"topic": {"document": 1}}', None, "E-JSON", 0, "JSON of this shape holds no labels", JSON),
    (
        "a.jsonl",
        '{"topic": 1, "document": [1], "worker": 1, "grade": 1}\n',
        None,
        "E-TYPE",
        0,
        "the column of the document holds List(Int64)",
        IDS,
    ),
    (
        "a.jsonl",
        '{"topic": 1, "document": 1, "worker": 1, "grade": [1]}\n',
        None,
        "E-TYPE",
        0,
        "the column of the grade holds List(Int64)",
        "give numbers",
    ),
    (
        "a.jsonl",
        JSON_LINES,
        ("topic", "document"),
        "E-COLUMNS",
        0,
        "the columns have names already",
        'say where to look: columns={"topic": "topic"}',
    ),
    (
        "a.txt",
        "t d w 1 5\nt d w 1 late\n",
        None,
        "E-TYPE",
        2,
        'time "late" is not a finite number',
        "a time is a number",
    ),
    ("a.txt", "t d w 1 2024-05-31\nt d w 1 5\n", None, "E-TYPE", 2, 'time "5" is no date', DATES),
    ("a.tsv", "t\td\tw\t1\t2024-05-31\nt\td\tw\t1\t\n", None, "E-NULL", 2, "there is no time", FILL),
    (
        "a.csv",
        "topic,document,worker,grade,kind\nt,d,w,1,person\nt,d,w,1,robot\n",
        None,
        "E-TYPE",
        3,
        '"robot" is no kind of worker',
        "a worker is a person or a machine",
    ),
    (
        "a.csv",
        "topic,document,worker,grade,kind\nt,d,w,1,person\nt,d,v,1,llm\nt,d,w,1,llm\n",
        None,
        "E-CONFLICT",
        4,
        "worker w is a person and a machine",
        "give every worker one kind, or every machine a name of its own",
    ),
]


@pytest.mark.parametrize(("name", "content", "columns", "code", "line", "message", "hint"), BROKEN)
def test_what_is_no_label_is_refused(
    name: str, content: str | bytes, columns: Any, code: str, line: int, message: str, hint: str, tmp_path: Path
) -> None:
    path = write(tmp_path, name, content)
    where = f"{path}:{line}" if line else str(path)
    error = check(lambda: read_labels(path, columns=columns), code, f"{where}: {message}", hint)
    assert (error.file, error.line) == (str(path), line or None)


@pytest.mark.parametrize(
    ("data", "code", "message", "hint"),
    [
        (3, "E-KIND", "an object of type int holds no labels", GIVE),
        ([("t", "d", "w", 1)], "E-KIND", "an object of type list holds no labels", GIVE),
        (
            {**COLUMNS, "grade": [1]},
            "E-COLUMNS",
            "the columns are not of one length",
            "every row has a cell in each column",
        ),
        ({**COLUMNS, "grade": [1, 0, None, 1, 1]}, "E-NULL", "there is no grade (row 2)", FILL),
        (
            {**COLUMNS, "grade": [1, 0, float("nan"), 1, 1]},
            "E-GRADE",
            'grade "nan" is not a finite number (row 2)',
            NUMBER,
        ),
        (pd.DataFrame({**COLUMNS, "grade": [1, 0, float("nan"), 1, 1]}), "E-NULL", "there is no grade (row 2)", FILL),
        ({**COLUMNS, "worker": [None] * 5}, "E-NULL", "there is no worker (row 0)", FILL),
        ({**COLUMNS, "topic": [1.5] * 5}, "E-TYPE", "the column of the topic holds Float64", IDS),
        ({**COLUMNS, "topic": "t1"}, "E-TYPE", "topic is no column", "give columns of equal length"),
        (
            {**COLUMNS, "date": [date(2024, 1, 1), None] + [date(2024, 1, 1)] * 3},
            "E-NULL",
            "there is no time (row 1)",
            FILL,
        ),
        ({name: [] for name in NAMES}, "E-EMPTY", "there are no labels", LINE),
        ({}, "E-COLUMNS", "there is no column for the topic", called("topic", "topic, qid, query_id, query-id, q_id")),
    ],
)
def test_what_holds_no_labels_is_refused(data: object, code: str, message: str, hint: str) -> None:
    check(lambda: read_labels(data), code, f"labels: {message}", hint)


@pytest.mark.parametrize(
    ("columns", "message", "hint"),
    [
        (
            {"query": "qid"},
            "labels have no column query",
            "choose from: topic, document, item, worker, grade, time, kind",
        ),
        (
            ("topic", "doc"),
            "labels have no column doc",
            "choose from: topic, document, item, worker, grade, time, kind, -",
        ),
        (("topic", "topic", "-", "-"), "two columns are called topic", 'name a column "-" to leave it out'),
        ("topic", "columns='topic' names no columns", 'write columns=("topic", "document", …)'),
        ((1, 2), "columns=(1, 2) names no columns", 'write columns=("topic", "document", …)'),
    ],
)
def test_columns_that_do_not_exist_are_refused(columns: Any, message: str, hint: str) -> None:
    with pytest.raises(ParameterError) as caught:
        read_labels(FRAME, columns=columns)
    assert str(caught.value) == f"{message}\nhint: {hint}"


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    missing = tmp_path / "none.tsv"
    check(lambda: read_labels(missing), "E-MISSING", f"{missing}: there is no such file", "check the name of the file")
    check(lambda: read_labels(tmp_path), "E-FOLDER", f"{tmp_path}: this is a folder", "name the file with the labels")
    for name, content, code in (
        ("cut.gz", gzip.compress(text().encode())[:-9], "E-INFLATE"),
        ("no.parquet", b"PAR?", "E-FORMAT"),
        ("quotes.csv", 't,d,"w"x,1\n', "E-FORMAT"),
    ):
        with pytest.raises(InputError) as caught:
            read_labels(write(tmp_path, name, content))
        assert caught.value.code == code
        assert "\nhint: " in str(caught.value)


@pytest.mark.parametrize(
    ("machines", "hint"),
    [
        (["gtp-4"], "did you mean gpt-4?"),
        (["claude*"], "there are: ann, gpt-4, bob"),
    ],
)
def test_a_machine_that_is_not_there_is_refused(machines: list[str], hint: str) -> None:
    with pytest.raises(ParameterError) as caught:
        read_labels(FRAME, machines=machines)
    assert str(caught.value) == f"no worker is called {machines[0]}\nhint: {hint}"


def test_labels_that_are_all_below_0_are_refused() -> None:
    check(
        lambda: read_labels({"topic": [1], "document": ["d"], "worker": ["w"], "grade": [-1]}),
        "E-EMPTY",
        "labels: there are no labels",
        LINE,
    )


def test_no_judgments_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError) as caught:
        labels_from_qrels({})
    assert str(caught.value) == 'there are no judgments of any worker\nhint: give {"worker": qrels, …}'
    path = write(tmp_path, "none.qrels", "t 0 d -1\n")
    message = f"{path}: worker gpt gives no grade from 0 up"
    check(lambda: labels_from_qrels({"gpt": path}), "E-EMPTY", message, "leave it out")
    with pytest.raises(ParameterError, match="no worker is called gpt"):
        labels_from_qrels(qrels_files(tmp_path), machines=["gpt"])
