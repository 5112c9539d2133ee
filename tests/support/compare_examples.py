"""Compare the examples of all help pages between two installations of cranfield, to the last digit.

Run it from the root of a checkout, with the Python of its environment::

    python -m tests.support.compare_examples BEFORE AFTER

BEFORE and AFTER are Python interpreters in whose environments cranfield is installed. The help pages of BEFORE supply
the examples, and this checkout writes the files that they name, once. Both interpreters run each example in a fresh
copy of these files at the same path. They must agree on the exit status, stdout, stderr and every file in the folder.

Examples run with ``--format json`` where the command has that option. They also run unchanged if they set a format or
an output file. An example that BEFORE ends with an error counts as a difference, because it shows nothing.

The output has one line per difference. Different help texts are reported, but only examples decide the exit status.
NOT_COMPARED, IGNORED_CONTENT, BACKUP_TIME and ARCHIVE_TIMES define everything that is excluded from the comparison.
"""

import glob
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from io import StringIO
from itertools import takewhile
from pathlib import Path
from tempfile import TemporaryDirectory

from click import echo

from cranfield.simulate import Campaign
from tests.support.cli.example_files import examples, write_stage
from tests.support.server.home_subprocess import ask

PROCESSES = 2
TIMEOUT = 600  # seconds per command
SUCCESS = (b"0", b"3")  # 3: a check that the example requests has failed, as it must with the staged files
NOT_COMPARED = re.compile(r"cranfield (serve|worker|submit|status|download)\b|.* --serve\b")  # they need a server
TEXT_TOO = ("measures", "tests")  # catalogues, compared as text and as JSON
TASK = ("ad-hoc-2024", "ad-hoc")  # the task of a server in the help pages, and its name in the staged server
# The files must exist, but their content may differ. A restored server has a new secret key, and its database stores
# the time of each migration. The fonts in the PDF of a chart have no fixed order: its SVG and PNG are compared.
IGNORED_CONTENT = re.compile(r"new-boards/(secret\.key|database\.sqlite3.*)|paper/.+\.pdf")
BACKUP_TIME = re.compile(rb"(?<=/backups/cranfield-)\d{8}-\d{6}(?=\.tar)")  # the default name of a backup has the time
# The manifest of a backup and the header of a gzip file contain the time. A digest of all bytes ends a backup.
ARCHIVE_TIMES = re.compile(rb'(?<=\n "made": ")[^"]+|[0-9a-f]{64}(?=\0+\Z)|(?<=\A\x1f\x8b\x08.)(?s:.{4})')
ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "COLUMNS": "100",
    "TZ": "UTC",
    "LC_ALL": "C.UTF-8",
    "NO_COLOR": "1",
    # DuckDB takes its number of threads from here. With more than one, the last digits of its sums vary.
    "SLURM_CPUS_ON_NODE": "1",
}


def main(before: str, after: str) -> int:
    """Compare two interpreters and return the exit status."""
    # Do not resolve links: the path of an interpreter determines its virtual environment.
    pythons = (Path(before).absolute(), Path(after).absolute())
    with TemporaryDirectory() as scratch, ThreadPoolExecutor(PROCESSES) as pool:
        root = Path(scratch)
        stage_files(root)
        pages = read_pages(pythons, root, pool)
        lines = list(dict.fromkeys(line for page, _ in pages.values() for line in examples(page)))
        compared = [line for line in lines if not NOT_COMPARED.match(line)]
        for line in lines:
            if line not in compared:
                echo(f"not compared: {line}")
        differing = 0
        for differences in pool.map(partial(compare, pythons=pythons, pages=pages, root=root), compared):
            differing += bool(differences)
            for line in differences:
                echo(f"differs: {line}")
    changed = [name for name, (page, other) in pages.items() if page != other]
    for name in changed:
        echo(f"help differs: cranfield {name}")
    echo(f"{len(pages)} help texts: {len(changed)} differ")
    commands = {shlex.split(line)[1] for line in compared}
    echo(f"{len(compared)} examples of {len(commands)} commands: {differing} differ")
    return int(differing > 0)


