"""Write the generated blocks of docs/architecture.md: the source tree, the layers, and the files that commands run.

``make architecture`` rewrites the page. ``tests/contract/test_architecture_page.py`` fails when the page
is out of date.
"""

import ast
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NoReturn
from unittest.mock import patch

if TYPE_CHECKING:
    from types import FrameType

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "cranfield"
PAGE = ROOT / "docs" / "architecture.md"
LAYERS_TEST = ROOT / "tests" / "contract" / "test_layers.py"

SIMULATE = ("simulate", "campaign", "--runs", "2", "--topics", "20")
ARGUMENTS = ("campaign/qrels.txt", "campaign/runs", "-m", "AP nDCG@10", "--format", "text")
COMMANDS = ("evaluate", "compare")
SHARED = "core"  # not listed in the traces, because files of every other package call it
MIN_REPEATED = 5  # consecutive files in the order of the previous trace before a sentence replaces them


def blocks() -> dict[str, str]:
    """Return the text of every generated block by its name."""
    traces = trace_commands()
    texts = {"tree": tree(), "layers": list_layers()}
    previous: tuple[str, list[str]] | None = None
    for command, files in traces.items():
        texts[command] = list_trace(command, files, previous)
        previous = command, listed(files)
    return texts


def fill(page: str, texts: Mapping[str, str]) -> str:
    """Return the page with the text of every block between the markers of that block."""
    for name, text in texts.items():
        begin, end = f"<!-- generated: {name} -->\n", f"<!-- end: {name} -->\n"
        if page.count(begin) != 1 or page.count(end) != 1:
            raise ValueError(f"{PAGE.name} must have each of the lines {begin!r} and {end!r} once")
        before, _, rest = page.partition(begin)
        _, _, after = rest.partition(end)
        page = f"{before}{begin}\n{text}\n\n{end}{after}"
    return page


def summary(path: Path) -> str:
    """Return the first line of the docstring of a module."""
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    if not docstring:
        raise ValueError(f"{path.relative_to(ROOT)} has no docstring")
    return docstring.splitlines()[0]


def layers() -> list[list[str]]:
    """Return the packages of each layer, lowest layer first, as the test of the layers lists them."""
    for node in ast.parse(LAYERS_TEST.read_text(encoding="utf-8")).body:
        if (
            isinstance(node, ast.Assign)
            and ast.unparse(node.targets[0]) == "LAYERS"
            and isinstance(node.value, ast.List)
        ):
            # A set has no order, so the names are taken from the source text.
            return [re.findall(r"\w+", ast.unparse(row)) for row in node.value.elts]
    raise ValueError(f"{LAYERS_TEST.relative_to(ROOT)} does not define LAYERS")


def list_layers() -> str:
    """Return the layers as a numbered list."""
    return "\n".join(
        f"{number}. {', '.join(f'`{package}`' for package in row)}" for number, row in enumerate(layers(), 1)
    )


def tree() -> str:
    """Return the folders of the package as a nested list: packages by layer, sub-packages by name."""
    lines = []
    for package in (package for row in layers() for package in row):
        for init in sorted((SOURCE / package).rglob("__init__.py")):
            parts = init.parent.relative_to(SOURCE).parts
            lines.append(f"{'  ' * (len(parts) - 1)}- `{parts[-1]}/`: {summary(init)}")
    return "\n".join(lines)


def listed(files: Sequence[str]) -> list[str]:
    """Return the files of a trace that the page lists one by one."""
    return [file for file in files if "/" in file and not file.startswith(f"{SHARED}/")]


def list_trace(command: str, files: Sequence[str], previous: tuple[str, Sequence[str]] | None) -> str:
    """Return a trace as a numbered list, with a sentence for each long sequence that is also in the previous one."""
    folders = {os.path.dirname(file) for file in files}  # noqa: PTH120  # the top folder is "", not "."
    parts = [f"`cranfield {command}` calls functions of {len(files)} files in {len(folders)} folders."]
    steps = listed(files)
    other, known = previous or ("", ())
    at = 0
    for repeated in SequenceMatcher(None, known, steps, autojunk=False).get_matching_blocks():
        if repeated.size and repeated.size < MIN_REPEATED:
            continue
        parts.append(numbered(steps[at : repeated.b], at + 1))
        at = repeated.b + repeated.size
        if repeated.size:
            parts.append(
                f"Files {repeated.b + 1} to {at} are files {repeated.a + 1} to {repeated.a + repeated.size} of "
                f"`cranfield {other}`, from `{steps[repeated.b]}` to `{steps[at - 1]}`."
            )
    shared = ", ".join(f"`{file}`" for file in sorted(set(files) - set(steps)))
    parts.append(f"Not listed: {shared}.")
    return "\n\n".join(filter(None, parts))


def numbered(files: Sequence[str], start: int) -> str:
    """Return files with the first lines of their docstrings as a numbered list."""
    return "\n".join(f"{number}. `{file}`: {summary(SOURCE / file)}" for number, file in enumerate(files, start))


def trace_commands() -> dict[str, list[str]]:
    """Return the files that each command runs on a small simulated campaign, in the order of their first call."""
    with TemporaryDirectory() as folder:
        run_python(folder, "-m", "cranfield", *SIMULATE)
        for command in COMMANDS:  # in separate processes, because a process caches what it has parsed
            run_python(folder, __file__, f"{command}.json", command, *ARGUMENTS)
        return {command: json.loads(Path(folder, f"{command}.json").read_text("utf-8")) for command in COMMANDS}


def run_python(folder: str, *arguments: str) -> None:
    """Run Python in a folder, with the package of this source tree."""
    path = os.pathsep.join([str(SOURCE.parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": "0"}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(arguments)} failed:\n{done.stderr}")


class CommandEnded(BaseException):
    """The end of a command, raised in place of the call that would end the process."""


def called_files(arguments: Sequence[str]) -> list[str]:
    """Run a command in this process, and return the files of the package whose functions it calls, in order.

    Code that runs while a module is imported does not count, nor do functions called by that code.
    """
    from cranfield.cli import run

    prefix = f"{SOURCE}{os.sep}"
    files: dict[str, None] = {}
    imports = threading.local()  # depth: the number of modules that the thread is importing

    def on_event(frame: "FrameType", event: str, argument: object) -> None:
        del argument
        code, depth = frame.f_code, getattr(imports, "depth", 0)
        if code.co_name == "<module>":
            imports.depth = depth + {"call": 1, "return": -1}.get(event, 0)
        elif event == "call" and not depth and code.co_filename.startswith(prefix):
            files.setdefault(Path(code.co_filename).relative_to(SOURCE).as_posix())

    def end(status: int) -> NoReturn:
        raise CommandEnded(status)

    status = None
    with patch("os._exit", end), patch("sys.argv", ["cranfield", *arguments]):
        threading.setprofile(on_event)
        sys.setprofile(on_event)
        try:
            run()
        except CommandEnded as ended:
            status = ended.args[0]
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
    if status != 0 or not files:
        raise RuntimeError(f"cranfield {' '.join(arguments)}: status {status}, {len(files)} files of {SOURCE}")
    return list(files)


def main() -> None:
    """Rewrite the page, or, with a file and a command as arguments, write the trace of that command to the file."""
    if sys.argv[1:]:
        output, *arguments = sys.argv[1:]
        Path(output).write_text(json.dumps(called_files(arguments)), encoding="utf-8")
    else:
        PAGE.write_text(fill(PAGE.read_text(encoding="utf-8"), blocks()), encoding="utf-8")


if __name__ == "__main__":
    main()
