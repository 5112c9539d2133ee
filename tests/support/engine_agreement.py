"""Check that two engines return the same tables: equal words, and numbers equal to 1e-9."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from cranfield.core import Study, Table
    from cranfield.data import Log

NEAR = 1e-9


def columns_of(log: Log, expression: Any, *order: str) -> dict[str, list[Any]]:
    """What a table comes to, in an order that both engines know."""
    found: dict[str, list[Any]] = log.engine.fetch(expression.order_by(list(order))).to_pydict()
    return found


def same(mine: dict[str, Any], other: dict[str, Any]) -> None:
    """Refuse columns that differ by more than rounding."""
    assert list(mine) == list(other)
    for name, cells in mine.items():
        if isinstance(next((cell for cell in cells if cell is not None), None), float):
            left, right = (np.array(side, dtype=float) for side in (cells, other[name]))
            np.testing.assert_allclose(left, right, rtol=NEAR, atol=NEAR, err_msg=name)
        else:
            assert list(cells) == list(other[name]), name


def same_tables(mine: Table, other: Table) -> None:
    """Refuse tables that differ by more than rounding, in cells or notes."""
    same({name: mine.cells(name) for name in mine.columns}, {name: other.cells(name) for name in other.columns})
    assert mine.notes == other.notes


def same_studies(mine: Study, other: Study) -> None:
    """Refuse studies that differ by more than rounding."""
    assert list(mine.tables) == list(other.tables)
    for name in mine.tables:
        same_tables(mine[name], other[name])
    assert mine.sentence == other.sentence
