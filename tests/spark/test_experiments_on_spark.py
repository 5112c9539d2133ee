"""The same experiment on DuckDB and on Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from cranfield.core import ParameterError
from cranfield.data import read_experiment
from cranfield.online import (
    Metric,
    aa_test,
    analyse_experiment,
    effects_of_arms_table,
    looks_at,
    looks_table,
    ranked_table,
)
from cranfield.studies import ab
from tests import logged
from tests.unit.online.made_users import rows, users

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

METRICS = [
    Metric("clicks", covariate="clicks_before"),
    Metric("ctr", "clicks", "impressions", "clicks_before", "impressions_before"),
    Metric("bought"),
]


def close(a: list[dict[str, object]], b: list[dict[str, object]]) -> None:
    """Rows with the same words, and numbers equal to 1e-9."""
    assert len(a) == len(b) > 0
    for one, other in zip(a, b, strict=True):
        numbers = [name for name, cell in one.items() if isinstance(cell, float)]
        words = [name for name in one if name not in numbers]
        assert [other[name] for name in words] == [one[name] for name in words]
        assert [other[name] for name in numbers] == pytest.approx([one[name] for name in numbers], rel=1e-9, abs=1e-12)


def test_spark_says_the_same(spark: SparkSession, tmp_path: Path) -> None:
    import ibis

    data = users(3000, effect=0.2, arms=("a", "b", "c")).with_columns(day=pl.Series(np.arange(3000) // 300))
    data.write_parquet(tmp_path / "users.parquet")
    there = ibis.pyspark.connect(spark).read_parquet(tmp_path / "users.parquet")
    asked = {"control": "a", "user": "user"}
    here_table, there_table = (
        effects_of_arms_table(analyse_experiment(one, METRICS, **asked))  # type: ignore[arg-type]  # by name
        for one in (data, there)
    )
    close(rows(here_table), rows(there_table))
    close(*(rows(ranked_table(one, METRICS[1:], control="a", draws=20)) for one in (data, there)))
    close(*(rows(looks_table(looks_at(one, METRICS[1], control="a", treatment="b"))) for one in (data, there)))
    close(*(rows(aa_test(one, METRICS[1:], user="user", salts=5).table()) for one in (data, there)))
    holed = there.mutate(clicks=ibis.ifelse(there.user == "u7", ibis.null("int64"), there.clicks))
    with pytest.raises(ParameterError, match="1 users have no clicks"):
        analyse_experiment(holed, "clicks", control="a")


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_study_of_users_says_the_same(spark: SparkSession, tmp_path: Path, kind: str) -> None:
    data = users(2000, effect=0.2).with_columns(day=pl.Series([f"2024-03-{1 + i // 500:02}" for i in range(2000)]))
    getattr(data, f"write_{kind}")(tmp_path / f"users.{kind}")
    read = [read_experiment(tmp_path / f"users.{kind}", engine=engine) for engine in (None, spark)]
    asked = {"oec": "ctr + 0.5*bought", "aa": 5, "ranked": True, "draws": 20, "relative": [0.1]}
    studies = [ab(one, METRICS, control="a", **asked) for one in read]  # type: ignore[arg-type]  # by name
    for name in studies[0].tables:
        close(*(rows(study[name]) for study in studies))
    assert studies[0].sentence == studies[1].sentence


def test_a_study_of_a_log_says_the_same(spark: SparkSession) -> None:
    now, before = (logged.as_arrow(logged.made_up(3000, seed, users=300)) for seed in (1, 2))
    asked = ["ctr", "clicks(per='user')", "time_to_first_click", "revenue"]
    studies = [ab(now, asked, control="a", before=before, engine=engine, oec="ctr") for engine in (None, spark)]
    for name in studies[0].tables:
        close(*(rows(study[name]) for study in studies))
    assert "looks" in studies[0].tables
