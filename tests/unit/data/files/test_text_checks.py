"""Damage in text and tables of runs and judgments is refused with its line, or does not matter."""

import gzip
import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import cranfield as cf
from cranfield.core import InputError
from cranfield.data import find_runs, read_qrels, read_run

HEADER = "topic,document,score\n"
ROWS = "".join(f"1,d{i},{9 - i}.5\n" for i in range(6))  # d0 in line 2, d1 in line 3, …
NOTES = "topic,document,score,note\n"
JSON_LINES = "".join(json.dumps({"topic": "1", "document": f"d{i}", "score": 9.5 - i}) + "\n" for i in range(6))
BOM = "\N{BYTE ORDER MARK}"


def refused(path: Path, content: str) -> tuple[str | None, int | None]:
    """Return code and line of the error, which ``lint`` reports, too."""
    path.write_text(content, newline="")
    with pytest.raises(InputError) as caught:
        read_run(path)
    (row,) = [row for row in cf.lint([path])["problems"].rows() if row["severity"] == "error"]
    assert (row["code"], row["line"]) == (caught.value.code, caught.value.line or 0)
    return caught.value.code, caught.value.line


@pytest.mark.parametrize(
    ("content", "code", "line"),
    [
        # A cell that starts in line 3 and ends in line 5 would swallow the row between.
        (HEADER + ROWS.replace(",d1,", ',"d1,').replace(",d3,", ',d3",'), "E-FORMAT", 3),
        (HEADER + ROWS.replace(",d1,", ',"d1,'), "E-FORMAT", 3),
        (HEADER + ROWS.replace(",d1,", ',"d1"x,'), "E-FORMAT", 3),
        (NOTES + '1,d0,9.5,"a\n1,d1,8.5,b\n1,d2,7.5,c"\n', "E-FORMAT", 2),
        (HEADER + ROWS.replace(",d1,", ",Q0,d1,"), "E-FIELDS", 3),
        ("# a comment\n" + HEADER + ROWS, "E-FIELDS", 2),
        (HEADER + ROWS.replace(",d1,", ",d\x001,"), "E-NUL", 3),
        (NOTES + '1,d0,9.5,"two\nlines"\n1,d1,8.5,b\n1,d0,7.5,c\n', "E-DUPDOC", 5),
    ],
)
def test_damaged_csv(content: str, code: str, line: int, tmp_path: Path) -> None:
    assert refused(tmp_path / "run.csv", content) == (code, line)


def test_texts_of_several_lines_are_no_damage(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_text(NOTES + '1,d0,9.5,"first line\na list, of, four, words\n\n2,5"\n1,d1,8.5,b\n')
    assert read_run(path).document.to_list() == ["d0", "d1"]


@pytest.mark.parametrize(
    ("content", "code", "line"),
    [
        (JSON_LINES.replace("8.5", "NaN"), "E-FINITE", None),
        (JSON_LINES.replace("8.5", "true"), "E-SCORE", None),
        (JSON_LINES.replace('"d1",', '"d1"'), "E-JSON", 2),
        (JSON_LINES[:-20], "E-JSON", 6),
        ("[]\n", "E-JSON", 1),
    ],
)
def test_damaged_json_lines(content: str, code: str, line: int | None, tmp_path: Path) -> None:
    assert refused(tmp_path / "run.jsonl", content) == (code, line)


@pytest.mark.parametrize(
    "name", ["run.json", "run.jsonl", "run.csv", "run.tsv", "run.txt", "run.parquet", "run.csv.gz"]
)
def test_a_file_without_content_is_empty(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(b"") if name.endswith("gz") else b"")
    with pytest.raises(InputError) as caught:
        read_run(path)
    assert caught.value.code == "E-EMPTY"


@pytest.mark.parametrize(
    ("name", "content"),
    [("run.csv", HEADER + ROWS), ("run.tsv", (HEADER + ROWS).replace(",", "\t")), ("run.jsonl", JSON_LINES)],
)
def test_a_byte_order_mark_and_packed_content_do_not_matter(name: str, content: str, tmp_path: Path) -> None:
    path = tmp_path / name
    for data in ((BOM + content).encode(), gzip.compress(content.encode())):
        path.write_bytes(data)
        assert read_run(path).document.to_list() == [f"d{i}" for i in range(6)]


COLUMNS: dict[str, Any] = {"topic": ["1", "1"], "document": ["a", "b"], "score": [2.5, 1.5]}


@pytest.mark.parametrize("column", COLUMNS)
def test_columns_of_unequal_length(column: str, tmp_path: Path) -> None:
    data = COLUMNS | {column: COLUMNS[column][:1]}
    path = tmp_path / "run.json"
    path.write_text(json.dumps(data))
    for source in (data, path):
        with pytest.raises(InputError) as caught:
            find_runs(source)
        assert caught.value.code == "E-TYPE"
    with pytest.raises(InputError):
        read_qrels({"grade" if name == "score" else name: cells for name, cells in data.items()})


@pytest.mark.parametrize("column", COLUMNS)
def test_two_columns_of_one_name(column: str) -> None:
    frame = pd.DataFrame(COLUMNS)
    again = pd.concat([frame, frame[[column]]], axis=1)
    names = again.columns.to_list()
    table = pa.Table.from_arrays([pa.array(COLUMNS[name]) for name in names], names)
    relation = duckdb.sql(f"select '1' as topic, 'a' as document, 2.5 as score, 1 as {column}")
    for source in (again, table, table.to_reader(), relation):
        with pytest.raises(InputError, match=f"two columns are called {column}") as caught:
            find_runs(source)
        assert caught.value.code == "E-COLUMNS"


@pytest.mark.parametrize("cell", [True, np.True_])
def test_true_is_no_score_among_numbers(cell: object, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"1": {"a": 2.5, "b": True}}))
    sources = [
        {"1": {"a": 2.5, "b": cell}},
        COLUMNS | {"score": [2.5, cell]},
        pd.DataFrame(COLUMNS | {"score": pd.Series([2.5, cell], dtype=object)}),
        path,
    ]
    for source in sources:
        with pytest.raises(InputError) as caught:
            find_runs(source)
        assert caught.value.code == "E-SCORE"


def test_masked_scores_are_missing() -> None:
    with pytest.raises(InputError) as caught:
        find_runs(COLUMNS | {"score": np.ma.masked_array([2.5, 1.5], mask=[False, True])})
    assert caught.value.code == "E-FINITE"


def test_a_message_shows_the_start_of_a_long_cell() -> None:
    with pytest.raises(InputError) as caught:
        find_runs(pl.DataFrame(COLUMNS | {"score": ["1.5", "x" * 10_000]}))
    assert len(str(caught.value)) < 200
