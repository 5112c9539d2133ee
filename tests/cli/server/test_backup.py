"""cranfield backup, restore, export and audit, as an operator types them; each in a process of its own, as in life."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tests.support.server import home_subprocess

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder to stand in, with a server's home in it."""
    folder = tmp_path_factory.mktemp("operator")
    home_subprocess.ask(folder / "board", "make_filled")
    return folder


def refused(place: Path, *words: str, code: int = 1) -> str:
    """What the command says when it does nothing: two lines, of which the first counts."""
    done = home_subprocess.cranfield(*words, cwd=place)
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    first, second = done.stderr.splitlines()
    assert second.startswith("hint: ")
    return first.removeprefix("error: ")


def test_from_a_backup_to_a_new_home(place: Path, tmp_path: Path) -> None:
    made = home_subprocess.cranfield("backup", str(tmp_path / "all.tar"), "--home", "board", cwd=place)
    assert made.returncode == 0, made.stderr
    assert re.fullmatch(rf"{tmp_path}/all\.tar: [\d,]+ rows, [\d,]+ blobs, [\d,]+ acts in the log\n", made.stdout)
    there = home_subprocess.cranfield("restore", "all.tar", "--home", "new", "--verify", cwd=tmp_path)
    assert there.returncode == 0, there.stderr
    assert there.stdout == f"restored from {made.stdout.removeprefix(f'{tmp_path}/')}"
    checked = [home_subprocess.cranfield("audit", "--home", "board", cwd=place)]
    checked.append(home_subprocess.cranfield("audit", "verify", "--home", "new", cwd=tmp_path))
    assert checked[0].stdout == checked[1].stdout
    said = r"[\d,]+ acts and [\d,]+ files are as they were written; the last digest is [0-9a-f]{64}\n"
    assert re.fullmatch(said, checked[0].stdout)


def test_a_backup_without_a_name_goes_to_the_home(place: Path) -> None:
    made = home_subprocess.cranfield("backup", "--home", "board", cwd=place)
    assert made.returncode == 0, made.stderr
    (file,) = (place / "board" / "backups").iterdir()
    assert made.stdout.startswith(f"{file}: ")


def test_what_is_refused(place: Path, tmp_path: Path) -> None:
    for command in (["backup"], ["export", "x", "--static"], ["audit"]):
        assert refused(place, *command) == "cranfield-home is not the home of a server"
        assert refused(place, *command, "--home", "nowhere") == "nowhere is not the home of a server"
    (tmp_path / "taken.tar").write_text("mine")
    taken = str(tmp_path / "taken.tar")
    assert refused(place, "backup", taken, "--home", "board") == f"{taken} is there already"
    assert refused(place, "backup", "no/where.tar", "--home", "board") == "no: there is no such folder"
    assert refused(place, "restore", "nothing.tar", "--home", "new") == "nothing.tar: there is no such file"
    assert refused(place, "restore", taken, "--home", "new") == f"{taken}: it is no backup, or it ends too early"
    assert refused(place, "restore", str(tmp_path), "--home", "new") == f"{tmp_path}: it is a folder, not a backup"
    assert refused(place, "restore", taken, "--home", "board") == "board is not empty"
    assert refused(place, "restore", taken, "--home", taken) == f"{taken} is not empty"
    assert not (place / "new").exists()
    assert refused(place, "export", "out", "--task", "x", "--home", "board") == "there is no task x"
    assert refused(place, "export", "board", "--static", "--home", "board") == "board is the home of the server"
    for words in (["out"], ["out", "--static", "--task", "ad-hoc"]):
        assert refused(place, "export", *words, "--home", "board", code=2) == "say what to write"
    assert not (place / "out").exists()
    assert (tmp_path / "taken.tar").read_text() == "mine"


def test_a_database_that_is_not_there(place: Path) -> None:
    bad = "postgresql://nobody@127.0.0.1:1/nothing"
    assert refused(place, "backup", "--home", "board", "--database", bad).startswith("the database does not answer: ")
    assert refused(place, "audit", "--home", "board", "--database", "mysql://x") == "the database cannot be 'mysql://x'"


