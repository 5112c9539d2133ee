"""The map of the how-tos: every page is on it once, under what a reader wants."""

import re
from collections import Counter

from tests.support.source_tree import ROOT

HOW_TO = ROOT / "docs" / "how-to"


def test_every_how_to_is_on_the_map_once() -> None:
    named = Counter(re.findall(r"^- \[\]\(([\w-]+)\.md\): ", (HOW_TO / "index.md").read_text("utf-8"), re.MULTILINE))
    assert set(named) == {page.stem for page in HOW_TO.glob("*.md")} - {"index"}
    assert set(named.values()) == {1}
