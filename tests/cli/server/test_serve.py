"""serve and worker: one command, one folder, an end without a trace."""

from __future__ import annotations

import json
import re
import shlex
import socket
import ssl
import subprocess
import sys
import time
from typing import TYPE_CHECKING
from urllib.request import urlopen

import pytest

from cranfield.core import ParameterError
from cranfield.server.site.home_folder import Home
from tests.support.cli.commands import expect_refusal
from tests.support.cli.example_files import examples
from tests.support.cli.server_process import ROOT, ended, filled, first_line, free_port, started

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.cli.commands import Command


def examples_of(command: str, process: Command) -> list[list[str]]:
    """The words of the examples on its page of help."""
    return [shlex.split(line)[1:] for line in examples(process(command, "--help").out)]


def test_the_first_start_makes_the_home_and_a_link_for_the_operator(here: Path, process: Command) -> None:
    port, said = str(free_port()), here / "said.txt"
    first, second_time, _ = examples_of("serve", process)
    serve = started(*first, "--port", port, said=said)
    try:
        url = first_line(serve, said)
        assert url == f"http://127.0.0.1:{port}"
        with urlopen(f"{url}/api/health") as answer:
            assert json.load(answer)["status"] == "ok"
        [link] = re.findall(r"^  (http\S+)$", said.read_text(), re.MULTILINE)
        assert link.startswith(f"{url}/join/")
        with urlopen(link) as answer:
            assert answer.status == 200
        assert (here / "boards").stat().st_mode & 0o777 == 0o700
        # A second server finds the home, or the port, taken.
        second = process("serve", "--home", "boards", "--port", str(free_port()))
        expect_refusal(
            second,
            1,
            f"boards is being served already (process {serve.pid})",
            "end that one first, or name another folder: --home",
        )
        third = process("serve", "--home", "others", "--port", port)
        what = f"nobody can listen on port {port} of 127.0.0.1: address already in use"
        expect_refusal(third, 1, what, f"choose another: --port {int(port) + 1}")
    finally:
        assert ended(serve) == 0
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", int(port)), 1)
    # The link is shown once more where nobody used it: an earlier one is void then.
    again = started(*second_time, "--port", port, said=said)
    try:
        first_line(again, said)
        assert re.findall(r"^  (http\S+)$", said.read_text(), re.MULTILINE) != [link]
    finally:
        assert ended(again) == 0


def test_killed_outright_the_lock_is_gone(here: Path, process: Command) -> None:
    port, said = str(free_port()), here / "said.txt"
    make = "openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 1 -subj /CN=localhost"
    make += " -addext subjectAltName=DNS:localhost"
    subprocess.run(make.split(), check=True, capture_output=True)
    words = [*examples_of("serve", process)[2], "--port", port, "--workers", "0"]
    serve = started(*words, said=said)
    try:
        assert first_line(serve, said) == f"https://127.0.0.1:{port}"
        trusting = ssl.create_default_context(cafile="cert.pem")
        with urlopen(f"https://localhost:{port}/health", context=trusting) as answer:
            assert answer.status == 200
    finally:
        serve.kill()
        serve.communicate()
    until = time.monotonic() + 20
    while time.monotonic() < until:  # its children go after it
        try:
            socket.create_connection(("127.0.0.1", int(port)), 1).close()
            time.sleep(0.1)
        except OSError:
            break
    again = started(*words, said=said)
    try:
        assert first_line(again, said) == f"https://127.0.0.1:{port}"
    finally:
        assert ended(again) == 0


@pytest.mark.parametrize(
    ("words", "error", "hint"),
    [
        (
            ["--address", "0.0.0.0"],
            "0.0.0.0 can be reached from outside, and there is no TLS",
            "give --certificate and --key, or --insecure if a proxy in front of it does TLS",
        ),
        (["--certificate", "c.pem"], "a certificate and its key belong together", "give --certificate and --key"),
        (
            ["--certificate", "c.pem", "--key", "k.pem"],
            "c.pem: there is no such file",
            "--certificate and --key name PEM files",
        ),
        (["--address", "nowhere.invalid", "--insecure"], "nowhere.invalid is no address of this machine", None),
        (["--port", "70000"], "there is no port 70000", "ports go from 1 to 65535"),
        (["--home", "run.txt"], "run.txt: File exists", "name a folder you may write to: --home"),
        (["--database", "mysql://x/y"], "the database cannot be 'mysql://x/y'", None),
        (
            ["--database", "postgresql://me:secret@db:99999/x"],
            "the database cannot be 'postgresql://me:…@db:99999/x'",
            "write it as postgresql://user:password@host:5432/name",
        ),
        (["--database", "postgresql://me@[::1/x"], "the database cannot be 'postgresql://me@[::1/x'", None),
        (
            ["--address", "192.0.2.1", "--insecure"],
            "nobody can listen on port 8000 of 192.0.2.1: cannot assign requested address",
            "this machine has no such address; 127.0.0.1 is the usual one",
        ),
    ],
    ids=lambda value: value[0].strip("-") if isinstance(value, list) else "",
)
def test_what_cannot_be_served(process: Command, words: list[str], error: str, hint: str | None) -> None:
    expect_refusal(process("serve", *words), 1, error, hint)


def test_a_database_that_does_not_answer(process: Command, here: Path) -> None:
    port = str(free_port())
    away = process("serve", "--home", "a", "--port", port, "--database", "postgresql://me:secret@127.0.0.1:1/none")
    assert (away.code, away.out) == (1, "")
    first, second = away.err.splitlines()
    assert first.startswith("error: the database does not answer: ")
    assert second == "hint: check --database, and whether it runs"
    assert "secret" not in away.err
    (here / "b").mkdir()
    (here / "b/database.sqlite3").write_text("no database " * 100)
    file = (here / "b/database.sqlite3").resolve()
    hint = f"look at {file}; cranfield restore fills a new home from a backup"
    broken = process("serve", "--home", "b", "--port", port)
    expect_refusal(broken, 1, "the database does not answer: file is not a database", hint)


