"""Problems: every code that the readers use is explained, and no page explains a code that is gone."""

import re

import pytest

from tests.support.source_tree import ROOT, SOURCE, files

PAGE = ROOT / "docs" / "how-to" / "codes.md"
CODE = re.compile(r'"([EW]-[A-Z0-9]+)"')
ROW = re.compile(r"^\| ([EW]-[A-Z0-9]+) \|(?P<what>[^|]+)\|(?P<do>[^|]+)\|$", re.MULTILINE)


def used() -> dict[str, str]:
    """Every code in the sources, with a file that uses it."""
    sources = [*(ROOT / "native" / "src").glob("*.rs"), *files(SOURCE)]
    return {code: path.name for path in sources for code in CODE.findall(path.read_text(encoding="utf-8"))}


def documented() -> list[str]:
    """The codes that have a row, in the order of the page."""
    return [row[1] for row in ROW.finditer(PAGE.read_text(encoding="utf-8"))]


def test_every_code_has_a_row() -> None:
    missing = {code: where for code, where in used().items() if code not in documented()}
    assert not missing, f"add a row to {PAGE.relative_to(ROOT)}: {missing}"


def test_every_row_has_a_code() -> None:
    gone = set(documented()) - set(used())
    assert not gone, f"no source uses {gone}"


def test_every_row_stands_once_and_says_something() -> None:
    rows = documented()
    assert len(rows) == len(set(rows))
    for row in ROW.finditer(PAGE.read_text(encoding="utf-8")):
        assert row["what"].strip(), row[1]
        assert row["do"].strip(), row[1]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ('problems.add("E-SCORE", 3)', ["E-SCORE"]),
        ('"W-Q0" | "E-UTF8"', ["W-Q0", "E-UTF8"]),
        ("UTF-8, `E-…`, THE-END", []),
    ],
)
def test_this_test_knows_a_code(text: str, codes: list[str]) -> None:
    assert CODE.findall(text) == codes
