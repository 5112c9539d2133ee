"""Examples: every script runs, and has its page in the gallery."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.contract.project import ROOT

SCRIPTS = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_the_script_runs(script: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", script], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_the_script_has_a_page(script: Path) -> None:
    pages = [page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "gallery").glob("*.md")]
    assert any(f"examples/{script.name}" in page for page in pages)
