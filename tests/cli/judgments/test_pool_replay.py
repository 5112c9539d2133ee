"""``cranfield pool --simulate``: known judgments replayed, with the real files and processes."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from cranfield.simulate import Campaign
from tests.support.cli.commands import Command, read_json
from tests.support.cli.pool_files import first, grades, rows_of
from tests.support.cli.terminal_session import at_terminal

pytestmark = pytest.mark.usefixtures("campaign_here")

REPLAY = "strategy judgments relevant recall tau bias".split()


def test_the_json_contract_of_a_replay(cranfield: Command) -> None:
    words = ["pool", "runs", "--simulate", "qrels.txt", "--entries", "runs.csv", "--strategy", "depth nrg"]
    found = read_json(cranfield(*words, "--budgets", "2,9", "--format", "json").out)
    rows = found["tables"]["replay"]
    assert set(REPLAY) <= set(rows[0])
    assert [(row["strategy"], row["per_topic"]) for row in rows] == [
        ("depth", 2),
        ("depth", 9),
        ("nrg", 2),
        ("nrg", 9),
    ]
    assert list(found["tables"]) == ["replay", "bias", "groups", "unjudged", "reuse", "curve"]
    assert found["verdict"]["sentence"].startswith("With 9 judgments per topic (72 in all), ")
    kinds = [source["kind"] for source in found["made_by"]["inputs"]]
    assert kinds == ["qrels", *["run"] * 6, "entries"]


def test_a_replay_as_text(cranfield: Command) -> None:
    words = ["pool", "runs", "--simulate", "qrels.txt", "--entries", "runs.csv"]
    ended = cranfield(*words, "--strategy", "depth", "--strategy", "maxmean nrg")
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("known judgments replayed: 6 runs by AP"))
    head = "strategy per_topic relevant recall tau tau_ap bias reversed".split()
    assert [name for name in lines[at + 1].split() if name != "kept"] == head  # where no pair differs, none is kept
    shown = [line.split() for line in lines[at + 2 : at + 11]]
    assert [row[0] for row in shown].count("nrg") == 3  # an early, a middle and a late budget
    for place in range(0, 9, 3):
        budget, found = [row[1] for row in shown[place : place + 3]], [int(row[2]) for row in shown[place : place + 3]]
        assert len(set(budget)) == 1
        assert found == sorted(found, reverse=True)
    at = next(i for i, line in enumerate(lines) if line.startswith("what a run's AP loses"))
    head = lines[at + 1].split()
    told = [dict(zip(head, line.split(), strict=True)) for line in lines[at + 2 : at + 11]]
    order = [(int(row["judgments"]), float(row["absolute"])) for row in told]
    assert order == sorted(order)
    assert "without what one group alone brought into it" in ended.out
    assert not [line for line in lines if len(line) > 100 and not line.startswith("note: ")]


def test_all_strategies_are_replayed(cranfield: Command) -> None:
    ended = cranfield("pool", "runs", "--simulate", "qrels.txt", "--budget", "3", "--no-leave-out", "--format", "json")
    told = {row["strategy"] for row in rows_of(ended, "replay")}
    assert {"depth", "take", "rrf", "mtf", "hedge", "nrg"} < told
    assert not {"cal", "stratified"} & told


def test_the_options_of_a_replay(cranfield: Command, here: Path) -> None:
    replay = ["pool", "runs", "--simulate", "qrels.txt", "--strategy", "depth", "--format", "json"]
    board = (here / "runs.csv").read_text().replace("run,group", "run,laboratory")
    (here / "board.csv").write_text(board)
    alone = rows_of(cranfield(*replay, "--entries", "board.csv", "--budgets", "5"), "reuse")
    named = ["--entries", "board.csv", "--column", "group=laboratory"]
    grouped = rows_of(cranfield(*replay, *named, "--budgets", "5"), "reuse")
    assert len(alone) == 6 > len(grouped)
    skip, every = (
        rows_of(cranfield(*replay, "--budgets", "10", "--unjudged", way), "replay") for way in ("skip", "not-relevant")
    )
    known = {pair for pair, grade in grades(here / "qrels.txt").items() if grade >= 0}
    assert skip[0]["judgments"] == every[0]["judgments"] == 80
    assert skip[0]["relevant"] >= every[0]["relevant"]
    curve = rows_of(cranfield(*replay, "--unjudged", "not-relevant"), "curve")
    assert curve[-1]["judgments"] == len(first(here, 100))
    assert rows_of(cranfield(*replay), "curve")[-1]["judgments"] == len(first(here, 100) & known)
    (shared,) = rows_of(cranfield(*replay, "--budget", "4", "--shared", "--share", "yield"), "replay")
    assert (shared["judgments"], shared["per_topic"]) == (32, 4)


def test_measures_that_may_not_exist(cranfield: Command, here: Path) -> None:
    (here / "zero.txt").write_text("".join(f"{t} 0 {d} 0\n" for t, d in grades(here / "qrels.txt")))
    words = ["pool", "runs", "--simulate", "zero.txt", "--strategy", "depth nrg", "--budgets", "1", "-m", "ESL"]
    ended = cranfield(*words)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("With 1 judgment per topic (8 in all), depth finds nothing: no document is relevant.")
    read_json(cranfield(*words, "--format", "json").out)  # no NaN


def test_a_replay_as_lines_of_json(cranfield: Command, here: Path) -> None:
    words = ["pool", "runs", "--simulate", "qrels.txt", "--strategy", "depth", "--budgets", "2,5"]
    assert cranfield(*words, "--table", "replay", "-o", "r.jsonl").err.startswith("r.jsonl: 2 rows\n")
    rows = [read_json(line) for line in (here / "r.jsonl").read_text().splitlines()]
    assert [row["per_topic"] for row in rows] == [2, 5]
    assert cranfield(*words, "-o", "c.jsonl").code == 0
    assert "recall" in (here / "c.jsonl").read_text().splitlines()[0]  # the most detailed table


def test_a_long_replay_shows_how_far_it_is_and_can_be_stopped(here: Path) -> None:
    Campaign(topics=30, runs=20, groups=10, depth=100).write(here / "large")
    stopped: list[bool] = []

    def react(running: subprocess.Popen[bytes], shown: bytes) -> None:
        if b"replaying  [" in shown and not stopped:
            stopped.append(True)
            os.kill(running.pid, signal.SIGINT)

    code, shown = at_terminal("pool", "large/runs", "--simulate", "large/qrels.txt", cwd=here, react=react)
    assert code == 130
    assert stopped
    assert shown.endswith("error: interrupted\n")
    assert "Traceback" not in shown
