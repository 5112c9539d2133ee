"""A large log with gaps, ties and skew, and many users of an experiment, on both engines: a million at full size."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

from cranfield.data import Log, read_log
from cranfield.online import FURTHER
from tests.support.simulations import search_logs
from tests.support.simulations.experiment_users import users
from tests.support.spark_log_size import PAGES, ROWS

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

COPIES = 4  # of the same pages for other users: made in a quarter of the time
PAIRS = (("a", "b"), ("a", "c"), ("c", "b"))  # of runs that share a page


@pytest.fixture(scope="session")
def log_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A large log, of pages that two of three runs share."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    path = tmp_path_factory.mktemp("logs") / "log.parquet"
    one = search_logs.as_arrow(search_logs.made_up(PAGES // COPIES, 3, users=5000 // COPIES))
    for name, cells in interleaved(one["impression"].to_pylist(), one["rank"].to_pylist()).items():
        one = one.append_column(name, [cells])
    copies = [one] * COPIES
    for name in ("impression", "user"):
        place = one.column_names.index(name)
        for copy, columns in enumerate(copies):
            own = pc.binary_join_element_wise(pa.scalar(str(copy)), one[name], "")
            copies[copy] = columns.set_column(place, name, own)
    table = pa.concat_tables(copies)
    assert len(table) >= ROWS
    pq.write_table(table, path)
    return path


def interleaved(impressions: list[str], ranks: list[int | None]) -> dict[str, list[Any]]:
    """Whose each document is, how its page was made, and what a click on it is worth to each run; some is missing."""
    made: dict[str, list[Any]] = {name: [] for name in ("team", "method", *(f"worth_{run}" for run in "abc"))}
    for impression, rank in zip(impressions, ranks, strict=True):
        page = int(impression[1:])
        pair = PAIRS[page % 7 % 3]  # more pages of the first
        made["team"].append(None if rank is None or (page + rank) % 50 == 0 else pair[(page // 3 + rank) % 2])
        made["method"].append("optimised" if page % 10 else "probabilistic")
        for run in "abc":
            made[f"worth_{run}"].append(None if rank is None or run not in pair else 1 / (rank + page % 4 + ord(run)))
    return made


@pytest.fixture(scope="session")
def read_logs(log_file: Path, spark: SparkSession) -> tuple[Log, Log]:
    """The log as each engine reads it."""
    mine, other = (read_log(log_file, engine=engine, further=FURTHER) for engine in (None, spark))
    return mine, other


@pytest.fixture(scope="session")
def logs(read_logs: tuple[Log, Log]) -> tuple[Log, Log]:
    """The same, read once: the file is not looked through again for every question."""
    mine, other = (replace(log, rows=log.engine.keep(log.rows)) for log in read_logs)
    return mine, other


@pytest.fixture(scope="session")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with many users in three arms: users.parquet, and all that as text in users.csv."""
    folder = tmp_path_factory.mktemp("users")
    data = users(ROWS, effect=0.004, arms=("a", "b", "c"))
    data = data.with_columns(day=pl.Series([f"2024-03-{1 + day:02}" for day in np.arange(ROWS) % 1009 % 5]))
    data.write_parquet(folder / "users.parquet")
    data.write_csv(folder / "users.csv")
    return folder
