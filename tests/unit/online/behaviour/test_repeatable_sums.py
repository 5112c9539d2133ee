"""Sums over a log are the same in every run, to the last digit."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from cranfield.data import read_log
from cranfield.online import online_table

ROWS = 200_000
GROUP = 10_000  # rows that a thread of the engine reads together
TIMES = 4


def test_sums_of_floats_do_not_depend_on_threads(tmp_path: Path) -> None:
    stream = np.random.default_rng(1)
    table = {
        "impression": np.arange(ROWS),
        "user": stream.integers(0, 5000, ROWS),
        "topic": np.zeros(ROWS, dtype=np.int64),
        "rank": np.ones(ROWS, dtype=np.int64),
        "document": stream.integers(0, 9, ROWS),
        "clicked": np.ones(ROWS, dtype=np.bool_),
        "dwell": stream.exponential(40, ROWS),
    }
    pq.write_table(pa.table(table), tmp_path / "log.parquet", row_group_size=GROUP)
    log = read_log(str(tmp_path / "log.parquet"))
    log.engine.backend.con.execute("SET threads = 4")
    found = [online_table(log, "dwell").rows() for _ in range(TIMES)]
    assert all(rows == found[0] for rows in found)
