"""Scores with one value in each row, on the command line."""

import json
from pathlib import Path

import pytest

from tests.support.cli.commands import Command

ROWS = """name,qid,measure,value
a,1,map,0.5
a,2,map,0.25
a,3,map,0.75
b,1,map,0.75
b,2,map,0.5
b,3,map,1
a,1,mrt,12
a,2,mrt,11
a,3,mrt,10
b,1,mrt,9
b,2,mrt,8
b,3,mrt,7
"""


@pytest.fixture(autouse=True)
def rows(here: Path) -> None:
    (here / "perquery.csv").write_text(ROWS)


def test_measures_have_the_names_that_stand_there(cranfield: Command) -> None:
    ended = cranfield("evaluate", "--scores", "perquery.csv", "--format", "tsv")
    assert ended.out.splitlines()[1:] == [
        "a\tAP\tmean\t0.5\t3\t0\t0",
        "a\tmrt\tmean\t11.0\t3\t0\t0",
        "b\tAP\tmean\t0.75\t3\t0\t0",
        "b\tmrt\tmean\t8.0\t3\t0\t0",
    ]


@pytest.mark.parametrize(("asked", "name"), [("AP", "AP"), ("map", "AP"), ("mrt", "mrt")])
def test_one_of_them_is_chosen(asked: str, name: str, cranfield: Command) -> None:
    ended = cranfield("test", "--scores", "perquery.csv", "-m", asked, "-t", "sign", "--format", "json")
    assert {row["measure"] for row in json.loads(ended.out)["tables"]["tests"]} == {name}


def test_their_scale_is_known(cranfield: Command) -> None:
    ended = cranfield("test", "--scores", "perquery.csv", "-m", "AP", "-t", "t", "--scale", "refuse")
    assert ended.code == 1
    assert ended.err.startswith("error: t and the mean need interval numbers; AP is ordinal")


def test_what_is_not_there_cannot_be_chosen(cranfield: Command) -> None:
    ended = cranfield("test", "--scores", "perquery.csv", "-m", "nDCG")
    assert (ended.code, ended.err) == (1, "error: there are no values of nDCG\nhint: there are: AP, mrt\n")
    ended = cranfield("test", "--scores", "perquery.csv", "--scale-of", "AP")
    assert ended.code == 2
    assert ended.err.startswith(
        "error: perquery.csv has values of 2 measures\nhint: leave out --scale-of, or choose one"
    )
