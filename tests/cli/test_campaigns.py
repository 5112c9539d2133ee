"""cranfield simulate and demo, as a user runs them."""

from pathlib import Path

import pytest

from tests.cli.conftest import Command

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
    assert lines[0].startswith("a made-up campaign, 50 topics, by AP")
    assert lines[1].split() == ["run", "group", "mean", "rank", "rank_mean", "p_first", "letters"]
    board, words = lines[2 : 2 + 40], " ".join(lines[43:])
    assert lines[42] == ""
    assert words.startswith(f"{board[0].split()[0]} is first by mean AP; it stays first in ")
    values = [float(line.split()[2]) for line in board]
    assert values == sorted(values, reverse=True)
    assert f"{board[0].split()[0]} against {board[1].split()[0]} on AP, 50 topics" in ended.out
    assert "do no harm: " in ended.out
    assert ended.err.splitlines()[0].startswith("making a campaign from seed 0")
    suggested = [line.removeprefix("try:").split() for line in ended.err.splitlines() if "cranfield " in line][-3:]
    assert [command[1] for command in suggested] == ["leaderboard", "report", "anova"]
    assert (here / "kept" / "qrels.txt").exists()
    assert cranfield("lint", "kept/qrels.txt", "kept/runs").code == 0


def test_the_demo_leaves_nothing_behind(here: Path, cranfield: Command) -> None:
    before = content(here)
    first = cranfield("demo", "--seed", "3")
    assert first.code == 0
    assert content(here) == before
    assert cranfield("demo", "--seed", "3").out == first.out
