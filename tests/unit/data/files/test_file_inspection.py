"""What a table is, where its columns leave it open: by its name, its header and its numbers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from cranfield.data import inspect, read_qrels, read_run
from cranfield.studies import convert

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

GRADES = (2, 0, 1, 0, 0, 1)  # five of six are equal to another
SCORES = (6.5, 5.25, 4.0, 3.5, 3.0, 2.5)
FEW_TIED = (6, 5, 4, 3, 3, 2)
HALF_TIED = (6, 5, 5, 4, 3, 3, 2, 1)


def table(numbers: Sequence[float], names: tuple[str, str, str] = ("query_id", "doc_id", "score")) -> pl.DataFrame:
    """Return rows with all numbers in each of two topics."""
    rows = [(topic, f"d{i}", number) for topic in "12" for i, number in enumerate(numbers)]
    return pl.DataFrame(rows, schema=dict(zip(names, (pl.String, pl.String, None), strict=True)), orient="row")


def write(frame: pl.DataFrame, path: Path) -> Path:
    path.parent.mkdir(exist_ok=True)
    match path.suffix:
        case ".csv":
            frame.write_csv(path)
        case ".tsv":
            frame.write_csv(path, separator="\t")
        case ".jsonl":
            frame.write_ndjson(path)
        case ".parquet":
            frame.write_parquet(path)
        case _:
            path.write_text(json.dumps(frame.to_dicts()))
    return path


SUFFIXES = ("csv", "tsv", "json", "jsonl", "parquet")


@pytest.mark.parametrize("names", [("query_id", "doc_id", "score"), ("query-id", "corpus-id", "score")])
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_judgments_are_known_by_their_numbers(suffix: str, names: tuple[str, str, str], tmp_path: Path) -> None:
    path = write(table(GRADES, names), tmp_path / f"judged.{suffix}")
    assert inspect(path).kind == "qrels"
    convert(path, tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text().splitlines()[0].split() == ["1", "0", "d0", "2"]
    assert read_qrels(tmp_path / "out.txt").by_topic()["2"] == dict(
        zip("d0 d1 d2 d3 d4 d5".split(), GRADES, strict=True)
    )


def test_nested_json_of_grades_is_judgments(tmp_path: Path) -> None:
    for numbers, kind in ((GRADES, "qrels"), (SCORES, "run")):
        topic = {f"d{i}": number for i, number in enumerate(numbers)}
        (tmp_path / "nested.json").write_text(json.dumps({"1": topic, "2": topic}))
        assert inspect(tmp_path / "nested.json").kind == kind


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("numbers", [SCORES, FEW_TIED, HALF_TIED, (300, 300, 300, 0, 0, 0)])
def test_runs_are_known_by_their_numbers(numbers: Sequence[float], suffix: str, tmp_path: Path) -> None:
    path = write(table(numbers), tmp_path / f"bm25.{suffix}")
    assert inspect(path).kind == "run"
    convert(path, tmp_path / "out.txt")
    assert read_run(tmp_path / "out.txt").score.tolist() == sorted(numbers, reverse=True) * 2


@pytest.mark.parametrize(
    ("name", "numbers", "kind"),
    [
        ("run1.csv", GRADES, "run"),
        ("run.csv", GRADES, "run"),
        ("bm25-run.csv", GRADES, "run"),
        ("trunc.csv", GRADES, "qrels"),
        ("my-qrels.csv", FEW_TIED, "qrels"),
        ("qrels_2020/bm25.csv", SCORES, "run"),
        ("qrels_2020/bm25.csv", FEW_TIED, "run"),
        ("qrels_2020/judged.csv", GRADES, "qrels"),
    ],
)
def test_the_name_of_a_file_decides_and_that_of_its_folder_does_not(
    name: str, numbers: Sequence[float], kind: str, tmp_path: Path
) -> None:
    assert inspect(write(table(numbers), tmp_path / name)).kind == kind


@pytest.mark.parametrize(("numbers", "kind"), [(FEW_TIED, "qrels"), (GRADES, "qrels"), (SCORES, "run")])
def test_the_name_of_a_folder_of_shards_counts_unless_they_hold_scores(
    numbers: Sequence[float], kind: str, tmp_path: Path
) -> None:
    folder = tmp_path / "qrels"
    frame = table(numbers)
    for part, rows in enumerate((frame[:6], frame[6:])):
        write(rows, folder / f"test-{part:05}-of-00002.parquet")
    assert inspect(folder).kind == inspect(folder / "test").kind == kind


@pytest.mark.parametrize("column", [{"rank": 1}, {"run": "mine"}, {"tag": "mine"}])
def test_only_runs_have_ranks_or_a_name(column: dict[str, Any], tmp_path: Path) -> None:
    frame = table(GRADES).with_columns(**{name: pl.lit(cell) for name, cell in column.items()})
    assert inspect(write(frame, tmp_path / "judged.csv")).kind == "run"


def test_whole_similarities_are_no_grades(tmp_path: Path) -> None:
    path = write(table(GRADES, ("topic", "document", "similarity")), tmp_path / "system.csv")
    assert inspect(path).kind == "run"


def test_one_judgment_in_each_topic(tmp_path: Path) -> None:
    """In MS MARCO and others, most topics have one relevant document, and none that is not."""
    frame = table((1,), ("query-id", "corpus-id", "score"))
    assert inspect(write(frame, tmp_path / "judged.csv")).kind == "qrels"
    assert inspect(write(frame.with_columns(score=pl.Series([1, 3])), tmp_path / "scored.csv")).kind == "run"


def test_the_header_of_beir_means_judgments_unless_the_numbers_are_scores(tmp_path: Path) -> None:
    names = ("query-id", "corpus-id", "score")
    for numbers, kind in ((FEW_TIED, "qrels"), (SCORES, "run")):
        assert inspect(write(table(numbers, names), tmp_path / "test.tsv")).kind == kind
    assert inspect(tmp_path / "test.tsv", kind="qrels").kind == "qrels"


def test_decimal_gains_are_judgments_where_they_are_expected(tmp_path: Path) -> None:
    from cranfield.data import inspect_all

    path = write(table(SCORES, ("query-id", "corpus-id", "score")), tmp_path / "test.tsv")
    assert inspect_all(path, gains=True)[0].kind == "qrels"