def stage_files(root: Path) -> None:
    """Write every file that an example names, the home of a small server, and a backup of it."""
    (root / "home").mkdir()
    Campaign(topics=8, groups=3, runs=6, depth=50, ties=0.4, missing=0.4).write(root / "campaign")
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        write_stage(root / "campaign", root / "stage")
    ask(root / "stage" / "boards", "make_filled")
    backup = run(Path(sys.executable), ["backup", "boards.tar", "--home", "boards"], root / "stage")
    assert backup["exit status"] == b"0", backup["stderr"].decode()


def read_pages(pythons: tuple[Path, Path], root: Path, pool: ThreadPoolExecutor) -> dict[str, list[str]]:
    """Return the help page of each command from both interpreters; the name of the main page is empty."""

    def read(name: str) -> list[str]:
        outcomes = [run(python, [*name.split(), "--help"], root / "home") for python in pythons]
        return [(outcome["stdout"] + outcome["stderr"]).decode() for outcome in outcomes]

    overview = read("")
    names = re.findall(r"^  ([a-z]+)  ", overview[0].partition("\nFirst steps:")[0], re.MULTILINE)
    assert names, overview[0]
    return {"": overview, **dict(zip(names, pool.map(read, names), strict=True))}


def compare(example: str, *, pythons: tuple[Path, Path], pages: dict[str, list[str]], root: Path) -> list[str]:
    """Run an example in all its forms with both interpreters, and return a line for each difference."""
    program, *words = shlex.split(example.replace(*TASK))
    assert program == "cranfield", example
    takes_format = re.search(r"^ +--format ", pages[words[0]][0], re.MULTILINE)
    is_shaped = {"--format", "-o", "--output"} & set(words) or " ".join(words) in TEXT_TOO
    forms = [words] if is_shaped or not takes_format else []
    if takes_format and words[-2:] != ["--format", "json"]:
        forms.append([*words, "--format", "json"])
    lines = []
    for form in forms:
        label = shlex.join(["cranfield", *form])
        folder = root / hashlib.sha256(f"{example}\n{label}".encode()).hexdigest()
        before, after = (run_in_copy(python, form, root / "stage", folder) for python in pythons)
        if before["exit status"] not in SUCCESS:
            lines.append(f"{label}: the first interpreter fails: {before['stderr']!r}")
        for part in sorted(before.keys() | after.keys()):
            texts = before.get(part, b"(none)"), after.get(part, b"(none)")
            if texts[0] != texts[1]:
                same = takewhile(lambda pair: pair[0] == pair[1], zip(*texts, strict=False))
                start = max(0, len(list(same)) - 30)
                lines.append(f"{label}: {part}: {texts[0][start:][:70]!r} and {texts[1][start:][:70]!r}")
    return lines


def run_in_copy(python: Path, words: list[str], stage: Path, folder: Path) -> dict[str, bytes]:
    """Run a command in a fresh copy of the staged files, and return its outcome and a digest of each file."""
    shutil.copytree(stage, folder)
    if words[0] == "backup":
        (folder / "boards.tar").unlink()  # only restore needs it, and backup overwrites no file
    outcome = run(python, words, folder)
    for path in filter(Path.is_file, folder.rglob("*")):
        name = BACKUP_TIME.sub(b"TIME", bytes(path.relative_to(folder))).decode()
        content = b"" if IGNORED_CONTENT.fullmatch(name) else path.read_bytes()
        if path.suffix in {".tar", ".gz"}:
            content = ARCHIVE_TIMES.sub(b"TIME", content)
        outcome[f"file {name}"] = hashlib.sha256(content).hexdigest().encode()
    shutil.rmtree(folder)
    return outcome


def run(python: Path, words: list[str], folder: Path) -> dict[str, bytes]:
    """Run a command in a folder with a fixed environment, and return its exit status, stdout and stderr."""
    # The shell of a user would expand patterns such as runs/*.txt.
    names = [name for word in words for name in sorted(glob.glob(word, root_dir=folder)) or [word]]  # noqa: PTH207
    command = [str(python), "-m", "cranfield", *names]
    environment = {**ENVIRONMENT, "HOME": str(folder.parent / "home")}  # without the settings and tokens of the user
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False, timeout=TIMEOUT)
    out, err = (BACKUP_TIME.sub(b"TIME", text) for text in (done.stdout, done.stderr))
    return {"exit status": str(done.returncode).encode(), "stdout": out, "stderr": err}


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python -m tests.support.compare_examples BEFORE AFTER")
    sys.exit(main(*sys.argv[1:]))
