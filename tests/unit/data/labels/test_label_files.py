"""Labels from everything that people keep them in, and what is refused on the way."""

import bz2
import gzip
import json
import lzma
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from cranfield.data import Labels, labels_from_qrels, read_labels, read_qrels
from tests.support.label_files import FRAME, JSON_LINES, NAMES, RECORDS, ROWS, TIMES, qrels_files, text, told, write

FILES: dict[str, str | bytes | Callable[[Path], object]] = {
    "plain.tsv": text(),
    "plain.txt": text(" "),
    "wide.txt": "\n" + text("   ").replace("\n", " \r\n  "),
    "plain.csv": text(","),
    "commas.txt": text(","),
    "header.csv": text(",", header="topic,document,worker,grade"),
    "foreign.csv": text(",", header=" QID, docno ,Annotator,Label"),
    "header.tsv": text(header="query_id\tdoc_id\tworker_id\trelevance"),
    "header.txt": text(" ", header="topic doc user rel"),
    "mark.csv": b"\xef\xbb\xbf" + text(",", header="topic,document,worker,judgment").encode(),
    "quoted.csv": 'worker,note,topic,document,grade\n\n"ann","a ""note"",\nof two lines",301,"FT-1",1\n'
    'ann,,301,FT-2,0\ngpt-4,,301,FT-1,2\nbob,,"007",FT-1,.5\nann ,,007, FT-1,1\n',
    "blanks.tsv": "\n \n" + text().replace("\n", "  \n\n").replace("\t", " \t "),
    "packed.gz": gzip.compress(text().encode()),
    "packed.csv.bz2": bz2.compress(text(",", header="topic,document,worker,vote").encode()),
    "packed.tsv.xz": lzma.compress(text().encode()),
    "lines.jsonl": JSON_LINES.replace("\n", "\n\n"),
    "mixed.jsonl": JSON_LINES.replace('"grade": 1.0', '"grade": true', 1),
    "packed.ndjson.gz": gzip.compress(JSON_LINES.encode()),
    "rows.json": json.dumps(RECORDS),
    "columns.json": json.dumps(FRAME.to_dict(as_series=False)),
    "columns.parquet": lambda path: FRAME.write_parquet(path),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_holds_labels(name: str, tmp_path: Path) -> None:
    path = write(tmp_path, name, FILES[name])
    labels = read_labels(path)
    assert told(labels) == ROWS
    assert labels.time is None
    assert (labels.source.name, labels.source.kind) == (str(path), "labels")
    assert labels.source.problems.kept == ()
    assert labels.source.digest == read_labels(FRAME).source.digest


@pytest.mark.parametrize(
    "data",
    [
        FRAME,
        FRAME.lazy(),
        FRAME.to_arrow(),
        pd.DataFrame(ROWS, columns=list(NAMES)),
        FRAME.to_dict(as_series=False),
        {name: np.array(column) for name, column in FRAME.to_dict(as_series=False).items()},
        FRAME.with_columns(pl.col("worker").cast(pl.Categorical)).rename({"document": "docno"}),
        FRAME.with_columns(other=pl.lit({"a": 1})),
    ],
    ids=["polars", "lazy", "arrow", "pandas", "lists", "arrays", "categories", "more"],
)
def test_so_does_a_frame(data: object) -> None:
    labels = read_labels(data)
    assert told(labels) == ROWS
    assert read_labels(labels) is labels


def test_numbers_are_names_too() -> None:
    whole = pd.DataFrame({"topic": [1, 2], "document": ["a", 3], "worker": [7, 7], "grade": [1, 0]})
    assert told(read_labels(whole)) == [("1", "a", "7", 1), ("2", "3", "7", 0)]


def test_yes_and_no_are_grades() -> None:
    labels = read_labels({"topic": [1, 1], "document": ["a", "b"], "worker": ["w", "w"], "label": [True, False]})
    assert [row[3] for row in told(labels)] == [1, 0]


def test_a_mapping_says_where_else_to_look(tmp_path: Path) -> None:
    # Without it "label" would be the grade.
    path = write(tmp_path, "odd.csv", "set,label,item,who\n1,9,17,ann\n2,8,18,bob\n")
    columns = {"topic": "SET", "worker": "who", "document": "label", "grade": "item"}
    assert told(read_labels(path, columns=columns)) == [("1", "9", "ann", 17), ("2", "8", "bob", 18)]


def test_a_sequence_names_the_columns_of_a_text(tmp_path: Path) -> None:
    path = write(tmp_path, "votes", "3\t20488_en00_1\t685 \t0\tx\n1\t20488_en00_1\t703\t1\ty\n")
    labels = read_labels(path, columns=("time", "item", "worker", "grade", "-"))
    assert told(labels) == [("20488", "en00_1", "685", 0), ("20488", "en00_1", "703", 1)]
    assert labels.time is not None
    assert labels.time.tolist() == [3, 1]


def test_an_item_is_used_only_where_topic_or_document_is_missing() -> None:
    rows = {"item": ["1", "2"], "worker": ["w", "v"], "grade": [0, 1]}
    assert told(read_labels({**rows, "topic": ["t", "t"], "document": ["d", "e"]}))[1] == ("t", "e", "v", 1)
    rows["item"] = ["t_d", "t_e_f"]
    assert told(read_labels({**rows, "topic": ["u", "u"]}))[1] == ("t", "e_f", "v", 1)


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        (["3", " 1.5", "2", "4", "5"], [3, 1.5, 2, 4, 5]),
        ([3, 1, 2, 4, 5], [3, 1, 2, 4, 5]),
        # 1970-01-02 is one day, 86,400 seconds, after the start.
        (
            ["1970-01-02", "1970-01-01T00:00:01Z", "1970-01-01 01:00", "1970-01-01T01:00+01:00", "1970-01-01"],
            [86400, 1, 3600, 0, 0],
        ),
        ([date(1970, 1, 2)] * 5, [86400] * 5),
        ([datetime(1970, 1, 1, 0, 0, 1, 500_000)] * 5, [1.5] * 5),
        ([None] * 5, None),
        (["", " ", "", "", ""], None),
    ],
)
def test_times_are_numbers_or_dates(times: list[Any], expected: list[float] | None) -> None:
    data = FRAME.to_dict(as_series=False)
    labels = read_labels({**data, "timestamp": times})
    assert (labels.time if labels.time is None else labels.time.tolist()) == expected
    assert read_labels(pd.DataFrame({**data, "date": times})).source.digest == labels.source.digest


