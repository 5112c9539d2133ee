"""cranfield ab, as a user runs it."""

import io
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.support.cli.commands import Command, expect_refusal, read_json
from tests.support.simulations.experiment_log import log_of
from tests.support.simulations.experiment_users import users
from tests.support.simulations.satisfaction_log import made


@pytest.fixture(autouse=True)
def files(here: Path) -> None:
    """Users and events of experiments, in the folder to stand in."""
    users(800, effect=0.6).write_csv(here / "users.csv")
    days = pl.Series("day", [f"2024-03-{1 + i // 80:02}" for i in range(800)])
    users(800, effect=0.6).with_columns(days).write_parquet(here / "days.parquet")
    pl.DataFrame(log_of(80)).write_csv(here / "events.csv")
    pl.DataFrame(log_of(80, seed=9, start=1_690_000_000.0)).write_csv(here / "earlier.csv")
    (here / "names.txt").write_text("ann\nbob\n\ncem\n")


def asked(cranfield: Command, *words: str) -> dict[str, Any]:
    ended = cranfield("ab", *words, "--format", "json")
    assert ended.code == 0, ended.err
    return read_json(ended.out)


def test_bots_are_named_capped_or_excluded(here: Path, cranfield: Command) -> None:
    """Three users of one arm have 200 pages without a click, others at most four."""
    bots = [row for row in log_of(400) if row["user"] == "u1"][:3]
    pages = [
        row | {"user": f"bot{i % 3}", "impression": f"bot{i}", "clicked": False} for i in range(600) for row in bots
    ]
    pl.DataFrame([*log_of(400), *pages]).write_csv(here / "bots.csv")
    plain, capped, without = (
        asked(cranfield, "bots.csv", "-m", "ctr", *words)
        for words in ((), ("--cap", "0.9"), ("--exclude-users-above", "50"))
    )
    (failed,) = (check for check in plain["tables"]["checks"] if not check["passed"])
    assert (failed["check"], plain["verdict"]["trusted"]) == ("concentration of users", False)
    assert all(f"bot{i}" in plain["verdict"]["sentence"] for i in range(3))
    assert (capped["verdict"]["trusted"], without["verdict"]["trusted"]) == (True, True)
    assert without["verdict"]["rows_excluded"] == 1800
    gate = cranfield("ab", "bots.csv", "-m", "ctr", "--require", "no-harm")
    assert gate.code == 3


def test_people_read_the_verdict_first(cranfield: Command) -> None:
    ended = cranfield("ab", "users.csv", "--ratio", "ctr=clicks/impressions", "-m", "bought", "--control", "a")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("rows excluded: none of 800\n\nb is better than a in ctr (+")
    for caption in ("Users in each arm", "Can the experiment be trusted?", "Changes compared with a, level 0.05"):
        assert caption in ended.out
    assert max(map(len, ended.out.splitlines())) <= 120


def test_json_is_the_contract(cranfield: Command) -> None:
    found = asked(cranfield, "users.csv", "-m", "clicks", "--weights", "a=1,b=1")
    assert found["study"] == "ab"
    assert list(found["tables"]) == ["arms", "checks", "effects"]
    (effect,) = found["tables"]["effects"]
    assert list(effect)[:9] == [
        *("measure", "control", "treatment", "difference", "relative", "low", "high", "p", "p_adjusted")
    ]
    assert set(found["verdict"]) == {
        *("control", "trusted", "treatments", "sentence", "rows", "rows_excluded", "excluded")
    }
    assert found["made_by"]["inputs"][0]["name"] == "users.csv"
    assert found["made_by"]["command"].startswith("cranfield ab users.csv -m clicks")


def test_one_table_in_a_pipe_is_rows(cranfield: Command) -> None:
    ended = cranfield("ab", "users.csv", "-m", "clicks", "--table", "arms")
    frame = pl.read_csv(io.StringIO(ended.out), separator="\t")
    assert frame.columns == ["arm", "users", "share", "expected"]
    assert frame["users"].sum() == 800
    assert ended.err == "note: the control is a; --control names another\n"


