"""Every question to a log has the same answer on DuckDB and on Spark, with gaps, ties and skew."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from cranfield.core import Table
from cranfield.data import Log, read_lengths, read_log
from cranfield.online import (
    DBN,
    PBM,
    UBM,
    Cells,
    ClickModel,
    Pages,
    answerable,
    log_checks,
    online_outcomes,
    online_table,
    read_cells,
    read_pages,
    read_parted,
    read_steps,
    read_times,
)
from cranfield.studies import clicks
from tests.support.engine_agreement import NEAR, columns_of, same, same_studies, same_tables
from tests.support.simulations import position_biased_log
from tests.support.spark_log_size import PAGES

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray
    from pyspark.sql import SparkSession


def test_the_same_rows_are_left_out_for_the_same_reasons(read_logs: tuple[Log, Log]) -> None:
    mine, other = (log.excluded.table().rows() for log in read_logs)
    assert mine == other
    assert len({row["reason"] for row in mine}) == 7
    assert read_logs[0].excluded.rows_together == pytest.approx(read_logs[1].excluded.rows_together)


def test_doubtful_cells_are_read_by_the_same_rules(spark: SparkSession, tmp_path: Path) -> None:
    """Clicks above 1 or empty, ranks from 0, times that cannot be: as text, which both engines convert themselves."""
    log = position_biased_log.columns(60)
    odd = {place for place in range(len(log["rank"])) if place % 7 == 0}
    clicked = ["" if not click else "3.0" if place in odd else "yes" for place, click in enumerate(log["clicked"])]
    stamps = [datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%S") for at in log["time"]]
    times = [
        f"{stamp}{'' if page in ('i3', 'i4') else 'Z'}" for stamp, page in zip(stamps, log["impression"], strict=True)
    ]
    early = [at if at is None or place in odd else at - 5000 for place, at in enumerate(log["click_time"])]
    changed_log = log | {
        "rank": [rank - 1 for rank in log["rank"]],
        "clicked": clicked,
        "time": times,
        "click_time": early,
    }
    (tmp_path / "log.csv").write_text(position_biased_log.as_csv(changed_log))
    mine, other = (read_log(tmp_path / "log.csv", ranks_from=0, engine=engine) for engine in (None, spark))
    assert mine.excluded == other.excluded
    assert set(mine.excluded.reasons) == {"time without a time zone", "clicked before the page was shown"}
    assert mine.notes == other.notes
    assert len(mine.notes) == 1
    same(*(columns_of(read, read.rows, "impression", "rank") for read in (mine, other)))


def test_names_and_zones_are_read_by_the_same_rules(spark: SparkSession, tmp_path: Path) -> None:
    """Words for missing users, blanks around arms, and a column of times with a zone next to one without."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    log: Any = position_biased_log.columns(60)
    words = ("null", "NaN", "None", "\\N", " ", "fifi v")  # Ibis would strip the letters f and v on Spark
    pages = {page: number for number, page in enumerate(dict.fromkeys(log["impression"]))}
    log["user"] = [words[pages[page] % 6] if pages[page] < 12 else f"u{page}" for page in log["impression"]]
    log["arm"] = [" ab"[1 + pages[page] % 2] + " " * (pages[page] % 3) for page in log["impression"]]
    micro = {name: [None if at is None else round(at * 1e6) for at in log[name]] for name in ("time", "click_time")}
    table = pa.table(
        log
        | {"time": pa.array(micro["time"], pa.timestamp("us", "UTC"))}
        | {"click_time": pa.array(micro["click_time"], pa.timestamp("us"))}
    )
    pq.write_table(table, tmp_path / "log.parquet")
    mine, other = (read_log(tmp_path / "log.parquet", engine=engine) for engine in (None, spark))
    assert mine.excluded == other.excluded
    assert set(mine.excluded.reasons) == {"no user"}
    assert set(mine.excluded.arm_totals) == {"a", "b"}
    assert mine.notes == other.notes
    assert len(mine.notes) == 1
    same(*(columns_of(read, read.rows, "impression", "rank") for read in (mine, other)))


