"""What clicks gave each run is the same on DuckDB and on Spark, over many interleaved pages."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from cranfield.data import Log, read_log
from cranfield.online import FURTHER, multileave, read_credits
from cranfield.simulate import simulate_log
from cranfield.studies import interleave
from tests.support.engine_agreement import NEAR, same_studies
from tests.support.simulations.interleaving_runs import QRELS, RUNS
from tests.support.spark_log_size import ROWS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.parametrize("by", ["worth", "team"])
def test_credits_are_the_same(logs: tuple[Log, Log], by: str) -> None:
    """By what a click is worth to each run, or by whose document it is; pair by pair, for no page has all three."""
    method = "optimised" if by == "worth" else None
    found = []
    for log in logs:
        known = log.rows if by == "worth" else log.rows.drop("method", "worth_a", "worth_b", "worth_c")
        found.append(read_credits(replace(log, rows=known), method=method)[1])
    assert [one.runs for one in found[1]] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert sum(len(one.user) for one in found[1]) > ROWS / 10
    for mine, other in zip(*found, strict=True):
        assert mine.runs == other.runs
        np.testing.assert_array_equal(mine.user, other.user)
        np.testing.assert_allclose(mine.credit, other.credit, rtol=NEAR, atol=NEAR)


def test_a_study_says_the_same(logs: tuple[Log, Log]) -> None:
    studies = [interleave(log, method="probabilistic") for log in logs]
    same_studies(*studies)
    assert "transitivity" in studies[1].tables


def test_pages_that_are_weighed_as_a_whole_are_the_same(spark: SparkSession) -> None:
    """Balanced pages leave the engine row by row, and are weighed here: some thousand are enough."""
    page = partial(multileave, method="balanced", length=5, runs=tuple(RUNS))
    columns: Any = simulate_log(QRELS, RUNS, users=400, days=3, page=page)
    assert len(columns["impression"]) > 4000
    mine, other = (read_credits(read_log(columns, further=FURTHER, engine=engine)) for engine in (None, spark))
    assert mine[0] == other[0] == "balanced"
    for one, another in zip(mine[1], other[1], strict=True):
        totals = [np.bincount(each.user, column) for each in (one, another) for column in each.credit.T]
        np.testing.assert_array_equal(totals[: len(RUNS)], totals[len(RUNS) :])
