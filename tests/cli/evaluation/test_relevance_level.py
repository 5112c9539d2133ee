"""`--rel` reaches everything that a command computes, not only the measures that are named."""

from pathlib import Path

import pytest

from tests.support.cli.commands import Command, read_json

FILES = ("q.txt", "a.txt", "b.txt")


@pytest.fixture(autouse=True)
def graded(here: Path) -> None:
    """In each of three topics a document has grade 1 and one has grade 2: at ranks 1 and 3 of a, 3 and 2 of b."""
    topics = ("1", "2", "3")
    (here / "q.txt").write_text("".join(f"{t} 0 fair 1\n{t} 0 good 2\n{t} 0 bad 0\n" for t in topics))
    for run, ranking in (("a", "fair bad good"), ("b", "bad good fair")):
        lines = [f"{t} Q0 {d} {r} {-r} {run}\n" for t in topics for r, d in enumerate(ranking.split(), 1)]
        (here / f"{run}.txt").write_text("".join(lines))


def test_evidence_of_a_comparison(cranfield: Command) -> None:
    ended = cranfield("compare", *FILES, "-m", "P@2", "--rel", "2", "--table", "evidence", "--format", "json")
    lines = {row["line"]: row for row in read_json(ended.out)["tables"]["evidence"]}
    assert lines["measure"]["measure"] == "P(rel=2)@2"
    answered = lines["answered"]  # within rank 2: a in no topic, b in all
    assert (answered["measure"], answered["value_a"], answered["value_b"]) == ("Success(rel=2)@2", 0, 1)
    assert lines["first relevant"]["measure"] == "ESL(rel=2)"


@pytest.mark.parametrize(("least", "code"), [("0.4", 0), ("0.6", 3)])
def test_a_requirement_on_a_measure_at_the_level(cranfield: Command, least: str, code: int) -> None:
    ended = cranfield("compare", *FILES, "-m", "P@2", "--rel", "2", "--require", f"min P@2 {least}")  # b has 1/2
    assert ended.code == code


def test_a_margin_of_a_measure_at_the_level(cranfield: Command) -> None:
    asked = ("compare", *FILES, "-m", "P@2", "--rel", "2", "--margin", "P@2=0.1", "--format", "json")
    assert "P(rel=2)@2" in read_json(cranfield(*asked).out)["verdict"]["sentence"]


def test_the_facets_of_a_board(cranfield: Command) -> None:
    ended = cranfield(
        "leaderboard", *FILES, "-m", "P@2", "--rel", "2", "--robust", "--draws", "100", "--format", "json"
    )
    found = {row["run"]: row["esl"] for row in read_json(ended.out)["tables"]["facets"]}
    assert found == {"a": 3, "b": 2}  # ranks of the document of grade 2


def test_novelty(cranfield: Command) -> None:
    words = ("novelty", *FILES, "-m", "P@2", "--rel", "2", "--prior", "none", "--format", "json")
    found = {row["run"]: row for row in read_json(cranfield(*words).out)["tables"]["novelty"]}
    assert {run: (row["measure"], row["nrg"]) for run, row in found.items()} == {
        "a": ("P(rel=2)@2", 0),
        "b": ("P(rel=2)@2", 0.5),
    }


def test_a_report(cranfield: Command, here: Path) -> None:
    assert cranfield("report", *FILES, "-m", "P@2", "--rel", "2", "-o", "report.html").code == 0
    assert "first relevant (ESL, rel=2)" in (here / "report.html").read_text(encoding="utf-8")
