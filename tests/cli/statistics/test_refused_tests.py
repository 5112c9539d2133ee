"""What cranfield test refuses, and how."""

from pathlib import Path

import pytest

from tests.support.cli.commands import Command, Ended, expect_refusal

BETWEEN = "give a number between 0 and 1, such as .05"
REFUSED = [
    (["-t", "tt"], 1, "there is no test named 'tt'", "did you mean tost or t or t-test?"),
    (["-t", "rank-sun"], 1, "there is no test named 'rank-sun'", "did you mean rank-sum or ranksum or rank-tukey?"),
    (
        ["-t", "t("],
        1,
        "cannot read the test 't(': '(' at character 2 is never closed",
        "write a name, or name(parameter=value); `cranfield tests` lists them",
    ),
    (["--correct", "hol"], 1, "there is no correction named 'hol'", "did you mean holm?"),
    (["--correct", "holm bh"], 1, "'holm bh' holds 2 corrections where one is wanted", "name one correction"),
    (["--interval", "bcaa"], 1, "there is no interval named 'bcaa'", "did you mean bca?"),
    (["--transform", "logi"], 1, "there is no transform named 'logi'", "did you mean logit or log-odds?"),
    (["--scale-of", "APP"], 1, "there is no measure named 'APP'", "did you mean AP or MAP or IAP?"),
    (["--pair", "bm25", "x"], 1, "there is no run named x", "there are: bm25, rm3"),
    (["--baseline", "bm52"], 1, "there is no run named bm52", "did you mean bm25?"),
    (["--pair", "rm3", "rm3"], 1, "rm3 would be compared with itself", "name two different runs"),
    (
        ["--pair", "rm3", "bm25", "--baseline", "rm3"],
        1,
        "pairs are given, and a baseline too",
        "leave one of them out",
    ),
    (["--level", "0"], 2, "--level cannot be 0", BETWEEN),
    (["--level", "1"], 2, "--level cannot be 1", BETWEEN),
    (["--level", "x"], 2, "--level cannot be x", BETWEEN),
    (["--level", "nan"], 2, "--level cannot be nan", BETWEEN),
    (["--draws", "0"], 2, "--draws cannot be 0", "give a whole number, 1 or more"),
    (["--draws", "1.5"], 2, "--draws cannot be 1.5", "give a whole number, 1 or more"),
    (["--seed", "-1"], 2, "--seed cannot be -1", "give a whole number, 0 or more"),
    (["--rope", "0"], 2, "--rope cannot be 0", "give a number above 0, such as .01"),
    (["--rope", "inf"], 2, "--rope cannot be inf", "give a number above 0, such as .01"),
    (["--family", "runs"], 2, "--family cannot be runs", "choose one of: pairs, measures, all"),
    (["--aggregate", "sum"], 2, "--aggregate cannot be sum", "choose one of: mean, median"),
    (["--alternative", "up"], 2, "--alternative cannot be up", "choose one of: two-sided, greater, less"),
    (
        ["--scale-of", "AP", "--scale", "refuse"],
        1,
        "t and the mean need interval numbers; AP is ordinal (ferrante2021)",
        "the sign test is safe, and the median (--aggregate median); --scale note goes on",
    ),
    (["--norms", "norms.csv"], 1, "there are norms, but no transform that goes by them", None),
    (["--transform", "z-score", "--norms", "n.csv"], 1, "n.csv: there is no such file", None),
    (["--chart", "p.gif"], 1, "p.gif: no picture ends in .gif", "end the name in .svg .png .pdf .html"),
    (["--chart", "no/p.svg"], 1, "no/p.svg: there is no folder no", "make it first: mkdir -p no"),
    (["--save-norms", "no/n.csv"], 1, "no/n.csv: there is no folder no", "make it first: mkdir -p no"),
    (["-o", "no/t.json"], 1, "no/t.json: there is no folder no", "make it first: mkdir -p no"),
    (["--table", "test"], 1, "the study test has no table named 'test'", "there are: summary, effects, tests"),
    (["--topics", "t1,t99"], 1, "there is no topic t99", None),
    (["-m", "AP"], 2, "s.csv has one value in each cell, and does not say of what", "--scale-of AP says what they are"),
    (["--rel", "2"], 2, "--scores stands alone, but there is --rel too", "leave one of them out"),
    (["--interval", "t", "--aggregate", "median"], 1, "t is an interval of means", "leave it out, or the median"),
]


@pytest.fixture
def scores(here: Path) -> Path:
    """A table of scores: four topics, two runs."""
    (here / "s.csv").write_text("topic,bm25,rm3\nt0,.1,.3\nt1,.35,.45\nt2,.2,.35\nt3,.55,.6\n")
    return here


@pytest.mark.parametrize(("words", "code", "error", "hint"), REFUSED, ids=[" ".join(words) for words, *_ in REFUSED])
def test_refused(words: list[str], code: int, error: str, hint: str | None, scores: Path, cranfield: Command) -> None:
    before = sorted(scores.iterdir())
    ended = cranfield("test", "--scores", "s.csv", *words)
    expect_refusal(ended, code, error, hint)
    assert sorted(scores.iterdir()) == before


def test_a_scale_without_scores(cranfield: Command) -> None:
    assert cranfield("test", "qrels.txt", "run.txt", "--scale-of", "AP") == Ended(
        2, "", "error: --scale-of is about a table of scores\nhint: give one with --scores\n"
    )
    assert cranfield("test").err == (
        "error: QRELS and a RUN are missing\nhint: cranfield test qrels.txt run.txt -m nDCG@10\n"
    )
    assert cranfield("test", "qrels.txt", "run.txt").err == (
        "error: there is only one run\nhint: a comparison needs two runs or more\n"
    )