def test_a_fifth_column_is_the_time(tmp_path: Path) -> None:
    labels = read_labels(write(tmp_path, "timed.txt", text(" ", times=True)))
    assert told(labels) == ROWS
    assert labels.time is not None
    assert labels.time.tolist() == TIMES
    assert labels.source.digest != read_labels(FRAME).source.digest


@pytest.mark.parametrize(
    "kinds",
    [
        ["person", "Human", " llm", "crowd", "people"],
        ["0", "no", "1", "false", "expert"],
        [False, False, True, False, False],
        [0, 0, 1, 0, 0],
    ],
)
def test_rows_say_who_is_a_machine(kinds: list[Any]) -> None:
    labels = read_labels({**FRAME.to_dict(as_series=False), "machine": kinds})
    assert labels.workers == ("ann", "gpt-4", "bob")
    assert labels.machine.tolist() == [False, True, False]


def test_so_does_the_caller() -> None:
    assert read_labels(FRAME, machines=["gpt*"]).machine.tolist() == [False, True, False]
    assert read_labels(FRAME, machines=["ann", "b?b"]).machine.tolist() == [True, False, True]
    plain = read_labels(FRAME)
    assert read_labels(plain, machines=["gpt-4"]).machine.tolist() == [False, True, False]
    assert plain.machine.tolist() == [False] * 3
    odd = {**FRAME.to_dict(as_series=False), "worker": ["a[1]"] * 5}
    assert read_labels(odd, machines="a[1]").machine.tolist() == [True]  # a name comes before a pattern


def test_equal_rows_are_kept_and_counted(tmp_path: Path) -> None:
    again = text() + "\n" + text() + "301 \tFT-1\tann\t2\n"
    path = write(tmp_path, "again.tsv", again)
    labels = read_labels(path)
    assert len(labels) == 11
    assert labels.source.problems.counts == (("W-AGAIN", 5),)  # the last one is another grade
    (problem,) = labels.source.problems.kept
    assert problem.where == f"{path}:7"  # five lines, a blank one, and the first of them again
    assert problem.message == "rows that are there again: 5, the first by worker ann on document FT-1"
    timed = read_labels({**pl.concat([FRAME, FRAME]).to_dict(as_series=False), "time": [*TIMES, *TIMES]})
    assert len(timed) == 10
    assert timed.source.problems.counts == ()
    assert read_labels(pl.concat([FRAME, FRAME])).source.problems.kept[0].where == "labels"