def test_events_are_summed_up_by_user(cranfield: Command) -> None:
    words = ("-m", "ctr", "-m", "clicks", "--before", "earlier.csv", "--oec", "ctr+clicks")
    found = asked(cranfield, "events.csv", *words)
    assert [row["measure"] for row in found["tables"]["effects"]] == ["ctr", "clicks", "OEC"]
    assert found["tables"]["effects"][0]["variance_left"] < 1
    assert [row["measure"] for row in found["tables"]["oec"]] == ["ctr", "clicks"]
    assert {row["treatment"] for row in found["tables"]["looks"]} == {"b"}
    assert [one["name"] for one in found["made_by"]["inputs"]] == ["events.csv", "earlier.csv"]


def test_satisfaction_is_learned_and_told_how_far_to_believe(cranfield: Command, here: Path) -> None:
    pl.DataFrame(made(400)[0]).write_csv(here / "told.csv")
    found = asked(cranfield, "told.csv", "-m", "satisfaction", "-m", "ctr", "--control", "old")
    assert [row["measure"] for row in found["tables"]["effects"]] == ["satisfaction", "ctr"]
    (told,) = found["tables"]["satisfaction"]
    assert 0 < told["brier"] < 0.25
    assert sum(row["sessions"] for row in found["tables"]["reliability"]) == told["learnt_from"]
    shown = cranfield("ab", "told.csv", "-m", "satisfaction", "--control", "old", "--format", "text")
    assert "Satisfaction: how far its chances can be believed" in shown.out
    assert max(map(len, shown.out.splitlines())) <= 120


def test_more_that_can_be_asked(cranfield: Command) -> None:
    more = [
        "--aa",
        "10",
        "--ranked",
        "--relative",
        ".05",
        "--power",
        ".9",
        "--users-per-day",
        "100",
        "--lower",
        "clicks",
    ]
    found = asked(cranfield, "users.csv", "-m", "clicks", "--covariate", "clicks=clicks_before", *more)
    assert list(found["tables"]) == ["arms", "checks", "aa", "plan", "ranked", "effects"]
    assert found["verdict"]["treatments"] == {"b": "worse"}
    assert [row["covariate"] for row in found["tables"]["plan"]] == [None, "clicks_before"]


def test_shares_of_users_are_not_drawn_from_a_log_without_users(cranfield: Command, here: Path) -> None:
    pl.DataFrame(log_of(80)).drop("user").write_csv(here / "nameless.csv")
    ended = cranfield("ab", "nameless.csv", "-m", "ctr", "--chart", "x.svg", "--draw", "sample-ratio")
    why = "there is nothing to draw as sample-ratio: the log knows no users"
    expect_refusal(ended, 1, why, "draw effects or looks")


@pytest.mark.parametrize("draw", ["effects", "sample-ratio", "looks"])
def test_charts_are_drawn(draw: str, cranfield: Command, here: Path) -> None:
    ended = cranfield("ab", "days.parquet", "-m", "clicks", "--chart", "x.svg", "--draw", draw)
    assert ended.code == 0, ended.err
    assert (here / "x.svg").read_text().startswith("<svg")


def test_a_requirement_ends_with_3_where_it_is_not_met(cranfield: Command) -> None:
    words = ("ab", "users.csv", "-m", "clicks", "--control", "a", "--require")
    assert cranfield(*words, "better").code == 0
    assert cranfield(*words, "no-harm").code == 0
    worse = cranfield(*words, "no-harm", "--lower", "clicks")
    assert worse.code == 3
    assert worse.err.startswith("error: b is not free of harm beside a\nhint: b is worse than a in clicks")
    assert cranfield("ab", "users.csv", "-m", "bought", "--require", "better").code == 3
    wrong = cranfield(*words, "better", "--weights", "a=3,b=1")
    assert wrong.code == 3
    assert wrong.err.startswith("error: the experiment is not to be trusted\nhint: Do not trust this experiment: ")