def test_checks_of_logs_are_the_same(logs: tuple[Log, Log]) -> None:
    mine, other = (log_checks(log) for log in logs)
    assert [check.check for check in mine] == [check.check for check in other]
    for one, same_one in zip(mine, other, strict=True):
        assert (one.passed, one.detail) == (same_one.passed, same_one.detail)
        assert one.effect == pytest.approx(same_one.effect)


def test_pages_and_sessions_are_the_same(logs: tuple[Log, Log]) -> None:
    mine, other = (columns_of(log, log.impressions(), "impression") for log in logs)
    same(mine, other)
    assert len(mine["impression"]) > 0.9 * PAGES


def changed(log: Log, known: str) -> Log:
    """The same log, in which users are known; or sessions and dwell instead; or no more than impressions."""
    rows: Any = log.rows
    if known == "sessions":
        rows = rows.mutate(session=rows.user, dwell=rows.click_time - rows.time).drop("user")
    elif known == "impressions":
        rows = rows.drop("user", "time", "click_time")
    return replace(log, rows=rows)


@pytest.mark.parametrize("known", ["users", "sessions", "impressions"])
def test_online_measures_are_the_same(logs: tuple[Log, Log], known: str) -> None:
    mine, other = (changed(log, known) for log in logs)
    measures = [*answerable(mine), "ctr_at(k=3)", "clicks(per='user')", "conversion(per='session')"]
    assert len(measures) == {"users": 25, "sessions": 22, "impressions": 13}[known]
    measures += [] if known == "impressions" else ["satisfaction"]
    same_tables(*(online_table(log, measures, by_arm=known == "users") for log in (mine, other)))


def test_outcomes_of_arms_are_the_same(logs: tuple[Log, Log]) -> None:
    mine, other = (online_outcomes(log.where(topic="q0"), "ctr") for log in logs)
    assert mine.values == pytest.approx(other.values, rel=NEAR)
    assert mine.errors == pytest.approx(other.errors, rel=NEAR)
    assert set(mine.values) == {"a", "b"}


@pytest.mark.parametrize("after_click", [False, True])
def test_counts_for_click_models_are_the_same(logs: tuple[Log, Log], after_click: bool) -> None:
    mine, other = (sorted_cells(read_cells(log, after_click=after_click)) for log in logs)
    assert len(mine) > 1000
    np.testing.assert_array_equal(mine, other)


def test_pages_for_click_models_are_the_same(logs: tuple[Log, Log]) -> None:
    mine, other = (read_pages(log) for log in logs)
    assert mine.pairs.names() == other.pairs.names()
    assert len(mine) > 1000
    np.testing.assert_array_equal(sorted_pages(mine), sorted_pages(other))


@pytest.mark.parametrize("model", [PBM(), UBM(), DBN()], ids=str)
def test_the_same_impressions_are_held_out(logs: tuple[Log, Log], model: ClickModel) -> None:
    mine, other = (read_parted(log, [model], test=0.2, seed=3) for log in logs)
    for one, same_one in ((mine.learnt, other.learnt), (mine.tested, other.tested)):
        assert 0 < one.impressions == same_one.impressions
        np.testing.assert_array_equal(one.shown_by_pair, same_one.shown_by_pair)
    assert mine.tested.impressions == pytest.approx(0.2 * mine.every.impressions, rel=0.05)


def test_steps_from_click_to_click_are_the_same(logs: tuple[Log, Log]) -> None:
    mine, other = (read_steps(log) for log in logs)
    assert mine.count.sum() > 10_000
    for name in ("start", "end", "count"):
        np.testing.assert_array_equal(getattr(mine, name), getattr(other, name))


def test_seconds_on_summaries_and_documents_are_the_same(logs: tuple[Log, Log]) -> None:
    lengths = read_lengths({f"d{place}": 100.0 + place for place in range(25)})  # of five nobody knows it
    mine, other = (read_times(log, lengths) for log in logs)
    assert mine.notes == other.notes != ()
    assert mine.summary is not None
    assert other.summary is not None
    np.testing.assert_allclose(mine.summary, other.summary, rtol=NEAR)
    assert len(mine.summary) > 10_000
    assert mine.dwell is not None
    assert other.dwell is not None
    for left, right in zip(mine.dwell, other.dwell, strict=True):
        np.testing.assert_allclose(left, right, rtol=NEAR)


