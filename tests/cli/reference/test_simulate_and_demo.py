"""cranfield simulate and demo, as a user runs them."""

import re
import sys
from pathlib import Path

import pytest

from tests.support.cli.commands import Command, Ended

SMALL = ["--topics", "3", "--runs", "2", "--depth", "10"]


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("packed", [[], ["--gzip"]])
def test_the_same_seed_gives_the_same_bytes(packed: list[str], here: Path, cranfield: Command) -> None:
    for name, seed in (("a", "7"), ("b", "7"), ("c", "8")):
        ended = cranfield("simulate", name, *SMALL, *packed, "--seed", seed)
        assert (ended.code, ended.out) == (0, "")
        assert (
            ended.err == f"{name}/qrels.txt, 2 runs of 3 topics\ntry: cranfield evaluate {name}/qrels.txt {name}/runs\n"
        )
    assert content(here / "a") == content(here / "b")
    assert content(here / "a") != content(here / "c")
    assert {"qrels.txt", "runs.csv", "topics.tsv"} < set(content(here / "a"))
    assert len(list((here / "a" / "runs").iterdir())) == 2


def test_what_it_suggests_works(cranfield: Command) -> None:
    made = cranfield("simulate", "campaign", *SMALL)
    suggested = made.err.splitlines()[1].removeprefix("try: cranfield ").split()
    assert cranfield(*suggested).code == 0


def test_nothing_is_overwritten(here: Path, cranfield: Command) -> None:
    (here / "empty").mkdir()
    assert cranfield("simulate", "empty", *SMALL).code == 0
    before = content(here)
    for words in (["simulate", "empty"], ["demo", "--folder", "empty"]):
        ended = cranfield(*words)
        assert (ended.code, ended.out) == (1, "")
        assert ended.err == "error: the folder empty is not empty\nhint: name a new folder\n"
    ended = cranfield("simulate", "run.txt")
    assert ended.err == "error: run.txt is a file, not a folder\nhint: name a new folder\n"
    assert content(here) == before


def test_one_relevant_document(here: Path, cranfield: Command) -> None:
    assert cranfield("simulate", "marco", *SMALL, "--one-relevant").code == 0
    qrels = (here / "marco" / "qrels.txt").read_text().splitlines()
    assert len(qrels) == len({line.split()[0] for line in qrels}) == 3


def test_the_demo_shows_its_table(here: Path, cranfield: Command) -> None:
    ended = cranfield("demo", "--folder", "kept")
    lines = ended.out.splitlines()
    assert ended.code == 0
    assert lines[0].startswith("simulated campaign, 50 topics, by AP")
    assert lines[1].split() == ["run", "group", "mean", "rank", "rank_mean", "p_first", "letters"]
    board, words = lines[2 : 2 + 40], " ".join(lines[43:])
    assert lines[42] == ""
    assert words.startswith(f"{board[0].split()[0]} has the highest mean AP (")
    values = [float(line.split()[2]) for line in board]
    assert values == sorted(values, reverse=True)
    assert re.search(rf"{board[0].split()[0]} .*{board[1].split()[0]} on AP \(.*95% CI .*, 50 topics\)", words)
    assert any(line.startswith("evidence; ") for line in lines)
    assert "seed 0" in ended.err.splitlines()[0]
    suggested = [line.removeprefix("try:").split() for line in ended.err.splitlines() if "cranfield " in line][-5:]
    assert [command[1] for command in suggested] == ["leaderboard", "report", "anova", "bridge", "interleave"]
    assert (here / "kept" / "qrels.txt").exists()
    assert cranfield("lint", "kept/qrels.txt", "kept/runs").code == 0
    users_are_asked(ended, board)
    what_it_kept_answers_the_same(ended, suggested[-2:], cranfield)


def users_are_asked(ended: Ended, board: list[str]) -> None:
    """Check what the clicks of simulated users say of all runs, and of the first two."""
    _, found, after = ended.out.partition("2,000 simulated users")
    lines, words = after.splitlines()[1:5], " ".join(after.split())
    assert found
    assert lines[0].split() == ["measure", "kendall", "agreement", "apart", "agreement_apart", "p_best"]
    assert {line.split()[0] for line in lines[1:]} == {"AP", "nDCG@10", "RR@100"}
    likeness = [float(line.split()[1]) for line in lines[1:]]
    assert likeness == sorted(likeness, reverse=True)
    assert min(likeness) > 0  # users click by grade, from the top
    assert f"{lines[1].split()[0]} agrees best with what users did" in words
    first, second = (line.split()[0] for line in board[:2])
    assert f"1,000 other users saw {first} and {second} interleaved." in words
    assert ", sign test)" in words
    assert "3,000 users" in ended.err.splitlines()[1]


def what_it_kept_answers_the_same(ended: Ended, suggested: list[list[str]], cranfield: Command) -> None:
    """The commands that the demo ends with say of its logs what it said itself."""
    said = " ".join(ended.out.split())
    bridge, interleave = (cranfield(*command[1:], "--format", "text") for command in suggested)
    assert (bridge.code, interleave.code) == (0, 0)
    assert verdict_of(interleave) in said
    by_hand = cranfield(*suggested[0][1:], "-m", "AP nDCG@10 RR@100", "--format", "text")
    assert verdict_of(by_hand) in said


def verdict_of(ended: Ended) -> str:
    """The paragraph below the line on excluded rows, without its line breaks."""
    excluded, verdict, *_ = ended.out.split("\n\n")
    assert excluded.startswith("rows excluded: none of ")
    return " ".join(verdict.split())


@pytest.mark.parametrize("missing", ["ibis", "duckdb"])
def test_the_demo_does_without_logs(missing: str, cranfield: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    ended = cranfield("demo")
    told = [line for line in ended.err.splitlines() if "live users" in line]
    assert ended.code == 0
    assert "Better without harm: " in ended.out
    assert "simulated users" not in ended.out + ended.err
    (line,) = told
    assert line.startswith("note: ")
    assert line.endswith("pip install 'cranfield[logs]'")


def test_the_demo_leaves_nothing_behind(here: Path, cranfield: Command) -> None:
    before = content(here)
    first = cranfield("demo", "--seed", "3")
    assert first.code == 0
    assert content(here) == before
    assert cranfield("demo", "--seed", "3").out == first.out
