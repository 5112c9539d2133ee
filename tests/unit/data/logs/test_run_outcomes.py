"""What live users made of runs, as people keep it."""

from pathlib import Path
from typing import Any

import pytest

from cranfield.core import CranfieldError
from cranfield.data import read_outcomes


def test_a_table_of_runs(tmp_path: Path) -> None:
    (tmp_path / "ctr.csv").write_text("arm,ctr,SE\na,0.25,0.01\nb,0.5,0.02\n")
    found = read_outcomes(tmp_path / "ctr.csv", columns={"value": "ctr"})
    assert (found.name, found.values, found.errors) == ("ctr", {"a": 0.25, "b": 0.5}, {"a": 0.01, "b": 0.02})
    assert (found.source.kind, found.lower) == ("outcomes", False)
    assert read_outcomes(found) is found


def test_values_by_run() -> None:
    found = read_outcomes({"a": 1, "b": 0.5})
    assert (found.name, found.values, found.errors) == ("online", {"a": 1, "b": 0.5}, None)
    assert found.source.digest == read_outcomes({"run": ["a", "b"], "value": [1.0, 0.5]}).source.digest


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ({"run": ["a"], "colour": [1.0]}, "online outcomes: there is no column for the value"),
        ({"run": [], "value": []}, "online outcomes: there are no online outcomes"),
        ({"run": ["a", "a"], "value": [1.0, 2.0]}, "online outcomes: run a has two values (row 1)"),
        (
            {"run": ["a"], "value": [1.0], "error": [-1.0]},
            "online outcomes: a standard error is below 0 (row 0)",
        ),
        ({"run": ["a"], "value": ["x"]}, 'online outcomes: value "x" is not a finite number (row 0)'),
        ({"run": ["a"], "value": [float("nan")]}, 'online outcomes: value "nan" is not a finite number (row 0)'),
        ({"run": [None], "value": [1.0]}, "online outcomes: there is no run (row 0)"),
    ],
)
def test_bad_tables_are_refused(data: Any, problem: str) -> None:
    with pytest.raises(CranfieldError) as caught:
        read_outcomes(data)
    assert caught.value.problem == problem
    assert caught.value.hint
