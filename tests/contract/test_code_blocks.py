"""Documentation is checked code: every block of the README and the docs runs, top to bottom of its page.

``python`` blocks of a page share one namespace; blocks with ``>>>`` show what they print. In ``console`` blocks the
lines after ``$`` are run by bash and what is printed below them must be what comes out (``...`` stands for anything);
those that need no shell run in this process, which has loaded already what each would load again.
``sh`` blocks are scripts. A page runs in a folder of its own. A kind of block this test does not know is a failure.
Blocks marked ``shared`` need the public data that CRANFIELD_DATA names, and run where that is set.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.code_blocks import NORUN, SECONDS, Block, blocks, blocks_of, pages, run, run_page
from tests.support.source_tree import ROOT

# Pages that start a program which stays with whoever started it: what runs them, in a process of their own.
ALONE = {"docs/how-to/beyond-one-machine.md": "java"}


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
    script = f"from tests.support.code_blocks import Path, run_page; run_page(Path({str(page)!r}), Path.cwd())"
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]))
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    words = [sys.executable, "-c", script]
    done = subprocess.run(words, capture_output=True, text=True, timeout=2 * SECONDS, check=False)
    assert done.returncode == 0, done.stderr


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
