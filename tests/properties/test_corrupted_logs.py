"""Corrupted logs are refused, make a verdict untrusted, are noted or harmless; never silently different."""

from functools import cache
from typing import Any

import numpy as np
import pytest

import cranfield as cf
from tests.support.corruptions.base import Corruption, Response
from tests.support.corruptions.logs import KINDS, Columns

CELLS = [(kind, one) for kind, log in KINDS.items() for one in log.corruptions.all]


@cache
def good(kind: str, seed: int) -> tuple[Columns, Response]:
    """Make a good log of a kind, and analyse it."""
    log = KINDS[kind].make(seed)
    return log, KINDS[kind].analyse(log)


def assert_same_rows(rows: list[dict[str, Any]], expected: list[dict[str, Any]]) -> None:
    """Compare rows; sums over rows in another order may differ in the last digits."""
    assert len(rows) == len(expected)
    for row, other in zip(rows, expected, strict=True):
        numbers = {name: cell for name, cell in other.items() if isinstance(cell, float)}
        assert {name: row[name] for name in numbers} == pytest.approx(numbers, rel=1e-6, nan_ok=True)
        assert {name: row[name] for name in other.keys() - numbers} == {k: other[k] for k in other.keys() - numbers}


@pytest.mark.parametrize("kind", KINDS)
def test_good_logs_are_trusted(kind: str) -> None:
    messages = good(kind, 1)[1].messages
    assert "trusted: False" not in messages
    assert not [message for message in messages if message.startswith("failed")]


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(("kind", "corruption"), CELLS, ids=[f"{kind}-{one}" for kind, one in CELLS])
def test_corruption_is_never_silent(kind: str, corruption: Corruption[Columns], seed: int) -> None:
    log, expected = good(kind, seed)
    bad = corruption.change(log, np.random.default_rng(seed))
    if corruption.answer == "error":
        with pytest.raises(cf.CranfieldError) as raised:
            KINDS[kind].analyse(bad)
        assert raised.value.hint
        return
    answer = KINDS[kind].analyse(bad)
    if corruption.answer == "warning":
        assert answer.messages - expected.messages
    else:
        assert_same_rows(answer.numbers, expected.numbers)
