"""What contract tests share."""

from collections.abc import Iterator

import pytest

from tests.support.source_tree import catalogues


@pytest.fixture(autouse=True)
def catalogue_as_it_was() -> Iterator[None]:
    """Take out of the catalogues what a page of the documentation declared: other tests must not meet it."""
    before = [(one, set(one._entries), set(one._known)) for one in catalogues().values()]
    yield
    for one, entries, known in before:
        for name in one._entries.keys() - entries:
            del one._entries[name]
        for name in one._known.keys() - known:
            del one._known[name]
