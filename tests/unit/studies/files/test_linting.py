"""lint: files against given qrels, under limits, called by the names they came with."""

from pathlib import Path
from typing import Any

import pytest

from cranfield.data import Limits
from cranfield.studies import lint

QRELS = "1 0 a 1\n1 0 b 0\n2 0 c 1\n"
RUN = "1 Q0 a 1 2.5 mine\n1 Q0 b 2 1.5 mine\n"


@pytest.fixture
def stored(tmp_path: Path) -> tuple[Path, Path]:
    qrels, run = tmp_path / "01ab", tmp_path / "02cd"
    qrels.write_text(QRELS)
    run.write_text(RUN)
    return qrels, run


def rows(*files: Path, **options: Any) -> list[tuple[Any, ...]]:
    found = lint(files, **options)["problems"].rows()
    return [(row["file"], row["line"], row["code"]) for row in found]


def test_files_are_called_by_their_names(stored: tuple[Path, Path]) -> None:
    qrels, run = stored
    missing = ("bm25.run", 0, "W-MISSING")
    assert rows(run, qrels=qrels, names={run: "bm25.run"}) == [missing]
    assert rows(run, qrels=str(qrels), names={str(run): "bm25.run", qrels: "robust.qrels"}) == [missing]
    assert rows(run, qrels=qrels) == [(str(run), 0, "W-MISSING")]
    run.write_text(RUN + "2 Q0 c 1 x mine\n")
    study = lint([run], qrels=qrels, names={run: "bm25.run", qrels: "robust.qrels"})
    assert [(row["file"], row["line"], row["code"]) for row in study["problems"].rows()] == [
        ("bm25.run", 3, "E-SCORE"),
        ("bm25.run", 0, "W-MISSING"),
    ]
    assert study.made_by is not None
    assert [source.name for source in study.made_by.inputs] == ["robust.qrels", "bm25.run"]


def test_limits_hold_for_the_files_and_not_for_the_qrels(stored: tuple[Path, Path]) -> None:
    qrels, run = stored
    assert rows(run, qrels=qrels, limits=Limits(lines=2, topics=1)) == [(str(run), 0, "W-MISSING")]
    assert rows(run, qrels=qrels, limits=Limits(lines=1)) == [(str(run), 2, "E-LARGE")]
    assert rows(qrels, run, limits=Limits(lines=2)) == [(str(qrels), 3, "E-LARGE")]


def test_where_qrels_are_given_the_files_are_runs(stored: tuple[Path, Path]) -> None:
    qrels, run = stored
    assert rows(qrels, run) == [(str(run), 0, "W-MISSING")]
    other = qrels.with_name("03ef")
    other.write_text(QRELS)
    assert rows(other, qrels=qrels) == [(str(other), 0, "E-SWAPPED")]
    assert rows(run, qrels=run)[0] == (str(run), 0, "E-SWAPPED")


def test_progress_counts_the_files(stored: tuple[Path, Path]) -> None:
    qrels, run = stored
    told: list[tuple[int, int]] = []
    lint([run, run], qrels=qrels, progress=lambda done, of: told.append((done, of)))
    assert told == [(1, 2), (2, 2)]


def test_a_run_is_compared_with_the_qrels_of_its_topics(stored: tuple[Path, Path]) -> None:
    qrels, run = stored
    other = qrels.with_name("00ef")
    other.write_text("2 0 d 1\n8 0 d 1\n9 0 e 1\n")
    second = run.with_name("04ij")
    second.write_text("8 Q0 d 1 2.5 mine\n9 Q0 e 2 1.5 mine\n")
    assert rows(other, qrels, run, second) == [(str(run), 0, "W-MISSING"), (str(second), 0, "W-MISSING")]
    stranger = run.with_name("05kl")
    stranger.write_text("x Q0 d 1 2.5 mine\n")
    assert rows(other, qrels, stranger) == [(str(stranger), 0, "E-TOPICS")]
