"""Every question to a log has the same answer on DuckDB and on Spark: a million rows with gaps, ties and skew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from cranfield.clickmodels import DBN, PBM, UBM, Cells, ClickModel, Pages, read_cells, read_pages, read_parted
from cranfield.data import Log, read_log
from cranfield.online import ONLINE_MEASURES, online_table
from tests import logged

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray
    from pyspark.sql import SparkSession

PAGES = 160_000
ROWS = 1_000_000
NEAR = 1e-9


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of a million rows."""
    import pyarrow.parquet as pq

    path = tmp_path_factory.mktemp("logs") / "log.parquet"
    table = logged.as_arrow(logged.made_up(PAGES, 3, users=5000))
    assert len(table) >= ROWS
    pq.write_table(table, path)
    return path


@pytest.fixture(scope="module")
def both(file: Path, spark: SparkSession) -> tuple[Log, Log]:
    """The log on both engines."""
    return read_log(file), read_log(file, engine=spark)


def test_the_same_rows_are_left_out_for_the_same_reasons(both: tuple[Log, Log]) -> None:
    mine, other = (log.dropped.rows() for log in both)
    assert mine == other
    assert len(mine) == 5


def test_pages_and_sessions_are_the_same(both: tuple[Log, Log]) -> None:
    mine, other = (columns_of(log, log.impressions(), "impression") for log in both)
    same(mine, other)
    assert len(mine["impression"]) > 0.9 * PAGES


@pytest.mark.parametrize("by_arm", [False, True])
def test_online_measures_are_the_same(both: tuple[Log, Log], by_arm: bool) -> None:
    measures = [*ONLINE_MEASURES.names(), "ctr_at(k=3)", "clicks(per='user')", "conversion(per='session')"]
    mine, other = (online_table(log, measures, by_arm=by_arm) for log in both)
    same({name: mine.cells(name) for name in mine.columns}, {name: other.cells(name) for name in other.columns})


@pytest.mark.parametrize("after_click", [False, True])
def test_counts_for_click_models_are_the_same(both: tuple[Log, Log], after_click: bool) -> None:
    mine, other = (sorted_cells(read_cells(log, after_click=after_click)) for log in both)
    assert len(mine) > 1000
    np.testing.assert_array_equal(mine, other)


def test_pages_for_click_models_are_the_same(both: tuple[Log, Log]) -> None:
    mine, other = (read_pages(log) for log in both)
    assert mine.pairs.names() == other.pairs.names()
    assert len(mine) > 1000
    np.testing.assert_array_equal(sorted_pages(mine), sorted_pages(other))


@pytest.mark.parametrize("model", [PBM(), UBM(), DBN()], ids=str)
def test_the_same_impressions_are_held_out(both: tuple[Log, Log], model: ClickModel) -> None:
    mine, other = (read_parted(log, [model], test=0.2, seed=3) for log in both)
    for one, same_one in ((mine.learnt, other.learnt), (mine.tested, other.tested)):
        assert 0 < one.impressions == same_one.impressions
        np.testing.assert_array_equal(one.shown_by_pair, same_one.shown_by_pair)
    assert mine.tested.impressions == pytest.approx(0.2 * mine.every.impressions, rel=0.05)


def sorted_cells(cells: Cells) -> NDArray[np.float64]:
    """The cells as rows of numbers, in an order of their own."""
    rows = np.stack([cells.pair, cells.rank, cells.previous, cells.shown, cells.clicked], axis=1)
    return rows[np.lexsort(rows.T)]


def sorted_pages(pages: Pages) -> NDArray[np.float64]:
    """The pages with clicks and counts as rows of numbers, in an order of their own."""
    rows = np.concatenate([pages.pair, pages.clicked, pages.count[:, np.newaxis]], axis=1)
    return rows[np.lexsort(rows.T)]


def columns_of(log: Log, expression: Any, *order: str) -> dict[str, list[Any]]:
    """What a table comes to, in an order that both engines know."""
    found: dict[str, list[Any]] = log.engine.fetch(expression.order_by(list(order))).to_pydict()
    return found


def same(mine: dict[str, list[Any]], other: dict[str, list[Any]]) -> None:
    """Refuse columns that differ by more than rounding."""
    assert list(mine) == list(other)
    for name, cells in mine.items():
        if isinstance(next((cell for cell in cells if cell is not None), None), float):
            left, right = (np.array(side, dtype=float) for side in (cells, other[name]))
            np.testing.assert_allclose(left, right, rtol=NEAR, atol=NEAR, err_msg=name)
        else:
            assert cells == other[name], name


def test_text_is_text_on_both(spark: SparkSession, tmp_path: Path) -> None:
    rows = ["007,q1,1,0815,false", "007,q1,2,4e2,No", "7,1.50,1,d, TRUE", "7,1.50,2,e,f"]
    (tmp_path / "log.csv").write_text("\n".join(["impression,topic,rank,document,clicked", *rows, ""]))
    mine, other = (read_log(tmp_path / "log.csv", engine=engine) for engine in (None, spark))
    found = [log.engine.fetch(log.rows.order_by(["impression", "rank"])).to_pylist() for log in (mine, other)]
    assert found[0] == found[1]
    assert [(row["impression"], row["topic"], row["document"], row["clicked"]) for row in found[1]] == [
        ("007", "q1", "0815", False),
        ("007", "q1", "4e2", False),
        ("7", "1.50", "d", True),
        ("7", "1.50", "e", False),
    ]
