"""cranfield interleave and the logs of cranfield simulate, as a user runs them."""

import csv
from pathlib import Path

import polars as pl
import pytest

from tests.support.cli.commands import Command, expect_refusal, read_json

SMALL = ("--topics", "6", "--runs", "4", "--depth", "30", "--users", "80", "--days", "4")


@pytest.fixture
def teams(here: Path, cranfield: Command) -> Path:
    """A log of pages that two runs share."""
    ended = cranfield("simulate", "live", *SMALL, "--log", "teams.csv", "--interleave", "team-draft")
    assert ended.code == 0
    return here / "teams.csv"


def test_a_log_has_a_verdict(teams: Path, cranfield: Command) -> None:
    ended = cranfield("interleave", teams.name, "--format", "text")
    assert ended.code == 0
    assert "aurora-1" in ended.out
    assert "Which of two runs users prefer" in ended.out
    assert "preference is shown" in ended.out or "Users prefer" in ended.out


def test_json_is_the_contract(teams: Path, cranfield: Command) -> None:
    found = read_json(cranfield("interleave", teams.name, "--format", "json").out)
    (row,) = found["tables"]["result"]
    wanted = ["a", "b", "method", "impressions", "users", "wins_a", "wins_b", "ties", "delta", "low", "high", "p"]
    assert list(row)[: len(wanted)] == wanted
    assert (found["study"], row["method"]) == ("interleave", "team-draft")
    with teams.open() as file:
        rows = list(csv.DictReader(file))
    assert row["impressions"] == len({one["impression"] for one in rows})
    assert row["users"] == len({one["user"] for one in rows}) == row["wins_a"] + row["wins_b"] + row["ties"] == 80
    assert row["delta"] == pytest.approx((row["wins_a"] - row["wins_b"]) / 160)
    assert found["made_by"]["inputs"][0]["name"] == "teams.csv"


def test_one_table_in_a_pipe_is_tsv(teams: Path, cranfield: Command) -> None:
    header, row = cranfield("interleave", teams.name).out.splitlines()
    assert header.startswith("a\tb\tmethod\timpressions")
    assert row.startswith("aurora-1\tbasalt-1\tteam-draft\t")


def test_charts_are_written(teams: Path, here: Path, campaign_here: None, cranfield: Command) -> None:
    del campaign_here
    assert cranfield("interleave", teams.name, "--chart", "users.svg").code == 0
    assert "aurora-1" in (here / "users.svg").read_text()
    words = ("runs/cedar-1.txt", "runs/aurora-1.txt", "--sensitivity", "qrels.txt", "--users", "50")
    assert cranfield("interleave", *words, "--method", "team-draft", "--chart", "power.svg").code == 0
    assert "impressions" in (here / "power.svg").read_text()


@pytest.mark.usefixtures("campaign_here")
def test_a_page_is_shown(cranfield: Command) -> None:
    ended = cranfield("interleave", "runs/cedar-1.txt", "runs/aurora-1.txt", "--topic", "301", "--length", "4")
    header, *rows = ended.out.splitlines()
    assert header.split("\t")[:3] == ["rank", "document", "team"]
    assert [row.split("\t")[0] for row in rows] == ["1", "2", "3", "4"]
    assert sorted(row.split("\t")[2] for row in rows) == ["aurora-1"] * 2 + ["cedar-1"] * 2


@pytest.mark.usefixtures("campaign_here")
def test_sensitivity_names_the_methods_that_were_asked_for(cranfield: Command) -> None:
    words = ("runs/cedar-1.txt", "runs/aurora-1.txt", "--sensitivity", "qrels.txt", "--users", "60", "--format", "json")
    found = read_json(cranfield("interleave", *words, "--method", "balanced", "--method", "team-draft").out)
    methods = [row["method"] for row in found["tables"]["sensitivity"]]
    assert list(dict.fromkeys(methods)) == ["balanced", "team-draft", "A/B"]