def sorted_cells(cells: Cells) -> NDArray[np.float64]:
    """The cells as rows of numbers, in an order of their own."""
    rows = np.stack([cells.pair, cells.rank, cells.previous, cells.shown, cells.clicked], axis=1)
    return rows[np.lexsort(rows.T)]


def sorted_pages(pages: Pages) -> NDArray[np.float64]:
    """The pages with clicks and counts as rows of numbers, in an order of their own."""
    rows = np.concatenate([pages.pair, pages.clicked, pages.count[:, np.newaxis]], axis=1)
    return rows[np.lexsort(rows.T)]


def test_a_study_of_clicks_says_the_same(spark: SparkSession) -> None:
    columns = position_biased_log.columns(400)
    asked: Any = {"models": "PBM", "calibrate": "RBP MP", "test": 0.0}
    same_studies(*(clicks(columns, engine=engine, **asked) for engine in (None, spark)))


def found_in(log: Log) -> list[dict[str, Any]]:
    """All rows, in order."""
    rows: list[dict[str, Any]] = log.engine.fetch(log.rows.order_by(["impression", "rank"])).to_pylist()
    return rows


def test_text_is_text_on_both(spark: SparkSession, tmp_path: Path) -> None:
    rows = ["007,q1,1,0815,false", "007,q1,2,4e2,No", "7,1.50,1,d, TRUE", "7,1.50,2,e,f"]
    (tmp_path / "log.csv").write_text("\n".join(["impression,topic,rank,document,clicked", *rows, ""]))
    mine, other = (found_in(read_log(tmp_path / "log.csv", engine=engine)) for engine in (None, spark))
    assert mine == other
    assert [(row["impression"], row["topic"], row["document"], row["clicked"]) for row in other] == [
        ("007", "q1", "0815", False),
        ("007", "q1", "4e2", False),
        ("7", "1.50", "d", True),
        ("7", "1.50", "e", False),
    ]


NOON = datetime(2024, 5, 1, 12, 0, 0, 250_000, tzinfo=UTC)
TIMES = {
    "moments": NOON,
    "moments without a zone": NOON.replace(tzinfo=None),
    "text": "2024-05-01T12:00:00.250Z",
    "seconds": 1_714_564_800.25,
    "milliseconds": 1_714_564_800_250,
    "nanoseconds as text": "1714564800250000000",
}


@pytest.mark.parametrize("kind", TIMES)
def test_a_time_is_the_same_however_it_is_written(spark: SparkSession, kind: str) -> None:
    columns = {"impression": ["i"], "topic": ["q"], "rank": ["1.0"], "document": ["d"], "clicked": [1.0]}
    columns |= {"time": [TIMES[kind]], "revenue": ["12.5"], "converted": ["yes"]}
    mine, other = (found_in(read_log(columns, engine=engine)) for engine in (None, spark))
    assert mine == other
    (row,) = other
    assert row["time"] == pytest.approx(1_714_564_800.25, abs=1e-6)
    assert (row["rank"], row["revenue"]) == (1, 12.5)
    assert row["clicked"] is row["converted"] is True


@pytest.mark.parametrize("suffix", ["tsv", "jsonl", "parquet"])
def test_files_of_a_folder_are_one_log(spark: SparkSession, tmp_path: Path, suffix: str) -> None:
    columns = position_biased_log.columns(60)
    for part in range(3):
        table = Table({name: cells[part * 100 : (part + 1) * 100] for name, cells in columns.items()})
        write_part(table, tmp_path / f"part-{part}.{suffix}")
    mine, other = (found_in(read_log(tmp_path, engine=engine)) for engine in (None, spark))
    assert mine == other
    assert len(other) == 300


def write_part(table: Table, path: Path) -> None:
    frame = table.to_polars()
    if path.suffix == ".tsv":
        frame.write_csv(path, separator="\t")
    elif path.suffix == ".jsonl":
        frame.write_ndjson(path)
    else:
        frame.write_parquet(path)
