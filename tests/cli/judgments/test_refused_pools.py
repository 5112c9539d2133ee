"""What cranfield pool refuses, and what it says then."""

import shutil
from pathlib import Path

import pytest

from tests.support.cli.commands import Command, expect_refusal

pytestmark = pytest.mark.usefixtures("campaign_here")

REPLAYED = ["--simulate", "qrels.txt"]
BOTH, FILE = "give both, or leave it out", "give its name, or leave it out"


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["--strategy", "depth"], "the pool was begun with nrg"),
        (["--strategy", "nrg(beta=0.5)"], "the pool was begun with nrg"),
        (["--budget", "50"], "the pool was begun with --budget 12"),
        (["--shared"], "the pool was begun without --shared"),
        (["--seed", "3"], "the pool was begun with --seed 0"),
        (["--rel", "2"], "the pool was begun with --rel 1"),
        (["--first", "2"], "the pool was begun with --first 0"),
    ],
)
def test_a_pool_goes_on_as_it_was_begun(words: list[str], error: str, cranfield: Command, here: Path) -> None:
    assert cranfield("pool", "runs", "--strategy", "nrg", "--budget", "12", "--state", "s.json").code == 0
    before = (here / "s.json").read_bytes()
    hint = "go on with it, or begin another one" if "nrg" in error else "leave the option out, or begin another state"
    expect_refusal(cranfield("pool", "runs", "--state", "s.json", *words), 2, error, hint)
    assert (here / "s.json").read_bytes() == before
    same = ["--strategy", "nrg(beta=0.1)", "--budget", "12", "--seed", "0"]
    assert cranfield("pool", "runs", "--state", "s.json", *same).code == 0


def test_a_pool_that_had_no_budget(cranfield: Command) -> None:
    assert cranfield("pool", "runs", "--state", "s.json").code == 0
    ended = cranfield("pool", "runs", "--state", "s.json", "--budget", "3")
    expect_refusal(ended, 2, "the pool was begun without --budget", "leave the option out, or begin another state")


def test_another_depth_or_other_runs(cranfield: Command, here: Path) -> None:
    assert cranfield("pool", "runs", "--state", "s.json").code == 0
    hint = "resume with the runs, the depth and the order of ties that the pool was begun with"
    ended = cranfield("pool", "runs", "--state", "s.json", "--depth", "30")
    expect_refusal(ended, 1, "the depth is not what it was when the pool was begun", hint)
    file = here / "runs" / "cedar-1.txt"
    file.write_text(file.read_text().replace(" cedar-1\n", " cedar\n"))
    ended = cranfield("pool", "runs", "--state", "s.json", "--audit")
    expect_refusal(ended, 1, "run cedar-1 is not what it was when the pool was begun", hint)


@pytest.mark.parametrize(
    ("before", "after", "error"),
    [
        ('"strategy": "nrg"', '"strategy": 3', "s.json: strategy cannot be 3"),
        ('"depth": 100', '"depth": 0', "s.json: depth cannot be 0"),
        ('"rel": 1.0', '"rel": NaN', "s.json: rel cannot be NaN"),
        ('"first": 0', '"first": -1', "s.json: first cannot be -1"),
        ('"budget": null', '"budget": "many"', 's.json: budget cannot be "many"'),
        ('"shared": false', '"shared": 0', "s.json: shared cannot be 0"),
        ('"share": "even"', '"share": "odd"', 's.json: share cannot be "odd"'),
        ('"seed": 0', '"seed": true', "s.json: seed cannot be true"),
        ('["asked",', '["lost",', None),
        ('"format": 1', '"format": 2', "s.json: this is not the state of a pool"),
        ('"seed"', '"sed"', "s.json: seed is missing"),
        ('"events"', '"events', None),
    ],
)
def test_a_damaged_state(before: str, after: str, error: str | None, cranfield: Command, here: Path) -> None:
    assert cranfield("pool", "runs", "--strategy", "nrg", "--state", "s.json").code == 0
    text = (here / "s.json").read_text()
    assert before in text
    (here / "s.json").write_text(text.replace(before, after, 1))
    for words in ([], ["--audit"]):
        ended = cranfield("pool", "runs", "--state", "s.json", *words)
        told = error or ended.err.splitlines()[0].removeprefix("error: ")
        expect_refusal(ended, 1, told, "a state is what cranfield pool --state wrote")
        assert told.startswith("s.json:")