def test_grades_below_0_are_no_labels(tmp_path: Path) -> None:
    path = write(tmp_path, "below.txt", "t0 d0 eve -1\nt1 d1 ann 1\nt1 d1 ann 1\nt1 d2 ann -2\nt1 d2 bob 0\n")
    labels = read_labels(path)
    assert told(labels) == [("t1", "d1", "ann", 1), ("t1", "d1", "ann", 1), ("t1", "d2", "bob", 0)]
    assert (labels.topics, labels.workers, labels.grades.tolist()) == (("t1",), ("ann", "bob"), [0, 1])
    assert labels.source.problems.counts == (("W-NEGATIVE", 2), ("W-AGAIN", 1))
    assert [problem.where for problem in labels.source.problems.kept] == [f"{path}:1", f"{path}:3"]
    assert labels.source.problems.kept[0].message == "grades below 0: 2, left out"


def test_judgments_are_labels_of_one_worker_each(tmp_path: Path) -> None:
    files = qrels_files(tmp_path)
    people = {"t1": {"d1": 0.5}}
    labels = labels_from_qrels({**files, "people": people}, machines=["gpt*", "llama"])
    assert told(labels) == [
        ("t1", "d1", "gpt-4", 1),
        ("t1", "d2", "gpt-4", 0),
        ("t2", "d1", "llama", 2),
        ("t1", "d2", "llama", 1),
        ("t1", "d1", "people", 0.5),
    ]
    assert labels.machine.tolist() == [True, True, False]
    assert labels.topics == ("t1", "t2")
    assert labels.answers.items == 3
    assert labels.time is None
    assert labels.source.name == f"{files['gpt-4']}, {files['llama']}, qrels"
    assert dict(labels.source.problems.counts)["W-NEGATIVE"] == 1  # one warning of the first file
    assert told(labels_from_qrels({"a": read_qrels(files["llama"])})) == [("t2", "d1", "a", 2), ("t1", "d2", "a", 1)]


GOLD = "crowd-trec11/task1_unlabeled_g_truth_cons_public.txt.bz2"


@pytest.mark.parametrize(
    ("name", "columns", "size", "accuracy"),
    [
        ("votes.gz", ("time", "item", "worker", "grade"), (17_395, 445), 0.623),
        ("otherparticipantsvotes.gz", ("item", "worker", "grade"), (41_081, 511), 0.720),
    ],
)  # what the index of the data says of them
def test_the_crowds_of_trec_2011(
    shared_data: Path, name: str, columns: tuple[str, ...], size: tuple[int, int], accuracy: float
) -> None:
    labels = read_labels(shared_data / "crowd-trec11" / name, columns=columns)
    assert (len(labels), len(labels.workers)) == size
    assert not any(worker != worker.strip() for worker in labels.workers)
    judged: dict[str, dict[str, int]] = {}
    with bz2.open(shared_data / GOLD, "rt") as lines:
        next(lines)
        for line in lines:
            _, topic, document, grade, *_ = line.split("\t")
            judged.setdefault(topic, {})[document] = int(grade)
    assert sum(grade >= 0 for grades in judged.values() for grade in grades.values()) == 395
    right = [
        (grade >= 1) == (judged[topic][document] >= 1)
        for topic, document, _, grade in told(labels)
        if judged.get(topic, {}).get(document, -1) >= 0
    ]
    assert sum(right) / len(right) == pytest.approx(accuracy, abs=0.0005)
    gold = labels.gold(read_qrels(judged), rel=1)[labels.answers.item]
    assert (gold >= 0).sum() == len(right)
    assert (gold == labels.answers.choice).sum() == sum(right)


def test_the_same_worker_may_answer_again(shared_data: Path) -> None:
    """The other participants' file has rows twice; a set of its lines is smaller by as many as are counted."""
    path = shared_data / "crowd-trec11" / "otherparticipantsvotes.gz"
    with gzip.open(path, "rt") as file:
        lines = [tuple(cell.strip() for cell in line.split("\t")) for line in file]
    labels: Labels = read_labels(path, columns=("item", "worker", "grade"))
    assert labels.source.problems.counts == (("W-AGAIN", len(lines) - len(set(lines))),)
