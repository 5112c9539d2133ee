"""A fixture that adds datasets with local files to ir_datasets while a test runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Catalogue:
    """The library itself, with datasets of our own in it."""

    def __init__(self, folder: Path) -> None:
        import ir_datasets  # after its folder is named

        self.package: Any = ir_datasets
        self.folder = folder
        self.mine: list[str] = []

    def add(self, name: str, *parts: Any) -> str:
        """Make a dataset of parts known; what it is called where others name a file."""
        self.package.registry.register(name, self.package.Dataset(*parts))
        self.mine.append(name)
        return f"ir_datasets:{name}"

    def file(self, name: str, text: str) -> Any:
        """A file as the library wants it."""
        (self.folder / name).write_text(text, encoding="utf-8")
        return self.package.util.LocalDownload(self.folder / name)

    def documents(self, text: str = "D1\tships sail\nD2\tthe marine railway\n") -> Any:
        """Documents of name and text."""
        return self.package.formats.TsvDocs(self.file("docs.tsv", text))


@pytest.fixture
def catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Catalogue]:
    """The datasets of ir_datasets, with room for our own."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "ir_datasets"))
    made = Catalogue(tmp_path)
    yield made
    for name in made.mine:
        del made.package.registry._registered[name]
