"""A fixture that restores the providers of ir_measures after a test has registered others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def providers_as_they_were() -> Iterator[None]:
    """Restore the providers after the test: other tests of this process need those of ir_measures alone."""
    from tests.support.guarded_peers import ir_measures

    asked, known = list(ir_measures.DefaultPipeline.providers), dict(ir_measures.providers.registry)
    yield
    ir_measures.DefaultPipeline.providers[:] = asked
    ir_measures.providers.registry.clear()
    ir_measures.providers.registry.update(known)