def test_nothing_is_asked_for_where_something_is_wrong(cranfield: Command, here: Path) -> None:
    assert cranfield("pool", "runs", "--state", "s.json").code == 0
    before = (here / "s.json").read_bytes()
    assert cranfield("pool", "runs", "--state", "s.json", "--topic-file", "nothing.txt").code == 1
    assert (here / "s.json").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "error", "hint"),
    [
        (["--batch", "3"], "--batch needs --state", BOTH),
        (["--audit"], "--audit needs --state", BOTH),
        (["--language", "en"], "--language needs --topic-file", BOTH),
        ([*REPLAYED, "--column", "group=team"], "--column needs --entries", BOTH),
        (["--judged", ""], "--judged names no file", FILE),
        (["--state", ""], "--state names no file", FILE),
        (["--simulate", ""], "--simulate names no file", FILE),
        (["--rel", "nan"], "--rel cannot be nan", "give a number above 0, such as 1"),
        (["--minutes", "0"], "--minutes cannot be 0", "give a number above 0, such as 2"),
        (["--budget", "0"], "--budget cannot be 0", "give a whole number, 1 or more"),
        ([*REPLAYED, "--budgets", "0"], "--budgets cannot be 0", "give numbers from 1 up: 10,25,50"),
        ([*REPLAYED, "--budgets", "5,x"], "--budgets cannot be 5,x", "give numbers from 1 up: 10,25,50"),
        (
            [*REPLAYED, "--budgets", "5", "--budget", "5"],
            "--budget and --budgets say the same",
            "name one or several with --budgets",
        ),
        (
            ["--strategy", "depth", "--strategy", "nrg"],
            "a pool has one strategy",
            "--simulate qrels.txt compares several",
        ),
        (
            ["--share", "yield"],
            "--share has no meaning here: topics do not share a budget",
            "add --shared, or leave it out",
        ),
        (
            ["--share", "yield", "--shared", "--budget", "9"],
            "--share has no meaning here: a pool that is asked for at once hears nothing of what topics yield",
            "keep the pool with --state, or leave it out",
        ),
        (
            ["--state", "s.json", "--audit", "--judged", "qrels.txt"],
            "--judged has no meaning here: --audit looks at what was asked for",
            "leave it out",
        ),
        (
            ["--state", "s.json", "--audit", "-o", "a.qrels"],
            "an audit has no pool to write as .qrels",
            "write a table: -o audit.tsv",
        ),
        (["--state", "s.json", "--audit", "--chart", "a.svg"], "an audit has no chart", "leave out --chart"),
        ([*REPLAYED, "-o", "a.trec"], "a replay has no pool to write as .trec", "write a table: -o replay.tsv"),
        (["--draw", "recall", "--chart", "a.svg"], "a pool has no chart named recall", "choose one of: costs"),
        (
            [*REPLAYED, "--draw", "costs", "--chart", "a.svg"],
            "a replay has no chart named costs",
            "choose one of: recall, pool-order, pool-bias, reuse, unjudged",
        ),
        (
            ["--simulate", "-", "--corpus", "-"],
            "standard input can be read only once",
            "write - for one file, name the others",
        ),
    ],
    ids=lambda told: " ".join(told) if isinstance(told, list) else "",
)
def test_what_is_typed_wrongly(words: list[str], error: str, hint: str, cranfield: Command, here: Path) -> None:
    before = sorted(here.rglob("*"))
    expect_refusal(cranfield("pool", "runs", *words), 2, error, hint)
    assert sorted(here.rglob("*")) == before


