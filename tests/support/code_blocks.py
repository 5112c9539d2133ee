"""A runner for the fenced code blocks of the README and the documentation."""

import doctest
import io
import os
import re
import shlex
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
from cranfield.cli.dispatch import GROUPS
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
        assert (block.page, first) in NORUN, f"{block.place}: `norun` needs a reason in NORUN"
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


def run_page(page: Path, folder: Path) -> None:
    """Every block of a page, one after the other."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks_of(page):
        if "shared" not in block.marks:
            run(block, namespace, folder)
