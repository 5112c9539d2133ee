"""cranfield scale, as a user runs it."""

from pathlib import Path

import pytest

from tests.support.cli.commands import Command, expect_refusal, read_json


def test_as_text(cranfield: Command) -> None:
    ended = cranfield("scale", "RR@3")
    assert ended.code == 0
    assert ended.out.startswith("RR@3 has no equal steps.")
    assert "100 101 110 111" in ended.out
    assert "3 of 5 differences cannot be realised" in ended.out + ended.err


def test_the_json_contract(cranfield: Command) -> None:
    asked = ("scale", "P@4", "AP@4", "--length", "4", "--relevant", "4", "--format", "json")
    found = read_json(cranfield(*asked).out)
    assert {"measure", "scale", "source", "equispaced"} <= set(found["tables"]["scales"][0])
    assert {"measure", "value", "runs"} <= set(found["tables"]["values"][0])
    assert [row["equispaced"] for row in found["tables"]["scales"]] == [True, False]
    assert found["study"] == "scale"
    assert sum(row["runs"] for row in found["tables"]["values"] if row["measure"] == "P@4") == 16


def test_the_catalogue(cranfield: Command) -> None:
    ended = cranfield("scale")
    assert ended.code == 0
    assert "axioms" in ended.out
    assert "transformations" in ended.out


def test_a_picture(cranfield: Command, here: Path) -> None:
    ended = cranfield("scale", "P", "AP", "--length", "4", "--chart", "steps.svg")
    assert ended.code == 0
    assert (here / "steps.svg").read_text().startswith("<svg")


def test_what_changes(cranfield: Command, campaign: Path, here: Path) -> None:
    given = ("--qrels", str(campaign / "qrels.txt"), "--runs", str(campaign / "runs"))
    ended = cranfield("scale", "AP@5", *given, "--chart", "changes.svg", "--format", "json")
    found = read_json(ended.out)
    assert [row["from"] for row in found["tables"]["changed"]] == ["AP@5, t"] * 4
    assert found["tables"]["changed"][0]["to"] == "interval(AP@5), t"
    assert (here / "changes.svg").exists()


@pytest.mark.parametrize(
    ("options", "code", "error", "hint"),
    [
        (("AP@10", "--qrels", "q.txt"), 2, "--qrels and --runs belong together", "--qrels qrels.txt --runs runs/"),
        (("AP@3", "--relevant", "x"), 2, "--relevant cannot be x", "give a number, or one for each grade: 3,2"),
        (("AP@3", "--length", "0"), 2, "--length cannot be 0", None),
        (("Nope",), 1, "there is no measure named 'Nope'", None),
        (("AP@3", "--grades", "2", "--relevant", "1,2,3"), 1, "there are 3 counts for 2 grades", None),
        (("AP", "--draw", "spacing", "--chart", "x.svg"), 1, "the study scale has no chart named 'spacing'", None),
    ],
)
def test_what_is_refused(
    cranfield: Command, here: Path, options: tuple[str, ...], code: int, error: str, hint: str | None
) -> None:
    del here
    ended = cranfield("scale", *options)
    if "--chart" in options:
        assert ended.code == code
        assert f"error: {error}" in ended.err
    else:
        expect_refusal(ended, code, error, hint)
