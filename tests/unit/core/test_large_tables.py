"""Large tables become text piece by piece, and the text is the same."""

import csv
import io
import json
import math
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.core import Provenance, Study, Table, exact_formats
from cranfield.core.exact_formats import to_json
from cranfield.core.rendering import pieces, render

ROWS = 50_001
LARGE = Table({"run": ["a\tb", "c"] * 25_000 + ["d"], "n": list(range(ROWS)), "v": [0.1, None, 2.5] * 16_667})


@pytest.mark.parametrize("form", ["tsv", "csv", "json"])
def test_no_row_waits_for_the_last(form: str) -> None:
    first = "".join(islice(pieces(LARGE, form), 2))
    assert len(first) < len(render(LARGE, form)) / 2
    assert "".join(pieces(LARGE, form)) == render(LARGE, form)


def test_every_row_arrives() -> None:
    lines = LARGE.to_tsv().splitlines()
    assert len(lines) == ROWS + 1
    assert [lines[1], lines[20_001], lines[-1]] == ["a\\tb\t0\t0.1", "a\\tb\t20000\t2.5", "d\t50000\t2.5"]
    rows = list(csv.reader(io.StringIO(LARGE.to_csv())))
    assert (len(rows), rows[-1]) == (ROWS + 1, ["d", "50000", "2.5"])
    assert json.loads(LARGE.to_json()) == LARGE.rows()


cells = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4) | st.dates()
columns = st.dictionaries(st.text(max_size=3), st.lists(cells, min_size=3, max_size=3), max_size=3)


@given(data=columns, name=st.text(max_size=3), depth=st.integers(1, 4))
def test_json_in_pieces_is_json_as_ever(data: dict[str, list[object]], name: str, depth: int) -> None:
    table = Table(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact_formats, "_ROWS", depth)
        assert table.to_json() == to_json(table.rows())
        study = Study(
            "test",
            {name: table, "none": Table({})},
            {"tables": {}, "sentence": '\n "tables": {}'},
            Provenance(command='"tables": {}'),
        )
        assert study.to_json() == to_json(study.as_dict())
    assert Study("x", {}).to_json() == to_json(Study("x", {}).as_dict())


def test_numbers_that_do_not_exist_and_truth_values() -> None:
    table = Table({"a": [True, 1, 1.0, "1", math.inf, None]})
    assert json.loads(table.to_json()) == [{"a": cell} for cell in (True, 1, 1.0, "1", None, None)]
    assert table.to_json() == to_json(table.rows())