@pytest.mark.parametrize(
    ("line", "error", "hint"),
    [
        ('nmae = "x"', "there is no setting nmae", None),
        ('url = "boards"', "url cannot be 'boards'", "write it as https://example.org, without a path"),
        ('url = "https://[::1"', "url cannot be 'https://[::1'", None),
        ('url = "https://example.org/boards"', "url cannot be 'https://example.org/boards'", None),
        ("hosts = [1]", "hosts cannot be [1]", 'write it as ["example.org"]'),
        ("upload_mb = 0", "upload_mb cannot be 0", "give a whole number, 1 or more"),
        ("unpacked_mb = -1", "unpacked_mb cannot be -1", None),
        ("backup_days = 0", "backup_days cannot be 0", None),
        ('sign_up = "maybe"', "sign_up cannot be 'maybe'", "choose invited or open"),
        ("name = \udcff", "'utf-8' codec can't decode byte 0xff in position 7: invalid start byte", None),
    ],
    ids=lambda value: value.split(" ")[0] if value and "=" in value else "",
)
def test_settings_that_make_no_sense(tmp_path: Path, line: str, error: str, hint: str | None) -> None:
    home = Home(tmp_path)
    home.settings.write_bytes(line.encode("utf-8", "surrogateescape"))
    with pytest.raises(ParameterError) as caught:
        home.options()
    assert caught.value.problem == f"{home.settings}: {error}"
    assert caught.value.hint
    assert hint in (None, caught.value.hint)


def test_the_demo_has_its_home_for_itself(here: Path, process: Command) -> None:
    port, said = str(free_port()), here / "said.txt"
    demo = started("demo", "--serve", "--folder", "kept", "--port", port, said=said)
    try:
        assert first_line(demo, said) == f"http://127.0.0.1:{port}"
        second = process("serve", "--home", "kept", "--port", str(free_port()))
        expect_refusal(second, 1, f"kept is being served already (process {demo.pid})", None)
    finally:
        assert ended(demo) == 0
    assert said.read_text().endswith("stopping: what is in hand comes to its end first\n")


def test_a_demo_that_is_told_to_end_leaves_nothing(tmp_path: Path) -> None:
    said = tmp_path / "said.txt"
    demo = started("demo", "--serve", "--port", str(free_port()), said=said, TMPDIR=str(tmp_path))
    until = time.monotonic() + 60
    while not list(tmp_path.glob("cranfield-demo-*/database.sqlite3")) and time.monotonic() < until:
        time.sleep(0.02)
    assert list(tmp_path.glob("cranfield-demo-*/database.sqlite3"))
    demo.terminate()
    assert demo.wait(30) == 143
    demo.communicate()
    assert [one.name for one in tmp_path.iterdir()] == ["said.txt"]


@pytest.mark.parametrize("command", ["serve", "worker"])
def test_without_the_extra_it_says_how_to_get_it(
    cranfield: Command, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "django", None)
    expect_refusal(cranfield(command), 1, "server needs django", "pip install 'cranfield[server]'")


def test_a_worker_does_what_waits(tmp_path: Path, process: Command) -> None:
    home = tmp_path / "boards"
    filled(home)
    code = (
        "import sys; from cranfield.server.site.django_setup import start; start(sys.argv[1]);"
        "from tests.support.server.users_and_tasks import *;"
        "task = Task.objects.get(slug='narrow'); alice = User.objects.get(username='alice');"
        "intake.receive(task, Team.objects.get(slug='alpha'), alice, arrived(run_text('x')), name='late')"
    )
    subprocess.run([sys.executable, "-c", code, str(home)], cwd=ROOT, check=True)
    done = process(*examples_of("worker", process)[0])
    assert (done.code, done.err) == (0, "")
    assert re.fullmatch(r"[2-9] jobs done\n", done.out)  # the run, the board, and what is done once in a while
    worker = started("worker", "--home", str(home), said=tmp_path / "said.txt")
    until = time.monotonic() + 60
    while "working for" not in (tmp_path / "said.txt").read_text() and time.monotonic() < until:
        time.sleep(0.1)
    assert ended(worker) == 0


def test_a_worker_on_another_machine(here: Path, process: Command, postgres: str) -> None:
    code = (
        "import sys; from cranfield.server.site.django_setup import *; start('boards', database=sys.argv[1]); migrate()"
    )
    subprocess.run([sys.executable, "-c", code, postgres], cwd=here, check=True)
    words = [postgres if word.startswith("postgresql:") else word for word in examples_of("worker", process)[1]]
    assert postgres in words
    done = process(*words, "--once")
    assert (done.code, done.err) == (0, "")


def test_a_worker_needs_a_home_that_is_ready(process: Command, here: Path) -> None:
    expect_refusal(process("worker", "--home", "nowhere"), 1, "nowhere is not the home of a server", None)
    Home(here / "fresh").make()
    hint = "start cranfield serve once: it brings the database up to date"
    expect_refusal(process("worker", "--home", "fresh"), 1, "the database is not that of this version", hint)
    away = process("worker", "--home", "fresh", "--database", "postgresql://me@127.0.0.1:1/none")
    assert (away.code, len(away.err.splitlines())) == (1, 2)
    assert away.err.startswith("error: the database does not answer: ")
