"""The page on the architecture: its generated blocks match the code, and the paths on it exist."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from tests.support.source_tree import ROOT, SOURCE, packages

PAGE = ROOT / "docs" / "architecture.md"
TOP_FOLDERS = ("docs", "native", "src", "tests")


@pytest.fixture(scope="module")
def architecture() -> ModuleType:
    """Return the script that writes the page."""
    spec = importlib.util.spec_from_file_location("architecture", ROOT / "docs" / "_ext" / "architecture.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_up_to_date(architecture: ModuleType) -> None:
    page = PAGE.read_text("utf-8")
    assert page == architecture.fill(page, architecture.blocks()), "run: make architecture"


def test_the_layers_name_every_package(architecture: ModuleType) -> None:
    rows = architecture.layers()
    assert rows[0] == ["core"]
    assert sorted(package for row in rows for package in row) == packages()


def test_every_path_on_the_page_exists() -> None:
    paths = re.findall(r"(?<!`)`(\w+(?:/\w+)+(?:\.\w+)?)`(?!`)", PAGE.read_text("utf-8"))
    assert len(paths) > 50
    assert not [
        path for path in paths if not (ROOT if path.split("/")[0] in TOP_FOLDERS else SOURCE).joinpath(path).exists()
    ]


def test_a_block_without_markers_is_an_error(architecture: ModuleType) -> None:
    with pytest.raises(ValueError, match="generated: tree"):
        architecture.fill("<!-- generated: tree -->\n", {"tree": "text"})


def test_a_repeated_part_of_a_trace_is_one_sentence(
    architecture: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [f"data/{name}.py" for name in "abcdefg"]
    (tmp_path / "data").mkdir()
    for file in files:
        (tmp_path / file).write_text('"""First line.\n\nMore.\n"""\n')
    monkeypatch.setattr(architecture, "SOURCE", tmp_path)
    text = architecture.list_trace("second", [*files, "core/x.py"], ("first", ["data/z.py", *files[1:6]]))
    assert text.splitlines()[::2] == [
        "`cranfield second` calls functions of 8 files in 2 folders.",
        "1. `data/a.py`: First line.",
        "Files 2 to 6 are files 2 to 6 of `cranfield first`, from `data/b.py` to `data/f.py`.",
        "7. `data/g.py`: First line.",
        "Not listed: `core/x.py`.",
    ]
