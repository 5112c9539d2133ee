"""Examples: every script runs, has its page in the gallery, and draws the pictures of that page."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.source_tree import ROOT

SCRIPTS = sorted((ROOT / "examples").glob("*.py"))
SCRIPT = re.compile(r"literalinclude} \.\./\.\./examples/(\w+\.py)")
PICTURE = re.compile(r"image} \.\./images/(\w+\.svg)")
WORDS = re.compile(r"<t(?:ext|span)[^>]*>([^<]+)<")


def pictures(script: Path) -> list[str]:
    """The pictures on the page of a script; on a page of commands too, the last one is the script's."""
    for page in sorted((ROOT / "docs" / "gallery").glob("*.md")):
        text = page.read_text(encoding="utf-8")
        if script.name in SCRIPT.findall(text):
            found = PICTURE.findall(text)
            return found[-1:] if "```console" in text else found
    pytest.fail(f"{script.name} has no page in the gallery")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_the_script_runs_and_draws_what_its_page_shows(script: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", str(script), *pictures(script)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    for name in pictures(script):
        drawn, shown = ((folder / name).read_text(encoding="utf-8") for folder in (tmp_path, ROOT / "docs" / "images"))
        assert WORDS.findall(drawn) == WORDS.findall(shown), name