@pytest.mark.parametrize(
    "words",
    [
        *(["--budgets", "5"], ["--entries", "runs.csv"], ["--column", "group=team"], ["--unjudged", "skip"]),
        *(["--leave-out"], ["--measure", "AP"], ["--test", "t"], ["--correct", "holm"], ["--level", ".05"]),
        ["--threads", "1"],
    ],
    ids=" ".join,
)
def test_a_pool_is_no_replay(words: list[str], cranfield: Command) -> None:
    error = f"{words[0]} has no meaning here: known judgments are not replayed"
    expect_refusal(cranfield("pool", "runs", *words), 2, error, "--simulate qrels.txt replays them")


@pytest.mark.parametrize(
    "words",
    [
        *(["--judged", "qrels.txt"], ["--state", "s.json"], ["--audit"], ["--batch", "3"], ["--minutes", "3"]),
        *(["--topic-file", "topics.tsv"], ["--language", "en"]),
    ],
    ids=" ".join,
)
def test_a_replay_is_no_pool(words: list[str], cranfield: Command) -> None:
    error = f"{words[0]} has no meaning here: --simulate replays known judgments"
    expect_refusal(cranfield("pool", "runs", *REPLAYED, *words), 2, error, "leave it out")


@pytest.mark.parametrize(
    ("words", "error", "hint"),
    [
        (["--shared"], "topics share a budget that nobody gave", "give the judgments of all topics together"),
        (["--strategy", ""], "'' holds no strategy", None),
        (["--strategy", "nix"], "there is no strategy named 'nix'", None),
        (["--state", "s.json", "--audit"], "s.json: there is no such file", "check the name"),
        (["--state", "no/s.json"], "no/s.json: there is no folder no", "make it first: mkdir -p no"),
        (["--state", "runs"], "runs: this is a folder, not a file", "name a file in it"),
        (["-o", "no/p.qrels"], "no/p.qrels: there is no folder no", "make it first: mkdir -p no"),
        (["-o", "p.xlsx"], "p.xlsx: no format ends in .xlsx", None),
        (["--table", "nix"], "the study pool has no table named 'nix'", "there are: costs, pool"),
        (["--chart", "a.xyz"], "a.xyz: no picture ends in .xyz", "end the name in .svg .png .pdf .html"),
        (["--judged", "run.txt"], "run.txt: this looks like a run where qrels are expected", None),
        (["--simulate", "qrels.txt", "-m", "AP P@5"], "'AP P@5' stands for 2 measures where one is wanted", "write AP"),
        (["--simulate", "qrels.txt", "-m", "nix"], "there is no measure named 'nix'", None),
        (["--simulate", "qrels.txt", "--strategy", "nix"], "there is no strategy named 'nix'", None),
        (["--simulate", "empty.txt"], "empty.txt: the file has no lines of data", None),
    ],
    ids=lambda told: " ".join(told) if isinstance(told, list) else "",
)
def test_what_cannot_be_done(words: list[str], error: str, hint: str | None, cranfield: Command, here: Path) -> None:
    (here / "empty.txt").write_text("")
    expect_refusal(cranfield("pool", "runs", *words), 1, error, hint)


@pytest.mark.parametrize(
    "words",
    [
        ["--judged", "qrels.txt", "-o", "qrels.txt"],
        ["--judged", "q.qrels", "-o", "./q.qrels"],
        ["-o", "runs/cedar-1.txt"],
        ["--state", "s.json", "-o", "s.json"],
        ["--simulate", "qrels.txt", "--entries", "runs.csv", "-o", "runs.csv"],
    ],
    ids=" ".join,
)
def test_nothing_is_written_over_what_is_read(words: list[str], cranfield: Command, here: Path) -> None:
    shutil.copy(here / "qrels.txt", here / "q.qrels")
    before = {path: path.read_bytes() for path in here.rglob("*") if path.is_file()}
    error = f"{words[-1]}: this file is read"
    expect_refusal(cranfield("pool", "runs", *words), 1, error, "write to another file: -o pool.qrels")
    assert {path: path.read_bytes() for path in here.rglob("*") if path.is_file()} == before
