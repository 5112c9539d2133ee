"""Bad inputs: the user reads two lines, and knows what to do."""

import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import cranfield as cf
from cranfield.cli.dispatch import cranfield as commands
from tests.cli.bad_files.cases import Content, Refused, Warned
from tests.cli.bad_files.command_lines import TYPED
from tests.cli.bad_files.lines import COLUMNS, EMPTY_AND_CUT, NOT_TEXT, NUMBERS, TWICE
from tests.cli.bad_files.lint_warnings import WARNED
from tests.cli.bad_files.paths import PLACES
from tests.cli.bad_files.pools import POOLS
from tests.cli.bad_files.scores import CELLS_OF_SCORES, STATISTICS
from tests.cli.bad_files.tables import TABLES
from tests.support.cli.commands import QRELS, RUN, Command

ABOUT_LINES = [*EMPTY_AND_CUT, *COLUMNS, *NUMBERS, *TWICE, *NOT_TEXT]
REFUSED = [*ABOUT_LINES, *PLACES, *TABLES, *TYPED, *CELLS_OF_SCORES, *STATISTICS, *POOLS]


def put(folder: Path, files: Mapping[str, Content]) -> None:
    """Write the files of a case."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content if isinstance(content, bytes) else content())


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.name)
def test_two_lines_say_what_is_wrong(case: Refused, here: Path, cranfield: Command) -> None:
    put(here, case.files)
    before = sorted(here.rglob("*"))
    ended = cranfield(*shlex.split(case.command))
    assert ended.err.splitlines() == [f"error: {case.error}", f"hint: {case.hint}"]
    assert (ended.out, ended.code) == ("", case.exit)
    assert sorted(here.rglob("*")) == before  # nothing half-written is left


@pytest.mark.parametrize("case", [case for case in REFUSED if case.code], ids=lambda case: case.name)
def test_programs_get_a_code(case: Refused, here: Path) -> None:
    put(here, case.files)
    with pytest.raises(cf.InputError) as caught:
        commands.main(shlex.split(case.command), standalone_mode=False, obj=[])
    assert caught.value.code == case.code
    assert caught.value.problem == case.error


@pytest.mark.parametrize("case", WARNED, ids=lambda case: case.name)
def test_a_warning_is_a_row(case: Warned, here: Path, cranfield: Command) -> None:
    put(here, case.files)
    ended = cranfield("lint", *shlex.split(case.command), "--format", "json")
    rows = json.loads(ended.out)["tables"]["problems"]
    assert [row for row in rows if row["code"] == case.code] == [
        {
            "file": case.command.split()[-1],
            "line": case.line,
            "code": case.code,
            "severity": "error" if case.code.startswith("E") else "warning",
            "message": case.message,
            "hint": case.hint,
        }
    ]


# What is more than can be listed are errors here, and errors stop.
HARMLESS = [case for case in WARNED if case.code.startswith("W") and case.code != "W-MORE"]


@pytest.mark.parametrize("case", HARMLESS, ids=lambda case: case.name)
def test_a_warning_stops_nobody(case: Warned, here: Path, cranfield: Command) -> None:
    put(here, case.files)
    assert cranfield("evaluate", "qrels.txt", "run.txt").code == 0


def test_the_table_is_wide_enough() -> None:
    assert len(REFUSED) + len(WARNED) >= 40
    assert len({case.code for case in REFUSED if case.code} | {case.code for case in WARNED}) >= 25
    names = [case.name for case in REFUSED] + [case.name for case in WARNED]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.name)
def test_a_message_is_two_plain_lines(case: Refused) -> None:
    for line in (case.error, case.hint):
        assert line.isprintable()
        assert not line.endswith(".")
        assert not re.search(r"Traceback|Exception|object at 0x|None\b", line)


def test_two_runs_of_one_name(here: Path) -> None:
    with pytest.raises(cf.InputError) as caught:
        cf.evaluate(here / "qrels.txt", [here / "run.txt", here / "run.txt"], "AP")
    assert caught.value.code == "E-NAMES"
    assert caught.value.hint == "give every run a name of its own"


@pytest.fixture
def public_folder() -> Iterator[Path]:
    """A folder that every user of the machine may enter; pytest's own are for one."""
    folder = Path(tempfile.mkdtemp(prefix="cranfield-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


# Root may read everything, so root becomes nobody, once all is imported that nobody may not import.
AS_NOBODY = """
import os, cranfield.cli.commands.evaluation.evaluate, cranfield.cli.dispatch
if os.geteuid() == 0:
    os.setuid(65534)
cranfield.cli.dispatch.main()
"""


def test_a_file_that_may_not_be_read(public_folder: Path) -> None:
    (public_folder / "qrels.txt").write_bytes(QRELS)
    (public_folder / "run.txt").write_bytes(RUN)
    (public_folder / "run.txt").chmod(0)
    done = subprocess.run(
        [sys.executable, "-c", AS_NOBODY, "evaluate", "qrels.txt", "run.txt"],
        cwd=public_folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.stderr == "error: run.txt: the file may not be read\nhint: check its permissions\n"
    assert (done.returncode, done.stdout) == (1, "")
