"""Tables: frozen, exact, and the same thing in every library's form."""

import math
import pickle
import sys
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.core import CranfieldError, MissingExtra, ParameterError, Provenance, Scale, Table

EXAMPLE = Table(
    {
        "run": ["bm25", "α-run", None],
        "value": np.array([0.1 + 0.2, math.nan, -1.5]),
        "topics": np.array([50, 49, 0], dtype=np.int32),
        "missing": [0, None, 2],
        "p": [0.5, math.nan, None],
        "significant": np.array([True, False, False]),
        "checked": [True, None, False],
        "day": [date(2024, 2, 29), None, date(2025, 1, 1)],
    },
    "Mean values",
    Provenance(command="evaluate"),
    ("one run has no name",),
)


def test_a_table_knows_its_columns_and_rows() -> None:
    assert len(EXAMPLE) == 3
    assert EXAMPLE.columns == ("run", "value", "topics", "missing", "p", "significant", "checked", "day")
    assert EXAMPLE["run"] == EXAMPLE.column("run") == ("bm25", "α-run", None)
    assert EXAMPLE.rows()[1] == {
        "run": "α-run", "value": None, "topics": 49, "missing": None,
        "p": None, "significant": False, "checked": None, "day": None,
    }  # fmt: skip
    assert EXAMPLE.rows()[0]["value"] == 0.1 + 0.2
    assert all(
        type(cell) in {str, float, int, bool, date, type(None)} for row in EXAMPLE.rows() for cell in row.values()
    )


def test_a_table_does_not_change() -> None:
    mine = np.array([1.0, 2.0])
    table = Table({"x": mine})
    mine[0] = 9
    assert table["x"][0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        table["x"][0] = 9  # type: ignore[index]
    with pytest.raises(TypeError):
        table.data["y"] = [1, 2]  # type: ignore[index]
    with pytest.raises(AttributeError):
        table.caption = "other"  # type: ignore[misc]


def test_tables_are_equal_by_content() -> None:
    plain = Table({"x": [1, 2], "y": [0.5, None]}, "c")
    assert plain == Table({"x": np.array([1, 2]), "y": np.array([0.5, math.nan])}, "c", Provenance(command="other"))
    assert hash(plain) == hash(Table({"x": np.array([1, 2]), "y": np.array([0.5, math.nan])}, "c"))
    assert plain != Table({"x": [1, 3], "y": [0.5, None]}, "c")
    assert plain != Table({"y": [0.5, None], "x": [1, 2]}, "c")
    assert plain != Table({"x": [1, 2], "y": [0.5, None]}, "d")
    assert plain != Table({"x": [1, 2], "y": [0.5, None]}, "c", notes=("n",))
    assert plain != "c"
    assert pickle.loads(pickle.dumps(EXAMPLE)) == EXAMPLE
    assert pickle.loads(pickle.dumps(EXAMPLE)).made_by == EXAMPLE.made_by


def test_rows_make_a_table_even_when_there_are_none() -> None:
    assert Table.from_rows([{"a": 1, "b": "x"}], ["b", "a"]) == Table({"b": ["x"], "a": [1]})
    empty = Table.from_rows([], ["a", "b"], caption="none")
    assert (len(empty), empty.columns, empty.rows()) == (0, ("a", "b"), [])
    assert str(empty) == "none\na  b"
    assert Table({}).rows() == []
    assert len(Table({})) == 0


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ({"a": [1], "b": [1, 2]}, "columns differ in length: a 1, b 2"),
        ({"a": np.ones((2, 2))}, "column 'a' has 2 dimensions"),
        ({"a": [[1], [2]]}, "column 'a' holds a list"),
        ({"a": np.array([1j])}, "column 'a' holds a complex"),
    ],
)
def test_what_is_not_a_table_is_refused(data: dict[str, Any], problem: str) -> None:
    with pytest.raises(ParameterError, match=problem) as caught:
        Table(data)
    assert caught.value.hint


def test_an_unknown_column_is_answered_with_those_there_are() -> None:
    with pytest.raises(CranfieldError, match="no column named 'z'") as caught:
        Table({"x": [1]})["z"]
    assert caught.value.hint == "there are: x"


