"""The same experiment on DuckDB and on Spark: of many users, and of a large log: at full size a million of each."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from cranfield.core import ParameterError
from cranfield.data import Log, read_experiment
from cranfield.online import Metric, aa_test, analyse_experiment, effects_of_arms_table, ranked_table, read_sums
from cranfield.studies import ab
from tests.support.engine_agreement import NEAR, same_studies, same_tables
from tests.support.simulations.experiment_users import users
from tests.support.spark_log_size import ROWS

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

YEAR = 365 * 86_400.0  # seconds
METRICS = [
    Metric("clicks", covariate="clicks_before"),
    Metric("ctr", "clicks", "impressions", "clicks_before", "impressions_before"),
    Metric("bought"),
]


def test_effects_on_many_users_are_the_same(spark: SparkSession, people: Path) -> None:
    import ibis

    there = ibis.pyspark.connect(spark).read_parquet(people / "users.parquet")
    here = ibis.duckdb.connect().read_parquet(people / "users.parquet")
    found = [analyse_experiment(one, METRICS, control="a", user="user") for one in (here, there)]
    same_tables(*map(effects_of_arms_table, found))
    assert sum(found[1].ratio.users) == ROWS
    assert found[0].ratio.p == pytest.approx(found[1].ratio.p, rel=NEAR)
    whole = [read_sums(one, METRICS)[""] for one in (here, there)]
    assert whole[0].count() == whole[1].count() == ROWS
    same_tables(*(ranked_table(one, METRICS[1], control="a", draws=20) for one in (here, there)))
    there = there.filter(there.user.endswith("7"))
    holed = there.mutate(clicks=ibis.ifelse(there.user == "u7", ibis.null("int64"), there.clicks))
    with pytest.raises(ParameterError, match="1 user has no number in clicks"):
        analyse_experiment(holed, "clicks", control="a")


def test_a_study_of_many_users_says_the_same(spark: SparkSession, people: Path) -> None:
    """From text, in which nothing has a type yet: arms, days, looks, the criterion, the plan."""
    read = [read_experiment(people / "users.csv", engine=engine) for engine in (None, spark)]
    studies = [ab(one, METRICS, control="a", oec="ctr + 0.5*bought", relative=[0.01]) for one in read]
    same_studies(*studies)
    assert set(studies[1].tables) >= {"arms", "checks", "oec", "looks", "plan", "effects"}
    assert sum(map(int, map(str, studies[1]["arms"].cells("users")))) == ROWS


def test_a_study_of_typed_users_says_the_same(spark: SparkSession, tmp_path: Path) -> None:
    data = users(2000, effect=0.2).with_columns(day=pl.Series([f"2024-03-{1 + i // 500:02}" for i in range(2000)]))
    data.with_columns(pl.col("day").str.to_datetime("%Y-%m-%d")).write_parquet(tmp_path / "users.parquet")
    read = [read_experiment(tmp_path / "users.parquet", engine=engine) for engine in (None, spark)]
    same_studies(*(ab(one, METRICS, control="a", aa=5) for one in read))


def test_an_aa_test_says_the_same(spark: SparkSession, people: Path) -> None:
    """A/A reads every user by name and shares them out here: a tenth of them is enough for that."""
    import ibis

    there = ibis.pyspark.connect(spark).read_parquet(people / "users.parquet")
    here = ibis.duckdb.connect().read_parquet(people / "users.parquet")
    tenths: list[Any] = [one.filter(one.user.endswith("7")) for one in (here, there)]
    same_tables(*(aa_test(one, METRICS[1:], user="user", salts=3).table() for one in tenths))


def test_a_study_of_a_large_log_says_the_same(logs: tuple[Log, Log]) -> None:
    """The log before is a tenth of the pages, a year earlier: what they say is like the whole, but not the same."""
    asked: Any = {"measures": ["ctr", "clicks(per='user')", "time_to_first_click", "revenue", "sessions_per_user"]}
    asked |= {"control": "a", "oec": "ctr + 0.1*revenue"}
    studies = []
    for log in logs:
        rows: Any = log.rows
        tenth = rows.filter(rows.impression.endswith("7"))
        earlier = tenth.mutate(time=tenth.time - YEAR, click_time=tenth.click_time - YEAR)
        before = replace(log, rows=earlier)
        studies.append(ab(log, before=before, **asked))
    same_studies(*studies)
    assert "looks" in studies[1].tables
    assert all(0 < float(str(left)) < 1 for left in studies[1]["effects"].cells("variance_left")[:-1])


def test_users_in_two_arms_and_in_none_are_excluded_on_both(logs: tuple[Log, Log]) -> None:
    studies = []
    for log in logs:
        rows: Any = log.rows.filter(log.rows["impression"].endswith("7"))
        arm = rows.user.endswith("99").ifelse(None, (rows.topic == "q39").ifelse("a", rows.arm))
        studies.append(ab(replace(log, rows=rows.mutate(arm=arm)), "ctr", control="a"))
    same_studies(*studies)
    verdict = studies[1].verdict
    assert verdict is not None
    excluded = str(verdict["excluded"])
    assert "user in several arms" in excluded, excluded
