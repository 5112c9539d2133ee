"""submit, status and download, against a real server."""

from __future__ import annotations

import csv
import json
import os
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING
from urllib.request import urlopen

import pytest

from tests.support.cli.commands import Command, Ended, expect_refusal, read_json
from tests.support.cli.example_files import examples
from tests.support.cli.server_process import Running, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DOCUMENTS = [f"D{number:02d}" for number in range(1, 11)]
TOPICS = [str(number) for number in range(301, 313)]
GOOD = "".join(f"{t} Q0 {d} {r} {100 - r} x\n" for t in TOPICS for r, d in enumerate(DOCUMENTS, 1))
BAD = "301 Q0 D01 1 9 x\n301 Q0 D02 2 NaN x\n301 Q0 D01 3 7 x\n"

pytestmark = pytest.mark.usefixtures("nothing_saved")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with serving(tmp_path_factory.mktemp("server")) as found:
        yield found


@pytest.fixture
def alice(cranfield: Command, server: Running, here: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """The command line of somebody in team Alpha."""
    monkeypatch.setenv("CRANFIELD_TOKEN", server.tokens["alice"])
    (here / "good.run").write_text(GOOD)
    (here / "bad.run").write_text(BAD)
    return cranfield


def test_a_run_is_handed_in_and_waited_for(alice: Command, server: Running) -> None:
    ended = alice("submit", server.task, "good.run", "--name", "waited", "--description", "all in order", "--wait")
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert lines[0] == "waited: evaluated"
    assert lines[1] == "  nDCG@10 1.0000 on public topics"  # the ideal order
    assert lines[2].startswith("  rank 1 (1–")
    assert lines[3].startswith(f"  {server.url}/runs/")


def test_json_is_a_contract(alice: Command, server: Running) -> None:
    told = read_json(alice("submit", server.task, "good.run", "--name", "as json", "--wait", "--json").out)
    assert set(told) == {"contract", "study", "verdict", "tables", "made_by"}
    assert (told["study"], told["verdict"]["errors"]) == ("submit", 0)
    [row] = told["tables"]["submission"]
    assert (row["name"], row["state"], row["team"], row["value"], row["rank"]) == ("as json", "scored", "alpha", 1, 1)
    again = read_json(alice("status", f"{server.url}/runs/{row['key']}/", "--format", "json").out)
    assert again["tables"]["submissions"] == [{**row, "of": again["tables"]["submissions"][0]["of"]}]


def test_errors_are_told_as_lint_tells_them(alice: Command, server: Running) -> None:
    lint = alice("lint", "bad.run", "--format", "text")
    own = lint.out.splitlines()
    for words in (["--dry-run"], ["--name", "bad"]):
        ended = alice("submit", server.task, "bad.run", *words)
        assert ended.code == 1
        assert set(own) <= set(ended.out.splitlines())
        first, second = ended.err.splitlines()
        assert first.startswith("error: bad.run: 2 errors")
        assert first.endswith(": it was not taken")
        assert second == "hint: the hint of each problem says how to mend it; no attempt was used"
    told = read_json(alice("submit", server.task, "bad.run", "--json").out)
    assert told["verdict"]["errors"] == 2
    assert {row["code"] for row in told["tables"]["problems"] if row["severity"] == "error"} == {"E-FINITE", "E-DUPDOC"}
    assert told["tables"]["submission"] == []


def test_a_dry_run_keeps_nothing(alice: Command, server: Running) -> None:
    before = alice("status", server.task, "--json").out
    ended = alice("submit", server.task, "good.run", "--dry-run")
    assert (ended.code, ended.out, ended.err) == (0, "", "good.run: no problems: the file is as it should be\n")
    assert alice("status", server.task, "--json").out == before


def test_the_limit_is_told_in_the_server_s_words(alice: Command, server: Running) -> None:
    narrow = f"{server.url}/tasks/narrow/"
    assert alice("submit", narrow, "good.run").code == 0
    second = alice("submit", narrow, "good.run", "--name", "second")
    assert second.err.splitlines()[0] == "error: your team has used its 1 submissions in 30 days"
    assert second.err.splitlines()[1].startswith("hint: the next one is possible from ")
    status = alice("status", narrow)
    assert status.out.splitlines()[0].startswith("good: ")
    assert status.err.startswith("0 of 1 submissions in 30 days left; the next one from ")


def test_status_of_a_task_and_of_a_run(alice: Command, server: Running) -> None:
    ended = alice("status", server.task)
    assert "ideal: evaluated" in ended.out
    assert "good: evaluated" not in ended.out  # that of another team
    assert " of 1000 submissions in 30 days left" in ended.err
    one = alice("status", f"{server.url}/api/submissions/{server.keys['good']}")
    assert one.out.splitlines()[0] == "good: evaluated"
    alone = alice("status", server.url)
    assert "ideal in ad-hoc: evaluated\n" in alone.out  # of several tasks


def test_anybody_may_look_at_a_run(cranfield: Command, server: Running) -> None:
    assert cranfield("status", f"{server.url}/runs/{server.keys['good']}/").out.startswith("good: evaluated\n")


def test_downloads(alice: Command, server: Running, here: Path) -> None:
    ended = alice("download", server.task, "-o", "got")
    assert ended.code == 0
    assert [line for line in ended.out.splitlines() if "runs/" not in line] == [
        "got/board.json",
        "got/board.csv",
        "got/qrels.txt",
    ]
    board = json.loads((here / "got/board.json").read_text())
    with (here / "got/board.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["run"] for row in rows] == [row["run"] for row in board["rows"]]
    assert [float(row["value"]) for row in rows] == [row["value"] for row in board["rows"]]
    judged = {line.split()[0] for line in (here / "got/qrels.txt").read_text().splitlines()}
    assert judged == set(TOPICS[:8])  # the last four are private
    assert (here / "got/runs/ideal.run").read_text().startswith("301 Q0 D01 1 ")
    one = alice("download", f"{server.url}/runs/{server.keys['ideal']}/", "-o", "one", "--json")
    assert json.loads(one.out) == ["one/ideal.run"]
    tasks = alice("download", server.url, "-o", "all")
    assert tasks.out == "all/tasks.json\n"
    assert {row["slug"] for row in json.loads((here / "all/tasks.json").read_text())} == {"ad-hoc", "narrow"}
    expect_refusal(alice("download", server.task, "-o", "good.run"), 1, "good.run: this is a file, not a folder", None)
    piped = alice("download", server.task, "-o", "-")
    expect_refusal(piped, 1, "the files go to a folder, not to a pipe", "name a folder: -o FOLDER")


def newest_board(server: Running) -> int:
    with urlopen(f"{server.url}/api/tasks/ad-hoc") as answer:
        return int(json.load(answer)["board"])


def test_the_board_of_the_command_is_that_of_the_page(alice: Command, server: Running, here: Path) -> None:
    (here / "said.run").write_text(f"# ir_metadata.start\n# method:\n#   description: mine\n# ir_metadata.end\n{GOOD}")
    assert alice("submit", server.task, "said.run", "--wait").code == 0
    number = 0
    while number != (now := newest_board(server)):  # runs of other tests may still come in
        number = now
        assert alice("download", server.task, "-o", "got").code == 0
    with urlopen(f"{server.task}boards/{number}/board.csv") as page:
        assert (here / "got/board.csv").read_bytes() == page.read()
    assert b"method.description: mine" in (here / "got/board.csv").read_bytes()


def test_runs_whose_names_look_alike_on_a_disk(alice: Command, server: Running, here: Path) -> None:
    for name in ("like this", "like_this"):
        assert alice("submit", server.task, "good.run", "--name", name).code == 0
    told = alice("download", server.task, "-o", "alike").out.splitlines()
    alike = [one for one in told if one.endswith("like_this.run")]
    assert len(set(alike)) == 2
    assert len(set(told)) == len(told) == sum(1 for one in (here / "alike").rglob("*") if one.is_file())


def test_where_there_are_no_runs_it_says_so(cranfield: Command, server: Running) -> None:
    ended = cranfield("status", server.url, "--token", server.tokens["loner"])
    assert (ended.code, ended.out, ended.err) == (0, "", "your teams have handed in no runs yet\n")


def test_where_labels_are_not_public_the_rest_is_fetched(cranfield: Command, server: Running) -> None:
    ended = cranfield("download", f"{server.url}/tasks/narrow/", "-o", "got")
    assert "qrels" not in ended.out
    other = cranfield("download", f"{server.url}/runs/{server.keys['ideal']}/")
    expect_refusal(other, 1, "there is no such thing, or it is not for your eyes", None)


def test_tokens_are_saved_for_their_owner_alone(cranfield: Command, server: Running, here: Path) -> None:
    (here / "good.run").write_text(GOOD)
    no_token = cranfield("submit", server.task, "good.run")
    host = server.url.removeprefix("http://")
    hint = f"make a token at {server.url}/my/tokens/ and give it with --token or $CRANFIELD_TOKEN"
    expect_refusal(no_token, 1, f"{host} wants to know who you are", hint)
    given = ["--token", server.tokens["beth"], "--save-token"]
    kept = cranfield("submit", server.task, "good.run", "--dry-run", *given)
    place = here / "config" / "cranfield" / "tokens.toml"
    assert (kept.code, kept.err.splitlines()[0]) == (0, f"note: the token for {host} is kept in {place}")
    assert place.read_text() == f'"{host}" = "{server.tokens["beth"]}"\n'
    assert place.stat().st_mode & 0o777 == 0o600
    assert cranfield("submit", server.task, "good.run", "--dry-run").code == 0
    assert cranfield("status", server.keys["good"]).out.startswith("good: evaluated")  # the one server that is known
    place.chmod(0o644)
    expect_refusal(cranfield("status", server.task), 1, f"{place}: others may read your tokens", f"chmod 600 {place}")
    place.chmod(0o600)
    place.write_text("no toml")
    assert cranfield("status", server.task).err.startswith(f"error: {place}: ")
    place.unlink()
    unclear = cranfield("status", server.keys["good"])
    expect_refusal(unclear, 1, f"it is not clear on which server the run {server.keys['good']} is", None)


@pytest.mark.parametrize(
    ("who", "error"),
    [("expired", "expired on"), ("reader", "may not do this"), ("loner", "your team takes no part in this task")],
)
def test_tokens_that_are_not_good_enough(alice: Command, server: Running, who: str, error: str) -> None:
    ended = alice("submit", server.task, "good.run", "--token", server.tokens[who])
    assert (ended.code, len(ended.err.splitlines())) == (1, 2)
    assert error in ended.err


@pytest.mark.parametrize(
    ("words", "error", "hint"),
    [
        (
            ["tasks/ad-hoc/", "good.run"],
            "tasks/ad-hoc/ is no address",
            "give that of the task's page: https://example.org/tasks/ad-hoc/",
        ),
        (["http://[/", "good.run"], "http://[/ is no address", None),
        (
            ["URL/", "good.run"],
            "URL/ is not the address of a task",
            "give that of its page: https://example.org/tasks/ad-hoc/",
        ),
        (
            ["URL/tasks/none/", "good.run"],
            "there is no such thing, or it is not for your eyes",
            "URL/ shows what there is; some of it needs the right token",
        ),
        (["URL/tasks/ad-hoc/", "none.run"], "none.run: No such file or directory", None),
        (["URL/tasks/ad-hoc/", "."], ".: this is a folder, not a file", "submit one run at a time"),
        (["URL/tasks/ad-hoc/", "good.run", "--name", "a/b"], "the run cannot be called 'a/b'", None),
        (
            ["URL/tasks/ad-hoc/", "good.run", "--link", "x"],
            "link: should be an address that starts with https://",
            "/api/docs says what each field holds",
        ),
        (
            ["URL/tasks/ad-hoc/", "good.run", "--team", "beta"],
            "beta is none of your teams in this task",
            "choose one of: alpha",
        ),
        (["URL/tasks/ad-hoc/", "good.run", "--token", "a b"], "this is no token", None),
        (
            ["URL/tasks/ad-hoc/", "good.run", "--token", "cf_nobody"],
            "nobody has this token",
            "make a token at URL/my/tokens/ and give it with --token or $CRANFIELD_TOKEN",
        ),
        (
            ["http://127.0.0.1:1/tasks/ad-hoc/", "good.run"],
            "http://127.0.0.1:1: nobody answers there",
            "check the address, and whether the server runs",
        ),
        (
            ["http://no-such-host.invalid/tasks/x/", "good.run"],
            "http://no-such-host.invalid: there is no such host",
            None,
        ),
    ],
    ids=str,
)
def test_refusals_are_two_lines(
    alice: Command, server: Running, words: list[str], error: str, hint: str | None
) -> None:
    ended = alice("submit", *(word.replace("URL", server.url) for word in words))
    lines = [line for line in ended.err.splitlines() if not line.startswith("note: ")]
    shown = Ended(ended.code, ended.out, "\n".join(line.replace(server.url, "URL") for line in lines))
    expect_refusal(shown, 1, error, hint)


@pytest.mark.parametrize("option", ["--embargo", "--anonymous"])
def test_a_day_is_read_before_anything_is_sent(cranfield: Command, option: str) -> None:
    ended = cranfield("submit", "http://127.0.0.1:1/tasks/x/", "none.run", option, "tomorrow")
    expect_refusal(ended, 2, f"{option} cannot be tomorrow", "write a day as 2027-03-01")


@pytest.mark.parametrize("form", [["--token", "TOKEN"], ["--token=TOKEN"]], ids=["apart", "together"])
def test_who_is_given_an_answer_is_not_given_the_token(alice: Command, server: Running, form: list[str]) -> None:
    words = [word.replace("TOKEN", server.tokens["alice"]) for word in form]
    for command in (["submit", server.task, "good.run", "--dry-run"], ["status", server.task]):
        ended = alice(*command, *words, "--json")
        assert ended.code == 0
        assert server.tokens["alice"] not in ended.out
        assert "--token" in read_json(ended.out)["made_by"]["command"]


def test_https_to_a_plain_server(alice: Command, server: Running) -> None:
    ended = alice("status", server.task.replace("http:", "https:"))
    assert ended.err.splitlines()[1] == "hint: check the address: does it start with http:// or https://?"


def test_a_file_that_is_too_large_is_not_sent(alice: Command, server: Running, here: Path) -> None:
    with (here / "big.run").open("wb") as file:
        file.truncate((512 << 20) + 1)  # takes no place on the disk
    ended = alice("submit", server.task, "big.run")
    expect_refusal(ended, 1, "big.run: the server takes files up to 512 MB", "pack it with gzip or zstd")


def test_ctrl_c_says_that_the_run_is_in(server: Running, here: Path, alice: Command) -> None:
    del alice
    code = (
        "import cranfield.cli.commands.remote.submit as s, os, signal\n"
        "s.time.sleep = lambda seconds: os.kill(os.getpid(), signal.SIGINT)\n"
        "from cranfield.cli import main\nmain()"
    )
    words = [
        sys.executable,
        "-c",
        code,
        "submit",
        server.task,
        "good.run",
        "--name",
        "interrupted",
        "--wait",
    ]
    done = subprocess.run(words, capture_output=True, text=True, env=os.environ, cwd=here, check=False, timeout=60)
    assert done.returncode == 130
    note, error = done.stderr.splitlines()
    assert note.startswith("note: the run is in; look again with: cranfield status http")
    assert error == "error: interrupted"


def test_ctrl_c_while_it_is_sent(server: Running, here: Path, alice: Command) -> None:
    del alice
    code = (
        "import cranfield.server.api.client as c, os, signal\n"
        "c.Form.pieces = lambda *_: iter(lambda: os.kill(os.getpid(), signal.SIGINT), 1)\n"
        "from cranfield.cli import main\nmain()"
    )
    words = [sys.executable, "-c", code, "submit", server.task, "good.run", "--name", "cut off"]
    done = subprocess.run(words, capture_output=True, text=True, env=os.environ, cwd=here, check=False, timeout=60)
    said = f"note: if the run is in all the same, this says so: cranfield status {server.task}\nerror: interrupted\n"
    assert (done.returncode, done.stdout, done.stderr) == (130, "", said)
    dry = subprocess.run([*words, "--dry-run"], capture_output=True, text=True, cwd=here, check=False, timeout=60)
    assert (dry.returncode, dry.stderr) == (130, "error: interrupted\n")


@pytest.mark.parametrize("command", ["submit", "status", "download"])
def test_examples_run(alice: Command, server: Running, here: Path, command: str) -> None:
    for name in ("bm25.run", "dense.run"):
        (here / name).write_text(GOOD)
    found = examples(alice(command, "--help").out)
    assert found
    for example in found:
        real = example.replace("https://example.org", server.url).replace("0123456789ab", server.keys["ideal"])
        ended = alice(*shlex.split(real)[1:])
        assert ended.code == 0, f"{example}\n{ended.err}"


def test_where_there_are_accounts_no_link_was_shown(server: Running) -> None:
    assert "/join/" not in server.said.read_text()
    assert "Ctrl-C" in server.said.read_text()
