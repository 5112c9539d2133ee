"""Documentation is checked code: every block of the README and the docs runs, top to bottom of its page.

``python`` blocks of a page share one namespace; blocks with ``>>>`` show what they print. In ``console`` blocks the
lines after ``$`` are run by bash and what is printed below them must be what comes out (``...`` stands for anything);
those that need no shell run in this process, which has loaded already what each would load again.
``sh`` blocks are scripts. A page runs in a folder of its own. A kind of block this test does not know is a failure.
Blocks marked ``shared`` need the public data that CRANFIELD_DATA names, and run where that is set.
"""

import doctest
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from cranfield.cli import main
from cranfield.cli._main import GROUPS
from tests.support.source_tree import ROOT

SHOWN = {
    "text",
    "json",
    "bibtex",
    "toml",
    "yaml",
    "latex",
    "markdown",
    "csv",
    "html",
    "make",
    "rust",
    "diff",
}  # not run
NORUN = {  # (page, first line of a block marked `norun`): why it cannot run here
}  # type: dict[tuple[str, str], str]
# Pages that start a program which stays with whoever started it: what runs them, in a process of their own.
ALONE = {"docs/how-to/beyond-one-machine.md": "java"}
SECONDS = 300
TERMINAL = {"NO_COLOR": "1", "COLUMNS": "120"}
OF_A_SHELL = "|&;<>()[]{}$`*?~#\n"
OF_A_SERVER = {name for group in ("Take part in a task on a server", "Run a server") for name in GROUPS[group]}
COMPARE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Block:
    """One fenced block of a page."""

    page: str
    line: int
    kind: str
    marks: tuple[str, ...]
    text: str

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"


def pages() -> list[Path]:
    """The README and every page of the docs that people wrote."""
    return [ROOT / "README.md", *sorted(p for p in (ROOT / "docs").rglob("*.md") if "_build" not in p.parts)]


def blocks(text: str, page: str) -> Iterator[Block]:
    """The fenced blocks of a page; a fence that is never closed is an error."""
    lines = iter(enumerate(text.splitlines(), 1))
    for number, line in lines:
        fence = re.match(r"^(?P<indent>\s*)(?P<fence>`{3,}|~{3,})(?P<info>.*)$", line)
        if not fence:
            continue
        body = []
        for _, inside in lines:
            if re.match(rf"^\s*{fence['fence'][0]}{{{len(fence['fence'])},}}\s*$", inside):
                break
            body.append(inside.removeprefix(fence["indent"]))
        else:
            raise AssertionError(f"{page}:{number}: the block is never closed")
        kind, *marks = fence["info"].split() or [""]
        yield Block(page, number, kind, tuple(marks), "\n".join(body) + "\n")


def blocks_of(page: Path) -> list[Block]:
    """The fenced blocks of a page of the project."""
    return list(blocks(page.read_text(encoding="utf-8"), str(page.relative_to(ROOT))))


def run(block: Block, namespace: dict[str, Any], folder: Path) -> None:
    """Run one block, or say why it may not pass."""
    first = next((line for line in block.text.splitlines() if line.strip()), "")
    if "norun" in block.marks:
        assert (block.page, first) in NORUN, f"{block.place}: `norun` needs a reason in this test"
    elif block.kind == "python" and ">>>" in block.text:
        run_session(block, namespace)
    elif block.kind in {"python", "pycon"}:
        code = compile("\n" * block.line + block.text, block.page, "exec")
        exec(code, namespace)
    elif block.kind == "console":
        for line, command, output in commands(block):
            run_command(f"{block.page}:{line}", command, output, folder)
    elif block.kind in {"sh", "bash"}:
        run_command(block.place, f"set -e\n{block.text}", "", folder)
    else:
        known = block.kind in SHOWN or block.kind.startswith("{")  # a directive of MyST
        assert known, f"{block.place}: a block of unknown kind {block.kind!r}"


def run_session(block: Block, namespace: dict[str, Any]) -> None:
    """Run a session with prompts, comparing what it prints."""
    test = doctest.DocTestParser().get_doctest(block.text, namespace, block.place, block.page, block.line)
    test.globs = namespace
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=COMPARE)
    runner.run(test, out=report.append, clear_globs=False)
    assert not runner.failures, "".join(report)


def commands(block: Block) -> Iterator[tuple[int, str, str]]:
    """The commands of a console block, each with the output shown below it."""
    found: list[tuple[int, list[str], list[str]]] = []
    for number, line in enumerate(block.text.splitlines(), block.line + 1):
        if line.startswith("$ "):
            found.append((number, [line[2:]], []))
        elif not found:
            if not line.strip():
                continue
            raise AssertionError(f"{block.page}:{number}: a console block starts with `$ `")
        elif found[-1][1][-1].endswith("\\") and not found[-1][2]:
            found[-1][1].append(line.removeprefix("> "))
        else:
            found[-1][2].append(line)
    assert found, f"{block.place}: a console block without a command"
    for number, command, output in found:
        yield number, "\n".join(command), "\n".join(output).strip("\n")


