"""Spark runs Python functions over Arrow batches in its workers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark.sql import SparkSession


def test_map_in_arrow_sums_per_batch(spark: SparkSession) -> None:
    # Inside the test: a nested function travels to the workers by value, and they cannot import the tests.
    def add_up(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            topic = batch.column("topic").to_numpy()
            value = batch.column("value").to_numpy()
            topics, row = np.unique(topic, return_inverse=True)
            yield pa.RecordBatch.from_arrays(
                [pa.array(topics), pa.array(np.bincount(row, weights=value))], names=["topic", "total"]
            )

    numbers = spark.range(100_000, numPartitions=4).selectExpr("id % 50 as topic", "id / 8 as value")
    totals = numbers.mapInArrow(add_up, "topic long, total double")
    found = {row["topic"]: row["sum(total)"] for row in totals.groupBy("topic").sum("total").collect()}

    ids = np.arange(100_000)
    expected = {topic: float((ids[ids % 50 == topic] / 8).sum()) for topic in range(50)}
    assert found == expected  # eighths: exact in any order of adding


def test_spark_opens_no_page_and_stays_at_home(spark: SparkSession) -> None:
    assert spark.sparkContext.uiWebUrl is None
    assert spark.conf.get("spark.driver.host") == "127.0.0.1"
