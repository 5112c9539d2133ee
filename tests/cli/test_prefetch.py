"""What a command names is read while Python loads the rest, and nobody can tell but by the clock."""

import os
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest

import cranfield as cf
from cranfield import _native
from cranfield.cli.commands.evaluation.evaluate import command
from cranfield.cli.prefetch import HARMLESS, named
from cranfield.core import InputError

QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 0\n2 0 c 2\n"
RUN = "1 Q0 b 1 2.5 x\n1 Q0 a 2 1.5 x\n2 Q0 c 1 9 x\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "runs").mkdir()
    for name in ("b", "a", ".hidden"):
        (tmp_path / "runs" / name).write_text(RUN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("evaluate qrels runs/a", ("qrels", ["runs/a"], False)),
        ("evaluate qrels runs", ("qrels", ["runs/a", "runs/b"], False)),
        ("evaluate qrels runs/b runs/a -m AP -q --format=json", ("qrels", ["runs/b", "runs/a"], False)),
        ("evaluate qrels runs/a --compat trec_eval-9", ("qrels", ["runs/a"], True)),
        ("evaluate qrels runs/a --compat ranx", None),
        ("evaluate qrels runs/a --gains", None),
        ("evaluate qrels runs/a --ties rank", None),
        ("evaluate qrels runs/a -m AP runs/b", None),
        ("evaluate qrels -m AP", None),
        ("evaluate qrels", None),
        ("evaluate qrels runs/c", None),
        ("evaluate qrels runs/*", None),
        ("evaluate - runs/a", None),
        ("compare qrels runs/a runs/b", None),
        ("", None),
    ],
)
def test_only_what_is_plain_is_begun(typed: str, expected: object) -> None:
    assert named(typed.split()) == expected


def test_options_that_say_nothing_about_reading_are_options() -> None:
    options = [option for option in command.params if isinstance(option, click.Option)]
    there = {name: not option.is_flag for option in options for name in option.opts}
    assert {name: there.get(name) for name in HARMLESS} == HARMLESS


@pytest.mark.parametrize("options", ["", "--compat trec_eval-9", "--ties docno-asc", "--gains"])
def test_values_are_the_same(options: str) -> None:
    typed = f"evaluate ./qrels runs -m AP --format csv {options}".split()
    command = [sys.executable, "-c", "from cranfield.cli import run; run()", *typed]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    rows = [line.split(",") for line in done.stdout.splitlines()]
    values = {row[0]: float(row[rows[0].index("value")]) for row in rows[1:]}
    assert values == {"a": 0.75, "b": 0.75}  # (1/2 + 1) / 2


def test_what_was_begun_is_taken(folder: Path) -> None:
    _native.read_ahead(folder / "qrels", [folder / "runs" / "a"], threads=2)
    time.sleep(1)
    (folder / "runs" / "a").unlink()  # whoever read it now would not find it
    assert cf.evaluate(folder / "qrels", folder / "runs" / "a", "AP").mean()["AP"][0] == 0.75
    with pytest.raises(InputError, match="no such file"):  # once
        cf.evaluate(folder / "qrels", folder / "runs" / "a", "AP")


@pytest.mark.parametrize("other", ["qrels", "runs", "options"])
def test_what_was_guessed_wrong_is_read_anew(folder: Path, other: str) -> None:
    (folder / "more").write_text("1 0 b 1\n")
    _native.read_ahead(folder / ("more" if other == "qrels" else "qrels"), [folder / "runs" / "a"])
    runs = folder / "runs" / ("b" if other == "runs" else "a")
    values = cf.evaluate(folder / "qrels", runs, "AP", compat="trec_eval-9" if other == "options" else None)
    assert values.mean()["AP"][0] == 0.75


def test_errors_are_the_same(folder: Path) -> None:
    (folder / "runs" / "b").write_text("1 Q0 a 1 nan x\n")
    typed = ["evaluate", "qrels", "runs"]
    command = [sys.executable, "-c", "from cranfield.cli import run; run()", *typed]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env=os.environ)
    assert done.returncode == 1
    assert done.stderr.startswith(f'error: {Path("runs/b")}:1: score "nan" is not a finite number')
