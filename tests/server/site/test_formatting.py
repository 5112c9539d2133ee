"""How values and sentences look on pages."""

from __future__ import annotations

import pytest

from cranfield.server.templatetags import formatting

SPACE = "\N{NO-BREAK SPACE}"


@pytest.mark.parametrize(
    ("says", "looks"),
    [
        (
            "changes by -0.0012 on average (-.5 to [-3, 2])",
            "changes by \u22120.0012 on average (\u2212.5 to [\u22123, 2])",
        ),
        ("bm25-2 and run-1 at 2026-11-16", "bm25-2 and run-1 at 2026-11-16"),
        ("28% of 3", f"28{SPACE}% of 3"),
        ("100 % of them", "100 % of them"),
        (None, ""),
    ],
)
def test_a_sentence_of_the_library_is_set_as_pages_are(says: str | None, looks: str) -> None:
    assert formatting.told(says) == looks
