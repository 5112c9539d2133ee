"""cranfield power, as a user runs it."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tests.support.cli.commands import Command, Ended, expect_refusal, read_json
from tests.support.cli.latex_characters import KNOWN
from tests.support.reference.t_test_power import power_of_t

MATRIX = (np.random.default_rng(4).random((10, 3)) / 2).round(3)
POWER = ["design", "topics", "level", "power", "difference", "variance"]
PLAN = ("power", "--variance", ".02", "--difference", ".05")


@pytest.fixture
def scores(here: Path) -> Path:
    """A pilot: ten topics, three runs."""
    lines = ["topic,a,b,c", *(f"t{i},{','.join(map(str, row))}" for i, row in enumerate(MATRIX.tolist()))]
    (here / "s.csv").write_text("\n".join(lines))
    return here


def ask(cranfield: Command, *words: str) -> dict[str, Any]:
    ended = cranfield("power", *words, "--format", "json")
    assert ended.code == 0, ended.err
    return read_json(ended.out)


# What is shown


def test_json_is_the_contract(cranfield: Command) -> None:
    found = ask(cranfield, "--variance", ".02", "--difference", ".05")
    assert (found["contract"], found["study"], list(found["tables"])) == (2, "power", ["power"])
    assert all(list(row) == POWER for row in found["tables"]["power"])
    n = next(n for n in range(2, 999) if power_of_t(n, 0.05, 0.02) >= 0.8)
    assert found["verdict"]["topics"] == n
    assert {"design", "topics", "difference", "power", "level", "variance", "sentence"} == set(found["verdict"])
    assert found["made_by"]["command"] == "cranfield power --variance .02 --difference .05 --format json"
    assert found["made_by"]["inputs"] == []


@pytest.mark.usefixtures("scores")
def test_json_with_a_pilot(cranfield: Command) -> None:
    found = ask(cranfield, "--scores", "s.csv", "--difference", ".05")
    assert list(found["tables"]) == ["achieved", "power"]
    assert found["verdict"]["variance"] > 0
    assert [source["name"] for source in found["made_by"]["inputs"]] == ["s.csv"]


def test_text_says_the_answer(cranfield: Command) -> None:
    text = cranfield(*PLAN, "--format", "text").out
    n = next(n for n in range(2, 999) if power_of_t(n, 0.05, 0.02) >= 0.8)
    assert text.startswith(f"{n} topics")
    assert "power 0.8 at level 0.05" in " ".join(text.split())
    assert "power to find the difference between two runs of 0.05, variance 0.02" in text


def test_a_pipe_gets_the_curve(cranfield: Command) -> None:
    lines = cranfield(*PLAN).out.splitlines()
    assert lines[0] == "\t".join(POWER)
    for line in lines[1:]:
        _, topics, _, power, _, _ = line.split("\t")
        assert float(power) == pytest.approx(power_of_t(int(topics), 0.05, 0.02), abs=1e-9)


@pytest.mark.parametrize("name", ["p.txt", "p.json", "p.tsv", "p.csv", "p.tex", "p.md", "p.html", "p.parquet"])
def test_files(name: str, here: Path, cranfield: Command) -> None:
    assert cranfield(*PLAN, "-o", name) == Ended(0, "", "")
    if name == "p.parquet":
        assert pl.read_parquet(here / name).columns == POWER
    else:
        assert "variance" in (here / name).read_text()


@pytest.mark.usefixtures("scores")
@pytest.mark.parametrize("design", ["t", "anova", "interval"])
def test_latex_has_only_signs_that_it_knows(design: str, cranfield: Command) -> None:
    latex = cranfield("power", "--scores", "s.csv", "--design", design, "--format", "latex").out
    assert {sign for sign in latex if not sign.isascii()} <= KNOWN
    assert latex.count(r"\begin{table}") == 1


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf", "html"])
def test_charts(suffix: str, here: Path, cranfield: Command) -> None:
    assert cranfield(*PLAN, "--chart", f"p.{suffix}", "--format", "csv").code == 0
    start = {"svg": b"<svg", "png": b"\x89png", "pdf": b"%pdf", "html": b"<!doctype html>"}[suffix]
    assert start in (here / f"p.{suffix}").read_bytes()[:200].lower()


# What is asked


@pytest.mark.usefixtures("scores")
def test_every_option(cranfield: Command) -> None:
    size = ask(cranfield, "--variance", ".02", "-n", "40", "--power", ".9", "--level", ".01")["verdict"]
    assert (size["topics"], size["power"], size["level"]) == (40, 0.9, 0.01)
    both = ask(cranfield, "--variance", ".02", "--size", "40", "--difference", ".05")["verdict"]
    assert both["power"] == pytest.approx(power_of_t(40, 0.05, 0.02))
    pair = ask(cranfield, "--scores", "s.csv", "--pair", "a", "c", "--difference", ".1")
    assert pair["verdict"]["variance"] == pytest.approx((MATRIX[:, 2] - MATRIX[:, 0]).var(ddof=1))
    assert [(row["a"], row["b"]) for row in pair["tables"]["achieved"]] == [("a", "c")]
    within = ask(cranfield, "--scores", "s.csv", "--pilot", "within", "--difference", ".1")["verdict"]
    assert within["variance"] == pytest.approx(MATRIX.var(axis=0, ddof=1).mean())
    anova = ask(cranfield, "--scores", "s.csv", "--design", "anova", "--difference", ".1")["verdict"]
    assert (anova["design"], anova["variance"]) == ("anova(runs=3)", pytest.approx(within["variance"]))
    assert ask(cranfield, "--scores", "s.csv", "--design", "anova(runs=7)")["verdict"]["design"] == "anova(runs=7)"
    pilot = ask(cranfield, "--scores", "s.csv")["verdict"]
    assert pilot["topics"] == 10
    given = ask(cranfield, "--scores", "s.csv", "--variance", ".5")["verdict"]
    assert given["variance"] == 0.5
    assert "as given" in given["sentence"]


def test_judged_runs(campaign: Path, cranfield: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(campaign)
    ended = cranfield("power", "qrels.txt", "runs", "-m", "nDCG@10", "--size", "50", "--format", "json")
    assert read_json(ended.out)["verdict"]["topics"] == 50
    assert "note: the t design needs interval numbers; nDCG@10 is ordinal (ferrante2021)." in ended.err
    several = cranfield("power", "qrels.txt", "runs", "-m", "AP P@5")
    assert several == Ended(1, "", "error: which measure?\nhint: there are: AP, P@5\n")


# What is refused

REFUSED = [
    (
        [],
        1,
        "there is no variance to plan with",
        "give a pilot (QRELS RUN... or --scores), or the variance itself (--variance)",
    ),
    (
        ["--variance", ".02"],
        1,
        "there is nothing to solve for",
        "give the smallest difference that matters (--difference), or how many topics there are (--size)",
    ),
    (
        [*PLAN[1:], "--power", ".04"],
        1,
        "a power of 0.04 is not between the level 0.05 and 1",
        "a test is significant as often as its level where nothing is to be found; the usual power is 0.8",
    ),
    ([*PLAN[1:], "--power", "1"], 2, "--power cannot be 1", "give a number between 0 and 1, such as .8"),
    ([*PLAN[1:], "--level", "0"], 2, "--level cannot be 0", "give a number between 0 and 1, such as .05"),
    (["--variance", "0"], 2, "--variance cannot be 0", "give a number above 0, such as .02"),
    (["--variance", "x"], 2, "--variance cannot be x", "give a number above 0, such as .02"),
    (["--difference", "-1"], 2, "--difference cannot be -1", "give a number above 0, such as .05"),
    (["--size", "1"], 2, "--size cannot be 1", "give a whole number, 2 or more"),
    ([*PLAN[1:], "--design", "anov"], 1, "there is no design named 'anov'", "did you mean anova?"),
    (
        [*PLAN[1:], "--size", "9", "--design", "interval"],
        1,
        "the interval design has no power to solve for",
        "give the difference (--difference), or how many topics there are (--size)",
    ),
    (
        ["--variance", ".02", "--difference", "1e-9"],
        1,
        "that needs more than 1,000,000,000 topics",
        "ask for a larger difference, or for less power",
    ),
    (
        [*PLAN[1:], "--pair", "a", "b"],
        1,
        "there is no pilot that the pair could be of",
        "give one: QRELS RUN... or --scores",
    ),
    ([*PLAN[1:], "--pilot", "median"], 1, "there is no pilot that median could be of", None),
    (["--pilot", "x"], 2, "--pilot cannot be x", None),
    (["--scores", "s.csv", "--pair", "a", "a"], 1, "a would be compared with itself", "name two different runs"),
    (["--scores", "s.csv", "--pair", "a", "x"], 1, "there is no run named x", "there are: a, b, c"),
    ([*PLAN[1:], "--chart", "p.gif"], 1, "p.gif: no picture ends in .gif", "end the name in .svg .png .pdf .html"),
    ([*PLAN[1:], "--chart", "no/p.svg"], 1, "no/p.svg: there is no folder no", "make it first: mkdir -p no"),
    ([*PLAN[1:], "--scale-of", "AP"], 2, "--scale-of is about a table of scores", "give one with --scores"),
    (
        ["--scores", "s.csv", "--scale-of", "AP", "--scale", "refuse"],
        1,
        "the t design needs interval numbers; AP is ordinal (ferrante2021)",
        None,
    ),
]


@pytest.mark.parametrize(("words", "code", "error", "hint"), REFUSED, ids=[" ".join(words) for words, *_ in REFUSED])
def test_refused(words: list[str], code: int, error: str, hint: str | None, scores: Path, cranfield: Command) -> None:
    before = sorted(scores.iterdir())
    ended = cranfield("power", *words)
    expect_refusal(ended, code, error, hint)
    assert sorted(scores.iterdir()) == before