def test_who_is_in_which_arm(cranfield: Command, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("ab", "--experiment", "ranker-2", "--assign")
    ended = cranfield(*words, "names.txt", "--how", "random", "-o", "stored.csv")
    assert ended.code == 0, ended.err
    first = pl.read_csv(here / "stored.csv")
    assert first.columns == ["experiment", "user", "arm"]
    assert first["user"].to_list() == ["ann", "bob", "cem"]
    monkeypatch.setattr("sys.stdin", io.StringIO("dan\ncem\n"))
    more = cranfield(*words, "-", "--how", "random", "--stored", "stored.csv")
    again = pl.read_csv(io.StringIO(more.out), separator="\t")
    assert again[:3].equals(first)
    assert again["user"].to_list() == ["ann", "bob", "cem", "dan"]
    shares = cranfield(*words, "names.txt", "--weights", "old=0,new=1")
    assert pl.read_csv(io.StringIO(shares.out), separator="\t")["arm"].to_list() == ["new"] * 3


@pytest.mark.parametrize(
    ("words", "code", "error", "hint"),
    [
        ("", 2, "give DATA, or --assign USERS", "cranfield ab users.csv, or see cranfield ab --help"),
        ("users.csv --assign names.txt", 2, "give DATA, or --assign USERS", None),
        ("users.csv --experiment x", 2, "--experiment is about --assign", "leave it out"),
        ("--assign names.txt", 2, "--assign needs --experiment", "name it: --experiment ranker-2"),
        (
            *("--assign names.txt --experiment x -m clicks", 2),
            *("--measure is about the analysis of an experiment", "leave it out"),
        ),
        (
            *("--assign names.txt --experiment x --chart x.svg", 2),
            *("--chart is about the analysis of an experiment", "leave it out"),
        ),
        ("users.csv --power .9", 2, "--power needs --relative", "how large an effect: --relative .01"),
        (
            *("users.csv --weights a=1", 2),
            *("--weights cannot be a=1", "give two arms or more, each once: control=1,new=1"),
        ),
        ("users.csv --weights a=1,a=2", 2, "--weights cannot be a=1,a=2", None),
        ("users.csv --weights a=1,b=x", 2, "--weights cannot be a=1,b=x", None),
        ("users.csv --ratio ctr", 2, "--ratio cannot be ctr", "write it as ctr=clicks/impressions"),
        (
            *("users.csv --ratio ctr=clicks/", 1),
            *("'clicks/' cannot be read as columns of ctr", "write a column, or two as clicks/impressions"),
        ),
        ("users.csv --column arm=arm --column arm=user", 2, "--column names one thing twice", "give each once"),
        ("users.csv --control z", 1, "no user is in an arm 'z'", "there are: a, b"),
        ("users.csv -m clicks -o users.csv", 1, "users.csv: this file is one of those that are read", None),
        (
            *("users.csv -m clicks --chart x.svg --draw looks", 1),
            "there is nothing to draw as looks: users came on one day",
            "say when each user came: --column day=NAME; or draw effects or sample-ratio",
        ),
        ("nowhere.csv", 1, "nowhere.csv: there is no such file", None),
        ("--assign nowhere.txt --experiment x", 1, "nowhere.txt: there is no such file", None),
        ("--assign empty.txt --experiment x", 1, "empty.txt: there are no users", "give one name in each line"),
        (
            *("--assign names.txt --experiment x --stored users.csv", 1),
            "users.csv: a stored assignment has the columns experiment, user, arm",
            "give a table that cranfield ab --assign wrote",
        ),
        ("users.csv --engine paper", 1, "there is no engine 'paper'", None),
        ("--assign names.txt --experiment x --how dice", 1, "there is no assignment named 'dice'", None),
    ],
)
def test_what_is_refused(words: str, code: int, error: str, hint: str | None, cranfield: Command, here: Path) -> None:
    (here / "empty.txt").write_text("\n")
    expect_refusal(cranfield("ab", *words.split()), code, error, hint)
