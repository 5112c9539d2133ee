"""What contract tests share."""

from collections.abc import Iterator

import pytest

from cranfield.measures import MEASURES


@pytest.fixture(autouse=True)
def catalogue_as_it_was() -> Iterator[None]:
    """Take out of the catalogue what a page of the documentation declared: other tests must not meet it."""
    entries, known = dict(MEASURES._entries), dict(MEASURES._known)
    yield
    for kept, before in ((MEASURES._entries, entries), (MEASURES._known, known)):
        for name in kept.keys() - before.keys():
            del kept[name]
