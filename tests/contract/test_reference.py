"""The page of measures: every measure with its formula, scale and source; weights and golden values where there are."""

import importlib.util
import re
import sys
from types import ModuleType

import pytest

import cranfield as cf
from cranfield.measures import OtherMeasure, by_family, others
from tests.support.source_tree import ROOT


@pytest.fixture(scope="module")
def of_measures() -> ModuleType:
    """The extension of the documentation that writes the page."""
    folder = str(ROOT / "docs" / "_ext")
    sys.path.insert(0, folder)
    try:
        return importlib.import_module("of_measures")
    finally:
        sys.path.remove(folder)


@pytest.fixture(scope="module")
def sections(of_measures: ModuleType) -> dict[str, str]:
    """What the page has about each measure, by name."""
    parts = re.split(
        r"^\((?:measure|answers|preferences|session)-[^)]*\)=\n### ", of_measures.measures(), flags=re.MULTILINE
    )
    return {part.partition("\n")[0]: part for part in parts[1:]}


@pytest.mark.parametrize("measure", by_family(), ids=lambda cls: cls.name)
def test_a_measure_is_told_in_full(measure: type[cf.Measure], sections: dict[str, str]) -> None:
    told = sections[measure.name]
    for row in ("formula", "golden values", "range", "scale", "source", "write"):
        assert f"\n| {row} | " in told, row


@pytest.mark.parametrize("measure", others(), ids=lambda cls: cls.name)
def test_so_is_a_measure_of_something_else(measure: type[OtherMeasure], sections: dict[str, str]) -> None:
    told = sections[measure.name]
    for row in ("formula", "example", "golden values", "range", "scale", "source", "write"):
        assert f"\n| {row} | " in told, row


def test_peers_are_named_by_what_their_files_hold(of_measures: ModuleType) -> None:
    golden = {cls.name: peers for cls, peers in of_measures.golden().items()}
    assert golden["AP"] == ["trec_eval 9.0.8", "ir_measures 0.4.3", "ranx 0.3.21"]
    assert golden["IFT"] == ["cwl_eval 1.0.12"]  # there it is IFTGoal, IFTRate, IFTGoalRate
    assert golden["NCU"] == ["pyNTCIREVAL 0.0.3"]
    assert golden["NuggetVital"] == ["nuggetizer 0.0.5"]
    assert golden["SDCG"] == ["cwl_eval 1.0.12"]  # and not the sDCG of sessions
    assert golden["uRBP"] == ["trectools 0.0.50"]
    assert golden["NRG"] == ["Table 1 of the paper; loops over a made-up campaign"]
    assert not {"PairParity", "sDCG"} & set(golden)


def test_what_else_measures_are_held_to_is_known_and_looked_at(of_measures: ModuleType) -> None:
    rows = list(of_measures.HELD_TO.finditer((ROOT / "tests" / "golden" / "SOURCES.md").read_text("utf-8")))
    assert rows
    for row in rows:
        test = (ROOT / "tests" / row[0].split("`")[1]).read_text("utf-8").casefold()
        for name in row["measures"].split():
            words = {name.casefold(), of_measures.named(name).__name__.casefold()}  # it refuses what there is not
            assert words & set(re.findall(r"\w+", test)), name


def test_weights_are_those_of_the_user(of_measures: ModuleType) -> None:
    told = of_measures.weights(cf.RBP(p=0.5))
    assert "1 to 10: 0.500 0.250 0.125 0.062 0.031 0.016 0.008 0.004 0.002 0.001" in told
    assert told.count("<svg") == 1
    assert told.count("<rect") == 10
    two = of_measures.weights(cf.ERR(max_rel=1) @ 10)  # whoever finds something leaves with a chance of 1/2
    assert two.count("<svg") == 2
    assert two.endswith(" (all relevant)")
    assert of_measures.weights(cf.AP()) == ""