def test_enumerations_and_numpy_cells_become_plain() -> None:
    table = Table({"scale": [Scale.ORDINAL], "n": [np.int64(3)], "v": [np.float32(0.5)], "s": np.array(["x"])})
    assert table.rows() == [{"scale": "ordinal", "n": 3, "v": 0.5, "s": "x"}]
    assert type(table["n"][0]) is int


def test_polars_gets_typed_columns_and_nulls() -> None:
    frame = EXAMPLE.to_polars()
    assert frame.schema == {
        "run": pl.String, "value": pl.Float64, "topics": pl.Int64, "missing": pl.Int64,
        "p": pl.Float64, "significant": pl.Boolean, "checked": pl.Boolean, "day": pl.Date,
    }  # fmt: skip
    assert frame.to_dicts() == EXAMPLE.rows()


def test_mixtures_widen_and_nothing_stays_untyped() -> None:
    frame = Table({"a": [1, 0.5], "b": [1, "x"], "c": [None, None], "d": [2**70, 1], "e": [True, 1]}).to_polars()
    kinds = [pl.Float64, pl.String, pl.Null, pl.String, pl.String]
    assert frame.dtypes == kinds
    assert frame["b"].to_list() == ["1", "x"]


def test_pandas_gets_columns_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = EXAMPLE.to_pandas()
    assert list(frame.columns) == list(EXAMPLE.columns)
    assert frame["topics"].tolist() == [50, 49, 0]
    assert str(frame["missing"].dtype) == "Int64"
    assert str(frame["checked"].dtype) == "boolean"
    assert frame["value"].isna().tolist() == [False, True, False]
    assert frame["run"].tolist()[:2] == ["bm25", "α-run"]
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtra, match="this needs pandas"):
        EXAMPLE.to_pandas()


def test_arrow_gets_large_strings(monkeypatch: pytest.MonkeyPatch) -> None:
    arrow = pa.table(EXAMPLE)
    assert arrow.schema.field("run").type == pa.large_string()
    assert arrow.to_pylist() == EXAMPLE.rows()
    assert pl.DataFrame(EXAMPLE).to_dicts() == EXAMPLE.rows()
    monkeypatch.setattr(pl.DataFrame, "to_arrow", _no_pyarrow)
    assert pl.DataFrame(EXAMPLE).to_dicts() == EXAMPLE.rows()


def _no_pyarrow(*_: object, **__: object) -> object:
    raise ModuleNotFoundError("pyarrow")


def test_parquet_reads_back(tmp_path: Path) -> None:
    EXAMPLE.to_parquet(tmp_path / "t.parquet")
    assert pl.read_parquet(tmp_path / "t.parquet").to_dicts() == EXAMPLE.rows()


def test_files_are_written_as_they_are_returned(tmp_path: Path) -> None:
    text = EXAMPLE.to_csv(tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_bytes().decode() == text
    assert EXAMPLE.to_tsv(tmp_path / "t.tsv").encode() == (tmp_path / "t.tsv").read_bytes()
    Table({"run": ["\udcff"]}).to_csv(tmp_path / "odd.csv")
    assert (tmp_path / "odd.csv").read_text() == "run\n\\udcff\n"


cells = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4) | st.dates()


@given(columns=st.dictionaries(st.text(max_size=3), st.lists(cells, min_size=3, max_size=3), min_size=1, max_size=3))
def test_any_table_becomes_a_polars_frame(columns: dict[str, list[Any]]) -> None:
    table = Table(columns)
    frame = _utf8(table).to_polars()
    assert frame.shape == (3, len(columns))
    nulls = [[cell is None for cell in table.cells(name)] for name in table.columns]
    assert [column.is_null().to_list() for column in frame] == nulls


def _utf8(table: Table) -> Table:
    """Without lone surrogates, which Arrow cannot hold."""
    return Table({
        name: [c.encode("utf-8", "replace").decode() if isinstance(c, str) else c for c in table.cells(name)]
        for name in table.columns
    })  # fmt: skip
