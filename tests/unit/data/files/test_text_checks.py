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
        (JSON_LINES.replace('"score": 8.5', '"score": 8.5, "score": 1.5'), "E-DUPKEY", 2),
        (JSON_LINES.replace('"d1"', '"d1", "document": "e:1"'), "E-DUPKEY", 2),
        (JSON_LINES.replace('"d1"', '["d1"]'), "E-TYPE", None),
        (JSON_LINES.replace('"d1"', '{"id": "d1"}'), "E-TYPE", None),
        (JSON_LINES.replace('"d1"', "true"), "E-TYPE", None),
        (JSON_LINES.replace('"d1"', "1.5"), "E-TYPE", None),
        (JSON_LINES.replace('"topic": "1", "document": "d1"', '"topic": [1], "document": "d1"'), "E-TYPE", None),
        (JSON_LINES.replace("8.5", "[8.5]"), "E-SCORE", None),
        (JSON_LINES.replace("8.5", "[8.5, 1]"), "E-SCORE", None),
        (JSON_LINES.replace("8.5", "9" * 400), "E-FINITE", None),
    ],
)
def test_damaged_json_lines(content: str, code: str, line: int | None, tmp_path: Path) -> None:
    assert refused(tmp_path / "run.jsonl", content) == (code, line)


@pytest.mark.parametrize(
    ("old", "new", "document"),
    [
        ('"d1"', '"[d1]"', "[d1]"),
        ('"d1"', '"true"', "true"),
        ('"d1"', '"1.5"', "1.5"),
        ('"d1"', "17", "17"),
        ('"d1"', r'"http\u003a//d:1"', "http://d:1"),
        ('"d1"', '"d1", "note": "the score: \\"score\\": 1"', "d1"),
        ('"d1"', '"d1", "note": null, "nested": {"score": 1, "document": "x"}', "d1"),
        ('"d1"', '"d1" , "rank" : null', "d1"),
    ],
)
def test_clean_json_lines(old: str, new: str, document: str, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(JSON_LINES.replace(old, new))
    read = read_run(path)
    assert (read.document.to_list()[1], read.score.tolist()) == (document, [9.5, 8.5, 7.5, 6.5, 5.5, 4.5])


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


@pytest.mark.parametrize("cell", [["mine"], {"name": "mine"}])
@pytest.mark.parametrize("column", ["run", "run_id", "system", "tag"])
def test_the_name_of_a_run_is_text(column: str, cell: object, tmp_path: Path) -> None:
    data = COLUMNS | {column: [cell] * 2}
    frame = pl.DataFrame(data)
    frame.write_parquet(tmp_path / "run.parquet")
    frame.write_ndjson(tmp_path / "run.jsonl")
    for source in (data, frame, frame.to_arrow(), tmp_path / "run.parquet", tmp_path / "run.jsonl"):
        with pytest.raises(InputError) as caught:
            find_runs(source)
        assert caught.value.code == "E-TYPE"


@pytest.mark.parametrize("cells", [[[3], [3]], [[3, 1], [3]], [{"a": 3}, {"a": 3}]])
def test_nested_numbers(cells: list[object], tmp_path: Path) -> None:
    data = COLUMNS | {"score": cells}
    frame = pl.DataFrame(data)
    frame.write_parquet(tmp_path / "run.parquet")
    frame.write_ndjson(tmp_path / "run.jsonl")
    for source in (data, frame, tmp_path / "run.parquet", tmp_path / "run.jsonl"):
        with pytest.raises(InputError) as caught:
            find_runs(source)
        assert caught.value.code == "E-SCORE"
    ranked = frame.with_columns(score=pl.Series([2.5, 1.5]), rank=frame["score"])
    assert read_run(ranked).document.to_list() == ["a", "b"]


def test_the_name_of_a_run_is_not_empty() -> None:
    for data in (COLUMNS | {"run": ["", ""]}, pl.DataFrame(COLUMNS | {"run": ["", ""]})):
        with pytest.raises(InputError) as caught:
            find_runs(data)
        assert caught.value.code == "E-NULL"


@pytest.mark.parametrize(
    ("number", "code", "of_grades"),
    [([3], "E-SCORE", "E-GRADE"), ([3, 1], "E-SCORE", "E-GRADE"), (10**400, "E-FINITE", "E-GRADE")],
)
def test_a_list_or_a_number_that_is_too_large(number: object, code: str, of_grades: str, tmp_path: Path) -> None:
    path = tmp_path / "data.json"
    for numbers in ([2.5, number], [number, number]):
        data: dict[str, dict[str, Any]] = {"1": dict(zip("ab", numbers, strict=True)), "2": {"a": 1.5}}
        path.write_text(json.dumps([{"topic": "1", "document": key, "score": cell} for key, cell in data["1"].items()]))
        for source in (data, path, COLUMNS | {"score": numbers}):
            for read, expected in ((read_run, code), (read_qrels, of_grades)):
                if read is read_run and source is data and isinstance(data["1"]["a"], list):
                    continue  # this would be several runs
                with pytest.raises(InputError) as caught:
                    read(source)
                assert caught.value.code == expected


def test_a_rank_that_is_too_large_does_not_matter_where_there_are_scores() -> None:
    assert read_run(COLUMNS | {"rank": [1, 10**400]}).document.to_list() == ["a", "b"]
    with pytest.raises(InputError) as caught:
        read_run({"topic": ["1"], "document": ["a"], "rank": [10**400]})
    assert caught.value.code == "E-FINITE"


@pytest.mark.parametrize("kind", ["interval 3 day", "union_value(days := 3)"])
@pytest.mark.parametrize(
    ("column", "code"),
    [("topic", "E-TYPE"), ("document", "E-TYPE"), ("run", "E-TYPE"), ("score", "E-SCORE"), ("grade", "E-GRADE")],
)
def test_types_of_duckdb_that_are_no_ids_and_no_numbers(column: str, code: str, kind: str) -> None:
    number = "grade" if column == "grade" else "score"
    cells = {"topic": "'1'", "document": "'a'", number: "1", "run": "'mine'"}
    query = "select {}".format(", ".join(f"{cell} as {name}" for name, cell in (cells | {column: kind}).items()))
    for source in (duckdb.sql(query), duckdb.sql(query).to_arrow_table().to_reader()):
        with pytest.raises(InputError) as caught:
            (read_qrels if column == "grade" else find_runs)(source)
        assert caught.value.code == code


def test_a_column_that_is_not_used_may_have_any_type() -> None:
    relation = duckdb.sql("select '1' as topic, 'a' as document, 2.5 as score, interval 3 day as \"the age\"")
    assert read_run(relation).document.to_list() == ["a"]


@pytest.mark.parametrize("name", ["run.csv", "run.json", "run.jsonl"])
def test_tables_under_another_name(name: str, tmp_path: Path) -> None:
    path, frame = tmp_path / name, pl.DataFrame(COLUMNS)
    for write in (frame.write_parquet, frame.write_ipc):
        write(path)
        with pytest.raises(InputError, match="this is a") as caught:
            read_run(path)
        assert caught.value.code == "E-FORMAT"


@pytest.mark.parametrize(("name", "separator"), [("run.csv", ","), ("run.tsv", "\t")])
def test_lines_that_end_with_a_carriage_return_alone(name: str, separator: str, tmp_path: Path) -> None:
    content = (HEADER + ROWS).replace(",", separator)
    assert refused(tmp_path / name, content.replace("\n", "\r"))[0] == "E-FORMAT"
    (tmp_path / name).write_text(content.replace("\n", "\r\n"), newline="")
    assert read_run(tmp_path / name).document.to_list() == [f"d{i}" for i in range(6)]


def test_a_name_of_a_column_may_have_a_carriage_return(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_text('topic,document,score,"first\rsecond"\n1,a,2.5,x\n', newline="")
    assert read_run(path).document.to_list() == ["a"]


def test_masked_scores_are_missing() -> None:
    with pytest.raises(InputError) as caught:
        find_runs(COLUMNS | {"score": np.ma.masked_array([2.5, 1.5], mask=[False, True])})
    assert caught.value.code == "E-FINITE"


def test_a_message_shows_the_start_of_a_long_cell() -> None:
    with pytest.raises(InputError) as caught:
        find_runs(pl.DataFrame(COLUMNS | {"score": ["1.5", "x" * 10_000]}))
    assert len(str(caught.value)) < 200
