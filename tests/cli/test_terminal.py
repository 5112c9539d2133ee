"""Terminals, pipes, signals: true processes, as a shell starts them."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cranfield.core import VERSION
from tests.support.cli.commands import Command, Ended
from tests.support.cli.terminal_session import CRANFIELD, at_terminal

BAR = b"reading  ["


def test_a_terminal_gets_text(campaign: Path) -> None:
    code, shown = at_terminal("evaluate", "qrels.txt", "runs/cedar-1.txt", "-m", "AP P@5", cwd=campaign)
    assert code == 0
    caption, header, row = shown.splitlines()
    assert (caption, header.split()) == ("8 topics", ["run", "AP", "P@5"])
    assert row.startswith("cedar-1  0.")
    assert "\x1b" not in shown


def test_a_terminal_gets_the_problems_in_words(campaign: Path) -> None:
    code, shown = at_terminal("lint", "qrels.txt", "runs", cwd=campaign)
    assert code == 0
    assert ": warning: " in shown
    assert shown.splitlines()[-1].startswith("7 files: ")


@pytest.mark.parametrize("words", [["measures"], ["measures", "AP"], ["evaluate", "qrels.txt", "runs", "-q"]], ids=str)
def test_no_colours_in_a_pipe(words: list[str], campaign: Path) -> None:
    done = subprocess.run(
        [*CRANFIELD, *words], cwd=campaign, capture_output=True, check=True, env={**os.environ, "FORCE_COLOR": "1"}
    )
    assert b"\x1b" not in done.stdout + done.stderr


def test_no_bar_for_quick_work(campaign: Path) -> None:
    _, shown = at_terminal("evaluate", "qrels.txt", "runs", "-m", "AP", cwd=campaign)
    assert BAR.decode() not in shown


def test_a_reader_that_has_seen_enough(campaign: Path) -> None:
    script = (
        f"{' '.join(map(repr, CRANFIELD))} evaluate qrels.txt runs -q --format tsv | head -1; echo ${{PIPESTATUS[0]}}"
    )
    done = subprocess.run(["bash", "-c", script], cwd=campaign, capture_output=True, text=True, check=True)
    assert done.stdout == "run\ttopic\tmeasure\tvalue\n0\n"
    assert "Traceback" not in done.stderr
    assert "error" not in done.stderr


def test_a_reader_that_left_before(campaign: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    with subprocess.Popen(
        [*CRANFIELD, "evaluate", "qrels.txt", "runs", "-q", "--format", "json"],
        cwd=campaign,
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        os.close(write)
        _, words = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "error" not in words
    assert "Broken" not in words


def test_a_requirement_is_checked_though_the_reader_left_before(campaign: Path) -> None:
    script = (
        f"{' '.join(map(repr, CRANFIELD))} compare qrels.txt runs/cedar-1.txt runs/basalt-1.txt -m AP --format text "
        "--require 'min AP 1' | true; exit ${PIPESTATUS[0]}"
    )
    done = subprocess.run(["bash", "-c", script], cwd=campaign, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert "error: requirement not met: min AP 1" in done.stderr


def test_a_stream_as_output_file(process: Command) -> None:
    ask = ["evaluate", "qrels.txt", "run.txt", "-m", "AP"]
    assert process(*ask, "-o", "/dev/stdout") == process(*ask)
    assert process(*ask, "--format", "csv", "-o", "/dev/stdout") == process(*ask, "--format", "csv")
    assert process(*ask, "-o", "/dev/null") == Ended(0, "", "")
    assert Path("/dev/null").is_char_device()  # it was written to, not replaced


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["evaluate", "qrels.txt", "run.txt"], 0),
        (["evaluate", "qrels.txt", "nothing.txt"], 1),
        (["evaluate", "qrels.txt", "run.txt", "--xyzzy"], 2),
        (["lint", "nothing.txt"], 3),
    ],
)
def test_exit_codes(words: list[str], code: int, process: Command) -> None:
    ended = process(*words)
    assert ended.code == code
    assert (ended.out != "") == (code in (0, 3))
    assert ended.err.startswith("error: ") == (code > 0)


def test_the_installed_command_is_this_one(here: Path) -> None:
    script = Path(sys.executable).with_name("cranfield")
    done = subprocess.run(
        [script, "evaluate", "qrels.txt", "run.txt", "-m", "AP"], cwd=here, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[1] == "run\tAP\tmean\t1.0\t2\t0\t0"


def test_a_fault_of_ours_is_two_lines_too(process: Command, here: Path) -> None:
    (here / "sitecustomize.py").write_text(
        "import cranfield.studies\n"
        "def fail(*_, **__): raise RuntimeError('out of\\nluck')\n"
        "cranfield.studies.evaluate = fail\n"
    )
    plain = process("evaluate", "qrels.txt", "run.txt", PYTHONPATH=str(here))
    assert plain == Ended(
        1,
        "",
        "error: this should not happen: RuntimeError: out of\\nluck\n"
        "hint: please report it with the command; CRANFIELD_DEBUG=1 shows where\n",
    )
    debug = process("evaluate", "qrels.txt", "run.txt", PYTHONPATH=str(here), CRANFIELD_DEBUG="1")
    assert debug.code == 1
    assert "Traceback" in debug.err
    assert "in fail" in debug.err


def test_a_name_that_is_no_text(process: Command, here: Path) -> None:
    name = os.fsdecode(b"caf\xe9.txt")
    (here / name).write_bytes((here / "run.txt").read_bytes())
    for form in ("tsv", "text", "json"):
        ended = process("evaluate", "qrels.txt", name, "-m", "AP", "--format", form)
        assert (ended.code, ended.err) == (0, "")
        assert "caf\\udce9" in ended.out
    assert process("evaluate", "qrels.txt", "run.txt", name, "-o", "v.csv", PYTHONIOENCODING="ascii").code == 0
    missing = process("evaluate", "qrels.txt", name.removesuffix("t"))
    assert missing.err.startswith("error: caf\\udce9.tx: there is no such file\n")


def test_interrupted_while_waiting_for_input(here: Path) -> None:
    with subprocess.Popen(
        [*CRANFIELD, "evaluate", "qrels.txt", "-", "-o", "values.json"],
        cwd=here,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin
        # More than a pipe holds: once it is written, somebody is reading.
        process.stdin.write(b"".join(b"1 Q0 d%d 1 2.5 mine\n" % number for number in range(20_000)))
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=5) == 130
        assert process.stderr
        assert process.stderr.read() == b"error: interrupted\n"
    assert not (here / "values.json").exists()


def test_interrupted_while_a_module_is_loaded(cranfield: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def loads(*_: object) -> None:
        raise ImportError("initialization failed") from KeyboardInterrupt()

    monkeypatch.setattr("cranfield.cli.dispatch.import_module", loads)
    ended = cranfield("evaluate", "qrels.txt", "run.txt")
    assert (ended.code, ended.out, ended.err) == (130, "", "error: interrupted\n")


def test_the_big_run(big_run: tuple[Path, Path], cranfield: Command) -> None:
    run, qrels = big_run
    ended = cranfield("evaluate", str(qrels), str(run), "-m", "AP nDCG@10 RR@10 P@10 R@1000 NumQ", "--format", "json")
    assert (ended.code, ended.err) == (0, "")
    values = {row["measure"]: row for row in json.loads(ended.out)["tables"]["values"]}
    assert {row["topics"] for row in values.values()} == {6980}
    assert values["NumQ"]["value"] == 6980
    assert all(0 < values[name]["value"] < 1 for name in ("AP", "nDCG@10", "RR@10", "P@10", "R@1000"))


def test_a_slow_read_has_a_bar_and_can_be_broken_off(big_run: tuple[Path, Path], here: Path) -> None:
    run, qrels = big_run
    (here / "runs").mkdir()
    for number in range(40):  # as one would run over a leaderboard
        (here / "runs" / f"{number}.run").symlink_to(run)
    broken_off: list[float] = []

    def press_ctrl_c(process: subprocess.Popen[bytes], shown: bytes) -> None:
        if b"%" in shown and BAR in shown and not broken_off:
            broken_off.append(time.monotonic())
            process.send_signal(signal.SIGINT)

    code, shown = at_terminal("evaluate", str(qrels), "runs", "-o", "values.json", cwd=here, react=press_ctrl_c)
    took = time.monotonic() - broken_off[0]
    assert code == 130
    assert shown.splitlines()[-1] == "error: interrupted"
    assert "Traceback" not in shown
    assert took < 10  # a second in fact; a busy machine is not a failure
    assert sorted(path.name for path in here.iterdir()) == ["qrels.txt", "run.txt", "runs"]


def test_the_package_is_the_command() -> None:
    """Where the script is not on the path: the same words, and the same exit codes."""
    typed = [sys.executable, "-m", "cranfield"]
    said = subprocess.run([*typed, "--version"], capture_output=True, text=True, check=True)
    assert said.stdout == f"cranfield, version {VERSION}\n"
    wrong = subprocess.run([*typed, "evalute"], capture_output=True, text=True, check=False)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "did you mean evaluate?" in wrong.stderr
