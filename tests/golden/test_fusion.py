"""Fused runs beside those of ranx."""

import pytest

from cranfield.data import read_run
from cranfield.fusion import code_runs
from tests.support.golden.fusion_inputs import Scores, constant, runs
from tests.support.golden.golden_values import EXACT, golden

SAID = golden("fusion")
# Lists of one score: each of their documents has 1 here and 0 in ranx.
ALIKE = {"a": 1, "b": 2, "c": 1}
HAVE_IT = {"a": 2, "b": 3, "c": 1}


def fused(given: list[Scores], method: str) -> Scores:
    read = [read_run(run, name=f"run{i}") for i, run in enumerate(given)]
    found: Scores = {}
    for row in code_runs(read).fuse(method).to_table().rows():
        found.setdefault(str(row["topic"]), {})[str(row["document"])] = float(str(row["score"]))
    return found


@pytest.mark.parametrize("method", SAID["runs"])
def test_scores_are_those_of_ranx(method: str) -> None:
    ours, theirs = fused(runs(), method), SAID["runs"][method]
    assert set(ours) == set(theirs)
    for topic, scores in theirs.items():
        assert ours[topic] == pytest.approx(scores, rel=EXACT, abs=EXACT), topic


@pytest.mark.parametrize("method", ["combsum(norm='z-score')", "combmnz(norm='z-score')"])
def test_scores_that_are_all_equal_have_no_deviation(method: str) -> None:
    assert fused(constant(), method) == SAID["constant"][method]


def test_scores_that_are_all_equal_are_the_top_here_and_the_bottom_in_ranx() -> None:
    theirs = SAID["constant"]["combsum"]["1"]
    assert fused(constant(), "combsum")["1"] == {document: theirs[document] + ALIKE[document] for document in ALIKE}
    theirs = SAID["constant"]["combmnz"]["1"]
    assert fused(constant(), "combmnz")["1"] == {
        document: theirs[document] + HAVE_IT[document] * ALIKE[document] for document in ALIKE
    }