def run_command(place: str, command: str, output: str, folder: Path) -> None:
    """Run a command; compare what it prints where the page shows it."""
    with patch.dict(os.environ, TERMINAL):
        words = plain_words(command)
        code, text = run_by_bash(command, folder) if words is None else run_here(words, folder)
    printed = "\n".join(line.rstrip() for line in text.strip("\n").splitlines())
    # A page may show an error; otherwise a command that fails is a page that lies.
    assert code == 0 or "error:" in output, f"{place}: exit {code}\n{printed}"
    same = doctest.OutputChecker().check_output(f"{output}\n", f"{printed}\n", doctest.ELLIPSIS)
    assert not output or same, f"{place}: shown\n{output}\n\nprinted\n{printed}"


def plain_words(command: str) -> list[str] | None:
    """What follows ``cranfield`` in a command that asks nothing of a shell and nothing of a server; None in others."""
    lexer = shlex.shlex(command.replace("\\\n", " "), posix=True, punctuation_chars=OF_A_SHELL)
    lexer.whitespace_split, lexer.commenters = True, ""
    words = list(lexer)
    plain = len(words) > 1 and words[0] == "cranfield" and words[1] not in OF_A_SERVER
    return words[1:] if plain and not any(set(word) <= set(OF_A_SHELL) for word in words) else None


def run_by_bash(command: str, folder: Path) -> tuple[int, str]:
    """The exit code of a command, and what it prints."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=os.environ | {"PATH": path},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return done.returncode, done.stdout


def run_here(words: list[str], folder: Path) -> tuple[int, str]:
    """The exit code of a command of ours, and what it prints."""
    printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with chdir(folder), redirect_stdout(printed), redirect_stderr(printed), pytest.raises(SystemExit) as end:
        main(words)
    return int(end.value.code or 0), printed.buffer.getvalue().decode()


@pytest.mark.usefixtures("providers_as_they_were")
@pytest.mark.parametrize("page", pages(), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_block_of_the_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    program = ALONE.get(str(page.relative_to(ROOT)))
    if program is None:
        run_page(page, tmp_path)
        return
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    script = f"from tests.contract.test_code_blocks import *; run_page(Path({str(page)!r}), Path.cwd())"
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]))
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    words = [sys.executable, "-c", script]
    done = subprocess.run(words, capture_output=True, text=True, timeout=2 * SECONDS, check=False)
    assert done.returncode == 0, done.stderr


def run_page(page: Path, folder: Path) -> None:
    """Every block of a page, one after the other."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks_of(page):
        if "shared" not in block.marks:
            run(block, namespace, folder)


@pytest.mark.shared
@pytest.mark.parametrize(
    "block",
    [block for page in pages() for block in blocks_of(page) if "shared" in block.marks],
    ids=lambda one: one.place,
)
def test_every_block_on_public_data_runs(block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run(block, {"__name__": "__main__"}, tmp_path)


def test_every_reason_is_still_needed() -> None:
    marked = set()
    for page in pages():
        for block in blocks_of(page):
            if "norun" in block.marks:
                marked.add((block.page, next((line for line in block.text.splitlines() if line.strip()), "")))
    assert marked == set(NORUN)
    assert all(NORUN.values())


GOOD = """
```python
x = 1
```
* in a list
  ```python
  assert x == 1
  ```
```python
>>> x + 1
2
>>> print("a lot of words")
a ... words
```
```console
$ echo one; echo two
one
two
$ echo three \\
> four | tr a-z A-Z
THREE ...
$ true
$ echo "error: bad"; exit 2
error: bad
```
```sh
echo kept > file
test -s file
```
```text
anything
```
"""


def _run_page(text: str, folder: Path) -> None:
    namespace: dict[str, Any] = {}
    for block in blocks(text, "page.md"):
        run(block, namespace, folder)


def test_a_good_page_runs(tmp_path: Path) -> None:
    _run_page(GOOD, tmp_path)
    assert (tmp_path / "file").read_text() == "kept\n"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("```python\nassert False\n```", ""),
        ("```python\n>>> 1\n2\n```", "Expected"),
        ("```console\n$ echo one\ntwo\n```", "shown"),
        ("```console\n$ false\n```", "exit 1"),
        ("```console\necho one\n```", "starts with"),
        ("```console\n```", "without a command"),
        ("```sh\nfalse\ntrue\n```", "exit 1"),
        ("```fortran\nx\n```", "unknown kind 'fortran'"),
        ("```\nx\n```", "unknown kind ''"),
        ("```python norun\nx\n```", "needs a reason"),
        ("```python\nx = 1\n", "never closed"),
    ],
)
def test_a_bad_page_fails(text: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=re.escape(why) or None):
        _run_page(text, tmp_path)


def test_a_failure_points_at_its_line() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        _run_page("words\n\n```python\nx = 1\n1 / 0\n```", Path())
    assert caught.traceback[-1].lineno == 4  # counted from 0
