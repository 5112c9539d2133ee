"""A campaign on disk is the campaign in memory, in the form trec_eval reads."""

import csv
import gzip
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest

from cranfield.simulate import Campaign, Made

SMALL = Campaign(
    topics=6, groups=3, runs=9, depth=50, documents=2000, candidates=500, relevant=30, ties=0.5, missing=0.5
)


@pytest.fixture(scope="module")
def made() -> Made:
    return SMALL.make()


def test_a_file_holds_the_numbers_of_the_memory(made: Made, tmp_path: Path) -> None:
    written = made.write(tmp_path)
    for path, name in zip(written.runs, made.names, strict=True):
        rows = [line.split(" ") for line in path.read_text().splitlines()]
        columns = made.run_columns(name)
        assert path == tmp_path / "runs" / f"{name}.txt"
        assert [row[0] for row in rows] == columns["topic"]
        assert [row[2] for row in rows] == columns["document"]
        assert [float(row[4]) for row in rows] == columns["score"]
        assert {(row[1], row[5]) for row in rows} == {("Q0", name)}
        assert all(4 <= len(row[4].partition(".")[2]) <= 6 for row in rows)
        ranks = [int(row[3]) for row in rows]
        assert all(rank == 1 if new else rank == before + 1 for rank, before, new in _steps(ranks, columns["topic"]))
    judged = [line.split() for line in written.qrels.read_text().splitlines()]
    assert made.qrels_columns() == {
        "topic": [row[0] for row in judged],
        "document": [row[2] for row in judged],
        "grade": [int(row[3]) for row in judged],
    }


def _steps(ranks: list[int], topics: list[str] | list[float]) -> list[tuple[int, int, bool]]:
    return [(rank, ranks[at - 1], at == 0 or topics[at] != topics[at - 1]) for at, rank in enumerate(ranks)]


def test_streaming_writes_the_same_bytes(made: Made, tmp_path: Path) -> None:
    held, streamed = made.write(tmp_path / "held"), SMALL.write(tmp_path / "streamed")
    pairs = [(held.qrels, streamed.qrels), (held.table, streamed.table), (held.topics, streamed.topics)]
    for one, other in [*pairs, *zip(held.runs, streamed.runs, strict=True)]:
        assert one.read_bytes() == other.read_bytes()


def test_compressed_files_hold_the_same_and_are_reproducible(made: Made, tmp_path: Path) -> None:
    plain, packed, again = (
        made.write(tmp_path / "plain"),
        made.write(tmp_path / "packed", compress=True),
        made.write(tmp_path / "again", compress=True),
    )
    for one, other, third in zip(plain.runs, packed.runs, again.runs, strict=True):
        assert other.name == one.name + ".gz"
        assert gzip.decompress(other.read_bytes()) == one.read_bytes()
        assert other.read_bytes() == third.read_bytes()


def test_the_tables_name_every_run_and_topic(made: Made, tmp_path: Path) -> None:
    written = made.write(tmp_path)
    with written.table.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert {column: [row[column] for row in rows] for column in rows[0]} == made.table()
    assert list(rows[0]) == ["run", "group", "date", "description"]
    topics = [line.split("\t") for line in written.topics.read_text().splitlines()]
    assert [topic for topic, _ in topics] == list(made.topics) == ["301", "302", "303", "304", "305", "306"]
    assert all(len(text.split()) == 4 for _, text in topics)


def test_a_streamed_campaign_is_never_held_whole(tmp_path: Path) -> None:
    def peak(topics: int) -> int:
        tracemalloc.start()
        try:
            replace(SMALL, topics=topics).write(tmp_path / str(topics))
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(2)  # what is made once, at the first call
    # In memory 200 topics more would take 200 × 9 × 50 × 8 bytes = .7 MB.
    assert peak(240) - peak(40) < 200_000
