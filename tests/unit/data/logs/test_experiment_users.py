"""Users of experiments: read from anything, typed, and told apart from logs of events."""

import gzip
import json
from datetime import date, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from cranfield.core import CranfieldError
from cranfield.data import Log, Users, read_experiment

TEXT = "uid,Variant,day,clicks,bought,country\nann,a,2024-03-01,3,TRUE,de\nbob,b,2024-03-02,,FALSE,fr\n"
ROWS = [
    {"arm": "a", "user": "ann", "day": "2024-03-01", "clicks": 3.0, "bought": 1.0},
    {"arm": "b", "user": "bob", "day": "2024-03-02", "clicks": None, "bought": 0.0},
]


def rows(users: Any) -> list[dict[str, Any]]:
    assert isinstance(users, Users)
    found: list[dict[str, Any]] = users.engine.fetch(users.rows.order_by("arm")).to_pylist()
    return found


def test_every_file_and_frame_gives_the_same(tmp_path: Path) -> None:
    (tmp_path / "users.csv").write_text(TEXT)
    (tmp_path / "users.tsv").write_text(TEXT.replace(",", "\t"))
    (tmp_path / "packed.csv.gz").write_bytes(gzip.compress(TEXT.encode()))
    frame = pl.read_csv(tmp_path / "users.csv")
    frame.write_parquet(tmp_path / "users.parquet")
    (tmp_path / "users.jsonl").write_text("\n".join(json.dumps(row) for row in frame.to_dicts()))
    for name in ("users.csv", "users.tsv", "packed.csv.gz", "users.parquet"):
        read = read_experiment(tmp_path / name)
        assert rows(read) == ROWS, name
        assert isinstance(read, Users)
        assert read.numbers == ("clicks", "bought")
        assert read.source.name == str(tmp_path / name)
    for data in (frame, frame.to_dict(as_series=False), frame.to_arrow()):
        assert rows(read_experiment(data)) == ROWS
    dated = rows(read_experiment(tmp_path / "users.jsonl"))  # the engine finds dates by itself
    assert [row["day"] for row in dated] == [date(2024, 3, 1), date(2024, 3, 2)]
    read = read_experiment(frame)
    assert read_experiment(read) is read
    assert str(read) == "Users('users' on DuckDB: arm, user, day, clicks, bought)"


def test_a_column_of_1_and_empty_cells_is_read_as_1_and_0() -> None:
    data = {"arm": [*"aabb"], "clicked": [1, None, None, 1], "value": [1, 2, None, 1], "bought": [0, 1, None, 0]}
    read = read_experiment(data)
    assert sorted(row["clicked"] for row in rows(read)) == [0, 0, 1, 1]
    assert [row["value"] for row in rows(read)].count(None) == [row["bought"] for row in rows(read)].count(None) == 1
    assert isinstance(read, Users)
    (note,) = read.notes
    assert note.startswith("2 ")


def test_users_without_an_arm_are_counted() -> None:
    read = read_experiment({"arm": ["a", "", None, "b", "b"], "clicks": [1, 2, 3, 4, 5]})
    assert read.excluded.total == 5
    assert read.excluded.reasons == {"no arm": 2}
    assert read.excluded.arm_totals == {"a": 1, "b": 2}


def test_words_of_yes_and_no_are_numbers_and_other_words_are_left_out() -> None:
    found = rows(read_experiment({"arm": ["a", "b"], "x": ["yes", "No"], "y": ["1", " 2.5"], "z": ["1", "many"]}))
    assert found == [{"arm": "a", "x": 1.0, "y": 1.0}, {"arm": "b", "x": 0.0, "y": 2.5}]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([datetime(2024, 3, 1, 23, 59), datetime(2024, 3, 2)], [date(2024, 3, 1), date(2024, 3, 2)]),
        ([9, 10], [9, 10]),
        (["9", "10"], [9.0, 10.0]),
        (["2024-03-01", "2024-03-02"], ["2024-03-01", "2024-03-02"]),
    ],
)
def test_days_are_in_order(given: list[Any], expected: list[Any]) -> None:
    found = rows(read_experiment({"arm": ["a", "b"], "day": given, "x": [1, 2]}))
    assert [row["day"] for row in found] == expected


def test_columns_are_named_where_they_do_not_name_themselves() -> None:
    data = {"side": ["a", "b"], "who": [1, 2], "arm": [5.0, 6.0]}
    found = rows(read_experiment(data, columns={"arm": "side", "user": "who"}))
    assert found == [{"arm": "a", "user": "1"}, {"arm": "b", "user": "2"}]


def test_a_log_is_a_log() -> None:
    data = {"impression": ["1"], "query": ["q"], "position": [1], "docid": ["d"], "clicked": [1], "arm": ["a"]}
    assert isinstance(read_experiment(data), Log)
    renamed = {**data, "shown": data["impression"]}
    del renamed["impression"]
    assert isinstance(read_experiment(renamed, columns={"impression": "shown"}), Log)


@pytest.mark.parametrize("missing", ["impression", "query", "position", "docid", "clicked"])
@pytest.mark.parametrize("user", [True, False])
def test_a_log_that_lacks_a_column_is_no_table_of_users(missing: str, user: bool) -> None:
    """The user u has two rows."""
    log: dict[str, Any] = {"impression": ["1", "1"], "query": ["q", "q"], "position": [1, 2], "docid": ["d", "e"]}
    log |= {"clicked": [1, 0], "arm": ["a", "a"]} | ({"user": ["u", "u"]} if user else {})
    del log[missing]
    with pytest.raises(CranfieldError) as caught:
        read_experiment(log)
    ours = {"query": "topic", "position": "rank", "docid": "document"}.get(missing, missing)
    assert caught.value.problem.endswith(f"but there is no column for {ours}")
    assert caught.value.hint


def test_users_may_have_columns_that_are_called_like_those_of_a_log() -> None:
    """Named users have one row each, or there is one such column alone; clicks may be counted."""
    named = {"user": [1, 2], "arm": ["a", "b"], "clicked": [1, 0], "rank": [2.5, 3]}
    counted = {"arm": ["a", "b"], "clicks": [3, 4], "rank": [2.5, 3]}
    assert all(isinstance(read_experiment(data), Users) for data in (named, counted))


@pytest.mark.parametrize(
    ("data", "columns", "problem"),
    [
        ({"x": [1]}, None, "users: there is no column for the arm"),
        ({"arm": ["a"], "x": [1]}, {"arm": "side"}, "users: there is no column side"),
        ({"arm": ["a"], "x": [1]}, {"rank": "x"}, "a table of users has no rank"),
        ("nowhere.csv", None, "nowhere.csv: there is no such file"),
        (7, None, "users: an object of type int holds no log"),
    ],
)
def test_what_is_no_table_of_users(data: Any, columns: Any, problem: str) -> None:
    with pytest.raises(CranfieldError) as caught:
        read_experiment(data, columns=columns)
    assert caught.value.problem == problem
    assert caught.value.hint
