"""Studies: the verdict first, and a JSON object that is a contract."""

import json
import math
import pickle
from dataclasses import fields

import numpy as np
import pytest

from cranfield.core import VERSION, CranfieldError, Input, Provenance, Scale, Study, Table

MADE_BY = Provenance(
    command="compare q a b", inputs=(Input("q", "b3:00", "qrels"),), measures=("RR@100",), seed=7
)  # fmt: skip
STUDY = Study(
    "compare",
    {"overall": Table({"a": ["x"], "p": [math.nan]}, "All topics"), "none": Table({"a": []})},
    {"strict": "neither", "share": np.float64(0.5), "bad": math.inf, "scale": Scale.RATIO, "sentence": "a & b tie."},
    MADE_BY,
    ("outcomes",),
)


def test_the_json_object_is_the_contract() -> None:
    found = json.loads(STUDY.to_json(), parse_constant=pytest.fail)
    assert list(found) == ["contract", "study", "verdict", "tables", "made_by"]
    assert found == {
        "contract": 2,
        "study": "compare",
        "verdict": {"strict": "neither", "share": 0.5, "bad": None, "scale": "ratio", "sentence": "a & b tie."},
        "tables": {"overall": [{"a": "x", "p": None}], "none": []},
        "made_by": {
            "version": VERSION,
            "command": "compare q a b",
            "inputs": [{"name": "q", "digest": "b3:00", "kind": "qrels"}],
            "measures": ["RR@100"],
            "seed": 7,
        },
    }
    assert json.loads(Study("bare", {}).to_json()) == {
        "contract": 2, "study": "bare", "verdict": None, "tables": {}, "made_by": None
    }  # fmt: skip


def test_provenance_has_fixed_keys_and_no_clock() -> None:
    assert list(MADE_BY.as_dict()) == [field.name for field in fields(Provenance)]
    assert set(MADE_BY.as_dict()) == {"version", "command", "inputs", "measures", "seed"}
    assert Provenance(command="x") == Provenance(command="x")


def test_the_verdict_is_said_first() -> None:
    assert str(STUDY) == "a & b tie.\n\nAll topics\na  p\nx\n\na"
    assert STUDY._repr_html_().startswith("<p>a &amp; b tie.</p>\n<table><caption>All topics</caption>")
    assert str(Study("bare", {"t": Table({"x": [1]})})) == "x\n1"


def test_tables_are_found_by_name() -> None:
    assert STUDY["overall"] is STUDY.tables["overall"]
    with pytest.raises(CranfieldError, match="the study compare has no table named 'outcome'") as caught:
        STUDY["outcome"]
    assert caught.value.hint == "there are: overall, none"


def test_a_study_is_a_value() -> None:
    again = pickle.loads(pickle.dumps(STUDY))
    assert again == STUDY
    assert hash(again) == hash(STUDY)
    with pytest.raises(TypeError):
        STUDY.tables["x"] = STUDY["overall"]  # type: ignore[index]
    with pytest.raises(AttributeError):
        STUDY.name = "other"  # type: ignore[misc]
