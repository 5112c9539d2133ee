"""cranfield evaluate with a curve and its chart."""

from pathlib import Path

import pytest

from tests.support.cli.commands import Command
from tests.support.cli.two_run_evaluation import ASK, error, tables

pytestmark = pytest.mark.usefixtures("other")


def test_a_curve_is_a_table(cranfield: Command) -> None:
    found = tables(cranfield(*ASK, "--curve", "pr", "--format", "json"))
    assert list(found) == ["values", "curve"]
    assert list(found["curve"][0]) == ["run", "recall", "precision"]
    # One relevant document a topic: at rank 1 and 1, at rank 2 and 1.
    assert [(row["recall"], row["precision"]) for row in found["curve"]] == [
        (i / 10, value) for value in (1.0, 0.75) for i in range(11)
    ]
    text = cranfield(*ASK, "--curve", "pr", "--format", "text").out.split("\n\n")[1]
    assert text.splitlines()[0] == "precision at recall, 2 topics"
    assert text.splitlines()[1].split() == ["run", "0", *(f"0.{i}" for i in range(1, 10)), "1"]
    assert text.splitlines()[3].split() == ["other", *["0.7500"] * 11]
    lines = cranfield(*ASK, "--curve", "pr", "--table", "curve").out.splitlines()
    assert lines[:2] == ["run\trecall\tprecision", "run\t0.0\t1.0"]


def test_a_curve_of_some_topics_at_a_level(cranfield: Command) -> None:
    ask = [*ASK, "--curve", "pr", "--rel", "2", "--format", "json"]
    # Only topic 2 has a document of grade 2.
    assert {row["precision"] for row in tables(cranfield(*ask, "--topics", "2"))["curve"]} == {1.0}
    assert {row["precision"] for row in tables(cranfield(*ask))["curve"]} == {0.5}
    assert cranfield(*ask, "--rel", "1") == error("a curve has one level of relevance, not 2", "choose one of: 2, 1")


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf", "html"])
def test_a_curve_is_a_chart(suffix: str, here: Path, cranfield: Command) -> None:
    ended = cranfield(*ASK, "--curve", "pr", "--chart", f"curve.{suffix}")
    assert (ended.code, ended.err) == (0, "")
    assert (here / f"curve.{suffix}").stat().st_size > 5000
    assert sorted(path.name for path in here.iterdir()) == [f"curve.{suffix}", "other.txt", "qrels.txt", "run.txt"]


def test_charts_that_cannot_be(here: Path, cranfield: Command) -> None:
    ends = "end the name in .svg .png .pdf .html"
    assert cranfield(*ASK, "--chart", "x.svg") == error(
        "--chart has nothing to draw", "ask for a curve: --curve pr", code=2
    )
    (here / "folder.svg").mkdir()
    for chart, expected in {
        "x.bmp": error("x.bmp: no picture ends in .bmp", ends),
        "x": error("x: the name does not say which kind of picture", ends),
        "no/x.svg": error("no/x.svg: there is no folder no", "make it first: mkdir -p no"),
        "folder.svg": error("folder.svg: this is a folder, not a file", "name a file in it"),
        "run.txt/x.svg": error("run.txt/x.svg: run.txt is a file, not a folder", "name another folder"),
    }.items():
        assert cranfield(*ASK, "--curve", "pr", "--chart", chart) == expected
    late = cranfield(*ASK, "--curve", "pr", "--chart", "/proc/x.svg")
    assert (late.code, late.err.splitlines()[1]) == (1, "hint: check the permissions and the disk")
    assert late.err.startswith("error: /proc/x.svg: writing failed: ")
    assert cranfield(*ASK, "--curve", "roc") == error("--curve cannot be roc", "choose one of: pr", code=2)


def test_a_chart_without_the_extra(here: Path, process: Command) -> None:
    (here / "sitecustomize.py").write_text("import sys\nsys.modules['altair'] = None\n")
    ended = process(*ASK, "--curve", "pr", "--chart", "x.svg", PYTHONPATH=str(here))
    assert ended == error("charts need altair", "pip install 'cranfield[charts]'")
    assert process(*ASK, "--curve", "pr", PYTHONPATH=str(here)).code == 0
