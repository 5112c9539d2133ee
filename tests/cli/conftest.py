"""The command line as a user has it, in this process or in one of its own."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cranfield.cli import main
from cranfield.simulate import Campaign
from tests.support.cli.commands import OTHER, QRELS, RUN, Command, Ended
from tests.support.cli.example_files import write_stage


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to stand in, with small good qrels and a good run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_bytes(QRELS)
    (tmp_path / "run.txt").write_bytes(RUN)
    return tmp_path


@pytest.fixture
def other(here: Path) -> None:
    """Another run beside the good one."""
    (here / "other.txt").write_bytes(OTHER)


@pytest.fixture
def cranfield(here: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    """Run a command in this process: ``cranfield("evaluate", "qrels.txt", "run.txt")``."""
    del here

    def run(*words: str) -> Ended:
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            main(list(words))
        said = capsys.readouterr()
        return Ended(int(end.value.code or 0), said.out, said.err)

    return run


@pytest.fixture
def process(here: Path) -> Command:
    """Run a command in a process of its own, as a shell would."""

    def run(*words: str, stdin: bytes = b"", **environment: str) -> Ended:
        done = subprocess.run(
            [sys.executable, "-c", "from cranfield.cli import main; main()", *words],
            input=stdin,
            capture_output=True,
            cwd=here,
            env=os.environ | environment,
            check=False,
            timeout=60,
        )
        return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


@pytest.fixture(scope="session")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small made-up campaign: 8 topics, 6 runs; some have ties, some miss topics."""
    folder = tmp_path_factory.mktemp("campaign")
    Campaign(topics=8, groups=3, runs=6, depth=50, ties=0.4, missing=0.4).write(folder)
    return folder


@pytest.fixture(scope="session")
def stage(campaign: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every file that an example of a help page names: made once, because some take a while."""
    folder = tmp_path_factory.mktemp("stage") / "files"
    write_stage(campaign, folder)
    return folder


@pytest.fixture
def campaign_here(campaign: Path, here: Path) -> None:
    """The folder in which one stands has the runs, judgments and entries of a campaign."""
    shutil.copytree(campaign, here, dirs_exist_ok=True)


@pytest.fixture
def nothing_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No token of the person who runs the tests, no proxy."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in ("CRANFIELD_TOKEN", "http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