@pytest.mark.parametrize(
    ("words", "error", "hint"),
    [
        (
            "a.run b.run",
            "2 files are given where one log is meant",
            "give one file, a folder or a pattern in quotes; runs need --topic or --sensitivity",
        ),
        ("a.run b.run --topic 1 --sensitivity q.txt", "--topic and --sensitivity are two questions", "ask one of them"),
        (
            "a.run --sensitivity q.txt",
            "--sensitivity is about two runs",
            "give two files, then --sensitivity QRELS",
        ),
        ("a.run b.run --topic 1 --planned 9", "--planned is about a log, not --topic", "leave it out"),
        ("log.csv --users 9", "--users is about --sensitivity, not a log", "leave it out"),
        (
            "log.csv --method balanced --method ppm",
            "only --sensitivity sets methods side by side",
            "give --method once",
        ),
        ("a.run b.run --topic 1 --chart x.svg", "a page has no chart", "leave --chart out"),
        ("log.csv --by luck", "--by cannot be luck", "choose one of: wins, credit"),
        ("log.csv --column user", "--column cannot be user", "write it as user=client"),
    ],
)
def test_what_does_not_go_together(words: str, error: str, hint: str, cranfield: Command) -> None:
    expect_refusal(cranfield("interleave", *words.split()), 2, error, hint)


def test_logs_that_are_no_interleavings(here: Path, cranfield: Command) -> None:
    expect_refusal(cranfield("interleave", "no.csv"), 1, "no.csv: there is no such file", "check the name of the file")
    (here / "plain.csv").write_text("impression,user,topic,rank,document,clicked\ni,u,1,1,d,1\n")
    ended = cranfield("interleave", "plain.csv")
    expect_refusal(ended, 1, "an interleaving needs the column team: plain.csv has none", None)
    (here / "one.csv").write_text("impression,user,topic,rank,document,clicked,team\ni,u,1,1,d,1,a\n")
    ended = cranfield("interleave", "one.csv")
    hint = "an interleaving has pages that two runs or more share"
    expect_refusal(ended, 1, "the log has documents of 1 team", hint)


def test_a_column_may_have_another_name(here: Path, cranfield: Command) -> None:
    rows = [f"i{i},u{i},1,{rank},d{rank},{i % 3 == 0:d},{'_ab'[rank]}" for i in range(9) for rank in (1, 2)]
    (here / "log.csv").write_text("\n".join(["impression,visitor,topic,rank,document,clicked,whose", *rows, ""]))
    words = ("--column", "user=visitor", "--column", "team=whose", "--format", "json")
    (row,) = read_json(cranfield("interleave", "log.csv", *words).out)["tables"]["result"]
    # Three users click one document of each run, six click nothing.
    assert (row["users"], row["ties"], row["delta"], row["p"]) == (9, 9, 0, 1)


def test_simulate_writes_a_log_of_arms(here: Path, cranfield: Command) -> None:
    ended = cranfield("simulate", "live", *SMALL, "--log", "ab.parquet")
    assert ended.code == 0
    assert ended.out == ""
    assert "impressions of 80 users, aurora-1, basalt-1" in ended.err
    frame = pl.read_parquet(here / "ab.parquet")
    assert set(frame["arm"]) == {"aurora-1", "basalt-1"}
    assert frame.group_by("user").agg(pl.col("arm").n_unique())["arm"].to_list() == [1] * 80


def test_simulated_users_of_chosen_runs(here: Path, cranfield: Command) -> None:
    chosen = ("--log-run", "cedar-1", "--log-run", "delta-1", "--log-run", "aurora-1")
    assert cranfield("simulate", "live", *SMALL, "--log", "x.csv", *chosen, "--interleave", "team-draft").code == 0
    found = read_json(cranfield("interleave", "x.csv", "--format", "json").out)["tables"]
    assert [(row["a"], row["b"]) for row in found["result"]] == [
        ("cedar-1", "delta-1"),
        ("cedar-1", "aurora-1"),
        ("delta-1", "aurora-1"),
    ]
    assert "transitivity" in found
    assert (here / "live" / "qrels.txt").exists()


@pytest.mark.parametrize(
    ("words", "code", "error", "hint"),
    [
        ("--users 9", 2, "--users is about a log", "say where it goes: --log FILE"),
        ("--interleave team-draft", 2, "--interleave is about a log", "say where it goes: --log FILE"),
        ("--log x.txt", 1, "x.txt: no log ends like that", "end the name in .csv, .tsv, .parquet"),
        (
            "--log x.csv --interleave zip",
            1,
            "there is no interleaving named 'zip'",
            "there are: balanced, team-draft, probabilistic, optimised, ppm",
        ),
        ("--log no/x.csv", 1, "no/x.csv: there is no folder no", "make it first: mkdir -p no"),
    ],
)
def test_a_log_that_cannot_be_written_is_refused_first(
    words: str, code: int, error: str, hint: str, here: Path, cranfield: Command
) -> None:
    expect_refusal(cranfield("simulate", "live", *words.split()), code, error, hint)
    assert not (here / "live").exists()
