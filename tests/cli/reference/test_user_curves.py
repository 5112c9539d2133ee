"""cranfield measures --user, as a user runs it."""

import json
from pathlib import Path

import pytest

from tests.support.cli.commands import Command


def test_the_users_of_two_measures_side_by_side(cranfield: Command) -> None:
    ended = cranfield("measures", "--user", "RBP(p=0.5)", "P@2", "--depth", "3", "--format", "text")
    assert (ended.code, ended.err) == (0, "")
    # p = 1/2: half of all looks go to the first rank, a quarter to the second; two documents in expectation.
    assert ended.out.startswith(
        "documents that a user looks at, in expectation: RBP(p=0.5) 2.00, P@2 2.00\n\n"
        "weights: the share of all looks that a rank gets\n"
        "rank  RBP(p=0.5)     P@2\n"
        "   1      0.5000  0.5000\n"
        "   2      0.2500  0.5000\n"
        "   3      0.1250  0.0000\n"
    )


def test_json_holds_every_curve(cranfield: Command) -> None:
    found = json.loads(
        cranfield("measures", "--user", "rbp", "--grades", "1,0", "--depth", "2", "--format", "json").out
    )
    assert list(found["tables"]) == ["weights", "curves", "expected"]
    assert [row["continues"] for row in found["tables"]["curves"]] == pytest.approx([0.8, 0.8])
    assert [row["last"] for row in found["tables"]["curves"]] == pytest.approx([0.2, 0.16])
    (expected,) = found["tables"]["expected"]
    assert (expected["EU"], expected["ETU"], expected["ED"]) == pytest.approx((0.2, 1.0, 5.0))


def test_a_picture_of_the_weights(cranfield: Command, tmp_path: Path) -> None:
    ended = cranfield("measures", "--user", "RBP", "INST", "--chart", str(tmp_path / "weights.svg"))
    assert ended.code == 0
    drawn = (tmp_path / "weights.svg").read_text()
    assert drawn.startswith("<svg")
    assert "INST(max_rel=1), all relevant" in drawn


@pytest.mark.parametrize(
    ("arguments", "error", "hint"),
    [
        (["--user"], "--user needs a measure", "cranfield measures --user RBP INST"),
        (["RBP", "--depth", "3"], "--depth is about users", "add --user"),
        (["--user", "RBP", "--grades", "1;2"], "--grades cannot be 1;2", "grades down a ranking: --grades 3,0,1"),
        (
            ["--user", "RBP", "--chart", "nowhere/x.svg"],
            "nowhere/x.svg: there is no folder nowhere",
            "make it first: mkdir -p nowhere",
        ),
    ],
)
def test_what_cannot_be_is_refused(arguments: list[str], error: str, hint: str, cranfield: Command) -> None:
    ended = cranfield("measures", *arguments)
    assert ended.code in (1, 2)
    assert ended.err.splitlines()[-2:] == [f"error: {error}", f"hint: {hint}"]


def test_a_measure_without_a_user_says_who_has_one(cranfield: Command) -> None:
    ended = cranfield("measures", "--user", "AP")
    assert ended.err.startswith("error: AP has no user who reads down a ranking\nhint: these have one: ")


def test_names_of_other_tools_are_explained_too(cranfield: Command) -> None:
    assert cranfield("measures", "ndcg_cut_10").out.startswith("nDCG (also NDCG, MSnDCG)\n")
    assert cranfield("measures", "ndcg@10-l2").out.startswith("nDCG (also NDCG, MSnDCG)\n")
