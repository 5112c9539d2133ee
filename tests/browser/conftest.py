"""One filled server for all walks of browsers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.browser.served_site import serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.browser.served_site import Served


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with people, an open task and a closed one; a walk that changes something has a task of its own."""
    with serving(tmp_path_factory.mktemp("served")) as found:
        yield found
