"""cranfield compare, as a user runs it."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.cli.commands import Command, expect_refusal, read_json

CONTRACT = {
    "evidence": [
        *("a", "b", "line", "measure", "n", "value_a", "value_b", "difference", "low", "high"),
        *("test", "p", "p_adjusted", "status"),
    ],
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


def test_the_text_of_a_pair_fits_on_a_screen(cranfield: Command, runs: Path) -> None:
    ended = cranfield("compare", "q.txt", "A.txt", "B.txt", "-m", "RR@10", "--format", "text")
    assert ended.code == 0
    lines = ended.out.splitlines()
    assert len(lines) <= 30
    # Mean RR: A 20/32, B (12 + 10)/32.
    assert lines[0].startswith("No significant difference between B and A on RR@10 (+0.062, 95% CI [")
    rows = [line.split() for line in lines]
    assert any(row[:4] == ["RR@10", "inconclusive", "32", "0.6250"] for row in rows)
    answered = next(row for row in rows if row[:3] == ["answered", "within", "10"])
    # 20 and 32 of 32 topics, binomial p = 2⁻¹¹, times three lines.
    assert answered[3:7] == ["better", "32", "0.6250", "1.0000"]
    assert answered[-2:] == [f"{3 / 2**11:.4f}", "binomial"]
    assert next(row for row in rows if row[:3] == ["first", "relevant", "(ESL)"])[3] == "worse"
    details = cranfield("compare", "q.txt", "A.txt", "B.txt", "-m", "RR@10", "--format", "text", "--details")
    assert "tests of the whole measure" in details.out
    assert "tests of the whole measure" not in ended.out


@pytest.mark.parametrize("margins", [(), (".02",), (".02", "P@5=.1", "AP=.1", "answered=.1", "ranking=1")])
def test_many_measures_and_margins_fit_on_a_screen_too(
    cranfield: Command, runs: Path, margins: tuple[str, ...]
) -> None:
    words = [word for margin in margins for word in ("--margin", margin)]
    ended = cranfield(
        "compare", "q.txt", "A.txt", "B.txt", "-m", "RR@10 AP P@5 nDCG@10 Recall@100", "--format", "text", *words
    )
    assert ended.code == 0
    assert len(ended.out.splitlines()) <= 30
    assert all(name in ended.out for name in ("R@100", "first relevant", *(m.partition("=")[0] for m in margins[1:])))


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("--collections", "c.csv", "--require", "no-harm"), "--require has no effect with --collections"),
        (("--collections", "c.csv", "--margin", ".1"), "--margin has no effect with --collections"),
        (("--collections", "c.csv", "-t", "sign"), "--test has no effect with --collections"),
        (("q.txt", "A.txt", "B.txt", "--paper", "--by", "outcomes"), "--by has no effect with --paper"),
        (("q.txt", "A.txt", "B.txt", "--paper", "--chart", "x.svg"), "--chart has no effect with --paper"),
    ],
)
def test_options_that_would_be_ignored_are_refused(
    cranfield: Command, runs: Path, words: tuple[str, ...], option: str
) -> None:
    expect_refusal(cranfield("compare", *words), 2, option, None)


@pytest.mark.parametrize("form", ["latex", "markdown", "html"])
def test_the_caption_names_the_corrections(cranfield: Command, runs: Path, form: str) -> None:
    ended = cranfield("compare", "q.txt", "A.txt", "B.txt", "-m", "RR@10", "--format", form)
    caption = next(line for line in ended.out.splitlines() if "Bonferroni over 3" in line).replace("\\%", "%")
    assert "RR@10 (primary): not corrected, 95% CI" in caption
    assert "98.3% CI" in caption  # 1 − .05/3


def test_the_json_contract(cranfield: Command, runs: Path) -> None:
    ended = cranfield("compare", "q.txt", "A.txt", "B.txt", "-m", "RR@10", "--format", "json")
    found = read_json(ended.out)
    assert found["study"] == "compare"
    assert found["contract"] == 2
    assert found["verdict"]["verdict"] == "inconclusive"
    keys = {"by", "measure", "cutoff", "strict", "do_no_harm", "do_no_harm_holm", "detectable", "sentence"}
    assert keys <= set(found["verdict"])
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
    assert ended.out.startswith(
        "Compared with A on RR@10 (paired t-test, 32 topics, Holm over 2 pairs), of 2 runs 2 are\ninconclusive."
    )
    rows = [line.split() for line in ended.out.splitlines()]
    assert [row[:2] for row in rows if row and row[0] in "BC"] == [["B", "inconclusive"], ["C", "inconclusive"]]
    latex = cranfield("compare", "q.txt", "A.txt", "B.txt", "C.txt", "--baseline", "A", "--format", "latex")
    assert latex.out.count(r"\toprule") == latex.out.count(r"\bottomrule") == 1
    details = cranfield(
        "compare", "q.txt", "A.txt", "B.txt", "C.txt", "--baseline", "A", "--format", "text", "--details"
    )
    assert "outcomes in the first 10" in details.out


def test_the_measure_that_decides_without_one_named(cranfield: Command, runs: Path) -> None:
    """One relevant document per topic: RR@10; several: AP."""
    ended = cranfield("compare", "q.txt", "A.txt", "B.txt", "--format", "json")
    assert read_json(ended.out)["verdict"]["measure"] == "RR@10"
    assert "no measure is named, so RR@10 decides" in ended.err
    (runs / "q.txt").write_text("".join(f"{t} 0 good 1\n{t} 0 bad1 1\n" for t in range(32)))
    ended = cranfield("compare", "q.txt", "A.txt", "B.txt", "--format", "json")
    assert read_json(ended.out)["verdict"]["measure"] == "AP"


def test_scores_without_ranks_have_no_outcomes(cranfield: Command, here: Path) -> None:
    (here / "s.csv").write_text("topic,x,y\n1,.5,.6\n2,.2,.4\n3,.1,.2\n")
    ended = cranfield("compare", "--scores", "s.csv", "--format", "text")
    assert ended.code == 0
    # Differences .1, .2, .1: mean .133, s = .0577, t = 4.0.
    assert "y is better than x on score (+0.133" not in ended.out  # p = .057
    assert "No significant difference between y and x on score (+0.133" in ended.out
    assert "answered" not in ended.out
    named = cranfield("compare", "--scores", "s.csv", "--scale-of", "RR@10", "--format", "text")
    assert "answered" not in named.out  # .6 is no reciprocal of a rank
    assert "(ferrante2021). The sign test is safe; --scale ignore silences this" in named.err


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
    assert len(read_json(pair.out)["tables"]["verdicts"]) == 1


def test_scores_of_reciprocal_ranks_have_outcomes(cranfield: Command, here: Path) -> None:
    (here / "s.csv").write_text("topic,x,y\n1,.5,1\n2,0,.3333\n3,.1,0\n")
    ended = cranfield("compare", "--scores", "s.csv", "--scale-of", "RR@10", "--format", "json")
    outcomes = {row["outcome"]: row["topics"] for row in read_json(ended.out)["tables"]["outcomes"]}
    assert outcomes == {"neither": 0, "only_a": 1, "only_b": 1, "both": 1}


@pytest.mark.parametrize(
    ("require", "code", "state"),
    [
        ("better", 4, "not decided"),
        ("strict", 4, "not decided"),
        ("no-harm", 3, "not met"),
        ("min RR@10 0.9", 3, "not met"),
    ],
)
def test_a_requirement_that_fails(cranfield: Command, runs: Path, require: str, code: int, state: str) -> None:
    words = ("compare", "q.txt", "A.txt", "B.txt", "-m", "RR@10", "--require", require)
    ended = cranfield(*words)
    assert ended.code == code
    reason = [line for line in ended.err.splitlines() if line.startswith("error: ")]
    assert len(reason) == 1
    assert reason[0].startswith(f"error: requirement {state}: {require}: ")
    verdict = read_json(cranfield(*words, "--format", "json").out)["verdict"]
    assert (verdict["requirement"], verdict["met"]) == (require, None if code == 4 else False)
    assert reason[0].endswith(verdict["why"])


def test_requirements_that_hold_are_no_error(cranfield: Command, here: Path) -> None:
    write_runs(here, A=[None] * 12 + [2] * 20, B=[1] * 32)
    words = ("compare", "q.txt", "A.txt", "B.txt", "-m", "RR@10")
    for require in ("better", "strict", "no-harm", "min RR@10 0.9", "max-drop RR@10 0.01"):
        ended = cranfield(*words, "--require", require)
        assert ended.code == 0
        assert f"note: requirement met: {require}: " in ended.err
    assert cranfield(*words, "--require", "better", "--require", "min RR@10 2").code == 3
    assert cranfield(*words, "--by", "outcomes", "--require", "strict").code == 0


def test_a_margin_gates(cranfield: Command, runs: Path) -> None:
    words = ("compare", "q.txt", "A.txt", "B.txt", "-m", "RR@10", "--require", "not-worse")
    assert cranfield(*words, "--margin", ".5").code == 0
    assert cranfield(*words, "--margin", ".05").code == 4
    hint = "for example --margin 0.03, 5% of the value of A (0.625)"
    expect_refusal(cranfield(*words), 1, "not-worse needs a margin for RR@10", hint)
    # B answers every topic that A answers, and twelve more. That says nothing about the measure.
    expect_refusal(cranfield(*words, "--margin", "answered=.01"), 1, "not-worse needs a margin for RR@10", hint)
    assert cranfield(*words, "--margin", "answered=.01", "--margin", ".5").code == 0


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
        (("q.txt", "A.txt", "B.txt", "--require", "best"), 1, "'best' is not a requirement"),
        (("q.txt", "A.txt", "B.txt", "--require", "min P@10 .3"), 1, "P@10"),
        (("q.txt", "A.txt", "B.txt", "-t", "tost"), 1, "tost cannot decide which run is better"),
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
