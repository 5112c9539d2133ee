"""cranfield compare, as a user runs it."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.cli.commands import Command, expect_refusal, read_json

CONTRACT = {
    "outcomes": ["a", "b", "outcome", "topics", "share", "low", "high"],
    "both": ["a", "b", "measure", "n", "value_a", "value_b", "difference", "test", "p", "p_adjusted"],
    "answered": ["a", "b", "test", "only_a", "only_b", "difference", "low", "high", "p", "p_adjusted"],
    "overall": ["a", "b", "measure", "n", "value_a", "value_b", "difference", "test", "p", "p_adjusted", "effect"],
    "dominance": ["a", "b", "level", "outcome", "topics", "share"],
}


def write_runs(folder: Path, **ranks: Sequence[int | None]) -> None:
    """Judgments with one relevant document per topic, and runs that have it at these ranks, None where not at all."""
    topics = len(next(iter(ranks.values())))
    (folder / "q.txt").write_text("".join(f"{t} 0 good 1\n" for t in range(topics)))
    for name, places in ranks.items():
        lines = []
        for topic, place in enumerate(places):
            documents = [f"bad{i}" for i in range(12)]
            if place is not None:
                documents.insert(place - 1, "good")
            lines += [f"{topic} Q0 {d} {r} {-r} {name}" for r, d in enumerate(documents, 1)]
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n")


@pytest.fixture
def runs(here: Path) -> Path:
    """B answers 12 topics more; A ranks better in all 20 that both answer; C is A again."""
    write_runs(here, A=[None] * 12 + [1] * 20, B=[1] * 12 + [2] * 20, C=[None] * 12 + [1] * 20)
    return here


def test_the_text_of_a_pair(cranfield: Command, runs: Path) -> None:
    ended = cranfield("compare", "q.txt", "A.txt", "B.txt", "-m", "RR@10", "--format", "text")
    assert ended.code == 0
    lines = ended.out.splitlines()
    assert lines[0] == "B against A on RR@10, 32 topics"
    assert lines[2].strip() == "B answers more topics; where both answer, A ranks better."
    assert lines[3].split() == "do no harm: neither strict: neither".split()
    row = next(line for line in lines if line.strip().startswith("only B"))
    assert row.split()[2:5] == ["12", "37.5", "%"]
    assert any("answered by one alone: B 12, A 0" in line and "binomial p 0.00049" in line for line in lines)  # 2⁻¹¹
    # Mean RR: A 20/32, B (12 + 10)/32.
    assert any("B is ahead by 0.0625" in line and "opposite, significant effects" in line for line in lines)
    assert "the topics that decide" in ended.out


def test_the_json_contract(cranfield: Command, runs: Path) -> None:
    ended = cranfield("compare", "q.txt", "A.txt", "B.txt", "-m", "RR@10", "--format", "json")
    found = read_json(ended.out)
    assert found["study"] == "compare"
    assert {"strict", "do_no_harm", "do_no_harm_holm", "sentence"} <= set(found["verdict"])
    for table, columns in CONTRACT.items():
        assert list(found["tables"][table][0]) == columns, table
    assert [row["outcome"] for row in found["tables"]["outcomes"]] == ["neither", "only_a", "only_b", "both"]
    assert found["made_by"]["command"].startswith("cranfield compare q.txt A.txt B.txt")
    assert [source["kind"] for source in found["made_by"]["inputs"]] == ["qrels", "run", "run"]


def test_one_table_in_a_pipe(cranfield: Command, runs: Path) -> None:
    ended = cranfield("compare", "q.txt", "A.txt", "B.txt", "--table", "outcomes")
    assert ended.out.splitlines()[0].split("\t") == CONTRACT["outcomes"]
    assert len(ended.out.splitlines()) == 5


def test_many_runs_beside_a_baseline(cranfield: Command, runs: Path) -> None:
    ended = cranfield(
        "compare", "q.txt", "A.txt", "B.txt", "C.txt", "-m", "RR@10", "--baseline", "A", "--format", "text"
    )
    assert ended.out.startswith("Of 2 comparisons, b is better without harm in 0")
    assert "outcomes in the first 10" in ended.out
    latex = cranfield("compare", "q.txt", "A.txt", "B.txt", "C.txt", "--baseline", "A", "--format", "latex")
    assert latex.out.count(r"\toprule") == latex.out.count(r"\bottomrule") >= 3


def test_scores_without_ranks_have_no_outcomes(cranfield: Command, here: Path) -> None:
    (here / "s.csv").write_text("topic,x,y\n1,.5,.6\n2,.2,.4\n3,.1,.2\n")
    ended = cranfield("compare", "--scores", "s.csv", "--format", "text")
    assert ended.code == 0
    assert "no outcomes, no verdict" in ended.out
    named = cranfield("compare", "--scores", "s.csv", "--scale-of", "RR@10", "--format", "text")
    assert "no outcomes, no verdict" in named.out  # .6 is no reciprocal of a rank
    assert "(ferrante2021). The sign test is safe; --scale ignore silences this" in named.out


def test_runs_and_measures_of_a_table_are_chosen_in_its_own_way(cranfield: Command, here: Path) -> None:
    (here / "s.csv").write_text("topic,x,y,z\n1,.5,.6,.1\n2,.2,.4,.2\n3,.1,.2,.9\n")
    typed = ("compare", "--scores", "s.csv")
    told = "--scores stands alone, but there is x too"
    expect_refusal(cranfield(*typed, "x", "y"), 2, told, "choose runs of the table with --pair A B")
    expect_refusal(
        cranfield(*typed, "s.csv"), 2, "--scores stands alone, but there is s.csv too", "leave one of them out"
    )
    told = "s.csv has one value in each cell, and does not say of what"
    expect_refusal(cranfield(*typed, "-m", "AP"), 2, told, "--scale-of AP says what they are")
    expect_refusal(cranfield("evaluate", *typed[1:], "-m", "AP"), 2, told, "leave -m out")
    pair = cranfield(*typed, "--pair", "x", "y", "--scale-of", "AP", "--format", "json")
    assert read_json(pair.out)["verdict"]["pairs"] == 1


def test_scores_of_reciprocal_ranks_have_outcomes(cranfield: Command, here: Path) -> None:
    (here / "s.csv").write_text("topic,x,y\n1,.5,1\n2,0,.3333\n3,.1,0\n")
    ended = cranfield("compare", "--scores", "s.csv", "--scale-of", "RR@10", "--format", "json")
    outcomes = {row["outcome"]: row["topics"] for row in read_json(ended.out)["tables"]["outcomes"]}
    assert outcomes == {"neither": 0, "only_a": 1, "only_b": 1, "both": 1}


@pytest.mark.parametrize(
    ("require", "code", "error"),
    [
        ("better", 3, "B against A is not better"),
        ("strict", 3, "B against A is not strict"),
        ("no-harm", 3, "B against A is not no-harm"),
    ],
)
def test_a_verdict_can_be_required(cranfield: Command, runs: Path, require: str, code: int, error: str) -> None:
    ended = cranfield("compare", "q.txt", "A.txt", "B.txt", "-m", "RR@10", "--require", require)
    assert ended.code == code
    assert f"error: {error}" in ended.err
    assert "where both answer, A ranks better" in ended.err


def test_a_verdict_that_holds_is_no_error(cranfield: Command, here: Path) -> None:
    write_runs(here, A=[None] * 12 + [2] * 20, B=[1] * 32)
    for require in ("better", "strict", "no-harm"):
        assert cranfield("compare", "q.txt", "A.txt", "B.txt", "-m", "RR@10", "--require", require).code == 0


def test_margins(cranfield: Command, runs: Path) -> None:
    words = ["compare", "q.txt", "A.txt", "B.txt", "-m", "RR@10", "--format", "json", "--margin"]
    found = read_json(cranfield(*words, "ranking=2").out)["tables"]["harm"]
    assert [(row["facet"], row["margin"], row["difference"], row["shown"]) for row in found] == [
        ("ranking", 2, 1, True)
    ]
    found = read_json(cranfield(*words, ".2").out)["tables"]["harm"]
    assert found[0]["facet"] == "RR@10"
    expect_refusal(
        cranfield(*words, "answered=2"),
        1,
        "the margin of answered cannot be 2",
        "a share of the topics, such as .01 for one in a hundred",
    )
    ended = cranfield(*words, "much")
    assert ended.code == 2
    assert "give a number above 0" in ended.err


def test_a_chart(cranfield: Command, runs: Path) -> None:
    ended = cranfield("compare", "q.txt", "A.txt", "B.txt", "--chart", "o.svg")
    assert ended.code == 0
    assert (runs / "o.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("words", "code", "error"),
    [
        (("q.txt", "A.txt"), 1, "there is only one run"),
        (("q.txt", "A.txt", "nDCG@10"), 2, "nDCG@10 looks like a measure"),
        (("q.txt", "A.txt", "B.txt", "--decide", "foo"), 1, "'foo' is neither a test of pairs nor a correction"),
        (("q.txt", "A.txt", "B.txt", "--decide", "max-t"), 1, "max-t cannot decide who ranks better"),
        (("q.txt", "A.txt", "B.txt", "--baseline", "Z"), 1, "there is no run"),
        (("q.txt", "A.txt", "B.txt", "--cutoff", "0"), 2, "--cutoff cannot be 0"),
        (("q.txt", "A.txt", "B.txt", "--collections", "c.csv"), 2, "--collections stands alone"),
        (("q.txt", "A.txt", "B.txt", "--scale", "refuse"), 1, "need interval numbers"),
        (("--collections", "none.csv"), 1, "none.csv"),
    ],
)
def test_refusals(cranfield: Command, runs: Path, words: tuple[str, ...], code: int, error: str) -> None:
    ended = cranfield("compare", *words)
    assert (ended.code, ended.out) == (code, "")
    first, second = ended.err.splitlines()
    assert first.startswith("error: ")
    assert error in first
    assert second.startswith("hint: ")


def test_empty_and_strange_files(cranfield: Command, runs: Path) -> None:
    (runs / "empty.txt").write_text("")
    ended = cranfield("compare", "q.txt", "A.txt", "empty.txt")
    assert (ended.code, ended.out) == (1, "")
    assert "empty.txt" in ended.err
    (runs / "nan.txt").write_text("0 Q0 good 1 nan x\n")
    ended = cranfield("compare", "q.txt", "A.txt", "nan.txt")
    assert (ended.code, ended.out) == (1, "")
    assert "nan.txt:1" in ended.err