@pytest.mark.parametrize(
    ("words", "half"),
    [
        (["backup", "OUT/all.tar", "--home", "board"], ".all.tar.*.part"),
        (["export", "OUT/site", "--static", "--home", "board"], "site/tasks"),
        (["export", "OUT/task", "--task", "ad-hoc", "--home", "board"], "task"),
        (["restore", "all.tar", "--home", "OUT/new"], "new/blobs"),
    ],
    ids=["backup", "export", "task", "restore"],
)
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "told"])
def test_what_is_cut_off_leaves_nothing(place: Path, tmp_path: Path, words: list[str], half: str, how: int) -> None:
    if not (place / "all.tar").exists():
        assert home_subprocess.cranfield("backup", "all.tar", "--home", "board", cwd=place).returncode == 0
    # Each step takes long enough to be caught in the middle of it: Python ignores Ctrl-C in some moments of an import.
    # Only pages of a site take long without such steps.
    steps = tmp_path.with_name(f"{tmp_path.name}-steps")
    slow = (
        "import os, pathlib, shutil, time\n"
        "from cranfield.cli import main\n"
        "sync, copy = os.fsync, shutil.copyfile\n"
        f"wait = lambda: (pathlib.Path({str(steps)!r}).touch(), time.sleep(0.3))\n"
        "os.fsync = lambda file: (wait(), sync(file))\n"
        "shutil.copyfile = lambda *names: (wait(), copy(*names))\n"
        "main()"
    )
    typed = [word.replace("OUT", str(tmp_path)) for word in words]
    going = subprocess.Popen(
        [sys.executable, "-c", slow, *typed],
        cwd=place,
        env=home_subprocess.environment(),
        stderr=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + 60

    def is_within_a_step() -> bool:
        in_step = "--static" in words or (steps.exists() and time.time() - steps.stat().st_mtime < 0.1)
        return in_step and bool(list(tmp_path.glob(half)))

    while not is_within_a_step() and going.poll() is None and time.monotonic() < until:
        time.sleep(0.005)
    assert list(tmp_path.glob(half))
    going.send_signal(how)
    _, said = going.communicate(timeout=30)
    assert (going.returncode, said) == ((130, "error: interrupted\n") if how == signal.SIGINT else (143, ""))
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small disk")
@pytest.mark.parametrize(
    "words",
    [["backup", "DISK/all.tar"], ["export", "DISK/site", "--static"], ["export", "DISK/task", "--task", "ad-hoc"]],
    ids=["backup", "export", "task"],
)
def test_a_full_disk_is_told_and_nothing_stays_on_it(place: Path, tmp_path: Path, words: list[str]) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", tmp_path], check=True)
    try:
        typed = [word.replace("DISK", str(tmp_path)) for word in words]
        assert refused(place, *typed, "--home", "board") == f"{typed[1]}: No space left on device"
        assert not list(tmp_path.iterdir())
    finally:
        subprocess.run(["umount", tmp_path], check=True)


def test_the_log_is_checked_against_a_digest_that_was_noted(place: Path, tmp_path: Path) -> None:
    home_subprocess.cranfield("backup", str(tmp_path / "all.tar"), "--home", "board", cwd=place)
    home_subprocess.cranfield("restore", "all.tar", "--home", "new", cwd=tmp_path)
    before = home_subprocess.cranfield("audit", "verify", "--home", "new", cwd=tmp_path).stdout
    noted = before.split()[-1]
    assert home_subprocess.cranfield("audit", "--noted", noted, "--home", "new", cwd=tmp_path).stdout == before
    database = sqlite3.connect(tmp_path / "new" / "database.sqlite3")
    database.execute("delete from server_audit where id = (select max(id) from server_audit)")
    database.commit()
    database.close()
    # What is left is a chain that holds: only who noted its end can tell.
    assert home_subprocess.cranfield("audit", "verify", "--home", "new", cwd=tmp_path).returncode == 0
    wrong = refused(tmp_path, "audit", "verify", "--noted", noted, "--home", "new", code=3)
    assert wrong == f"no act has the noted digest {noted[:12]}…"


def test_what_an_audit_cannot_do(place: Path) -> None:
    assert refused(place, "audit", "verify", "--task", "ad-hoc", code=2) == "the log is checked as a whole"
    assert refused(place, "audit", "show", "--noted", "0" * 64, code=2) == "nothing is checked here"
    assert refused(place, "audit", "everything", code=2) == "what cannot be everything"


def test_a_task_as_files(place: Path, tmp_path: Path) -> None:
    done = home_subprocess.cranfield("export", str(tmp_path / "out"), "--task", "ad-hoc", "--home", "board", cwd=place)
    assert (done.returncode, done.stdout) == (0, f"{tmp_path}/out: the task ad-hoc\n"), done.stderr
    ranked = home_subprocess.cranfield("leaderboard", "out/qrels.1.txt", "out/runs", "-m", "nDCG@10", cwd=tmp_path)
    assert ranked.returncode == 0, ranked.stderr
    assert len(ranked.stdout.splitlines()) >= 5  # what was written can be evaluated again


def test_the_log_is_shown_and_a_changed_act_is_found(place: Path, tmp_path: Path) -> None:
    home_subprocess.cranfield("backup", str(tmp_path / "all.tar"), "--home", "board", cwd=place)
    home_subprocess.cranfield("restore", "all.tar", "--home", "new", cwd=tmp_path)
    shown = home_subprocess.cranfield("audit", "show", "--task", "ad-hoc", "--home", "new", cwd=tmp_path)
    rows = [line.split("\t") for line in shown.stdout.splitlines()]
    assert [row[3] for row in rows].count("submit") == 4
    assert {row[4] for row in rows} == {"ad-hoc"}
    assert home_subprocess.cranfield("audit", "show", "--task", "none", "--home", "new", cwd=tmp_path).stdout == ""
    database = sqlite3.connect(tmp_path / "new" / "database.sqlite3")
    database.execute("update server_audit set who = 'somebody' where what = 'submit'")
    database.commit()
    database.close()
    wrong = refused(tmp_path, "audit", "--home", "new", code=3)
    assert re.fullmatch(r"act \d+ and 3 more: it was changed", wrong)
    whole = home_subprocess.cranfield("audit", "show", "--home", "new", cwd=tmp_path)
    assert whole.stdout.count("somebody") == 4
