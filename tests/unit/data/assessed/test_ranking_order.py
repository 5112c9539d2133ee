"""The order of a ranking: by score, then as ``ties`` says; what counts as judged; which topics count."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from cranfield.data import NOBODY, Assessed, Attribute, assess, read_qrels, read_run

Line = tuple[str, int, float]  # document, rank column, score


def write(path: Path, lines: list[Line], topic: str = "1") -> Path:
    path.write_text("".join(f"{topic} Q0 {document} {rank} {score!r} tag\n" for document, rank, score in lines))
    return path


def table(lines: list[Line], topic: str = "1") -> pl.DataFrame:
    frame = pl.DataFrame(lines, schema=["document", "rank", "score"], orient="row")
    return frame.with_columns(topic=pl.lit(topic))


def order(found: Assessed) -> list[str]:
    return found.documents.take(found.document.astype(np.int64)).to_list()


def judged(lines: list[Line]) -> dict[str, dict[str, int]]:
    return {"1": {document: 1 for document, _, _ in lines}}


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (["d9", "d10", "d1"], ["d9", "d10", "d1"]),  # '1' comes before '9', and a prefix before what it starts
        (["A", "a", "B", "b"], ["b", "a", "B", "A"]),  # capitals come first in ASCII
        (["z", "é", "e"], ["é", "z", "e"]),  # beyond ASCII every byte is above it
        (["\U00010000", "～"], ["\U00010000", "～"]),  # F0… is above EF…; by UTF-16 it would be the other way round
        (["10", "9", "009"], ["9", "10", "009"]),
    ],
)
@pytest.mark.parametrize("turned", [False, True])
def test_equal_scores_go_by_the_bytes_of_the_id_from_the_top(
    ids: list[str], expected: list[str], turned: bool, tmp_path: Path
) -> None:
    lines = [(document, i, 1.0) for i, document in enumerate(reversed(ids) if turned else ids)]
    for run in (write(tmp_path / "run", lines), table(lines)):
        assert order(assess(judged(lines), run)) == expected
        assert order(assess(judged(lines), run, ties="docno-asc")) == expected[::-1]


# 1 + 2⁻²⁴ is the float64 half way to the next float32 after 1: as float32 both are 1.
NEAR = [("a", 2, 1 + 2**-24), ("b", 1, 1.0)]


def test_scores_that_tie_in_float32_only(tmp_path: Path) -> None:
    for run in (write(tmp_path / "run", NEAR), table(NEAR)):
        exact, single = assess(judged(NEAR), run), assess(judged(NEAR), run, compat="trec_eval-9")
        assert (order(exact), exact.tied.tolist(), exact.tie_last.tolist()) == (["a", "b"], [0], [1, 2])
        assert (order(single), single.tied.tolist(), single.tie_last.tolist()) == (["b", "a"], [2], [2, 2])


def test_scores_beyond_float32_tie_there() -> None:
    run = {"1": {"a": 1e40, "b": 1e39, "c": 1.0}}  # both are infinite as float32
    qrels = {"1": dict.fromkeys("abc", 1)}
    assert order(assess(qrels, run)) == ["a", "b", "c"]
    assert order(assess(qrels, run, compat="trec_eval-9")) == ["b", "a", "c"]


def test_minus_zero_ties_with_zero_and_integers_beyond_float64_tie(tmp_path: Path) -> None:
    lines = ["1 Q0 a 1 0 t", "1 Q0 b 2 -0.0 t", "1 Q0 c 3 -9007199254740992 t", "1 Q0 d 4 -9007199254740993 t"]
    (tmp_path / "run").write_text("\n".join(lines) + "\n")
    found = assess({"1": dict.fromkeys("abcd", 1)}, tmp_path / "run")
    assert order(found) == ["b", "a", "d", "c"]
    assert (found.tie_first.tolist(), found.tie_last.tolist()) == ([1, 1, 3, 3], [2, 2, 4, 4])


def test_the_rank_column_decides_only_where_it_is_asked(tmp_path: Path) -> None:
    lines = [("a", 3, 9.0), ("b", 1, 5.0), ("c", 2, 7.0), ("d", 2, 8.0)]
    for run in (write(tmp_path / "run", lines), table(lines)):
        assert order(assess(judged(lines), run)) == ["a", "d", "c", "b"]
        by_rank = assess(judged(lines), run, ties="rank")
        assert order(by_rank) == ["b", "c", "d", "a"]  # c and d share a rank and stay as they stand
        assert by_rank.tie_first.tolist() == [1, 2, 2, 4]
        assert read_run(run, ties="rank").document.to_list() == ["b", "c", "d", "a"]


def test_a_frame_without_scores_is_ordered_by_its_ranks() -> None:
    frame = pl.DataFrame({"topic": "1", "document": ["a", "b", "c"], "rank": [2, 3, 1]})
    assert order(assess({"1": dict.fromkeys("abc", 1)}, frame)) == ["c", "a", "b"]


def literal(lines: list[Line], ties: str, single: Callable[[float], Any]) -> tuple[list[str], list[Any]]:
    """The order from the definition, and what each document is ordered by."""
    if ties == "rank":
        ordered = sorted(lines, key=lambda line: line[1])
        return [line[0] for line in ordered], [line[1] for line in ordered]
    if ties == "trec":
        ordered = sorted(lines, key=lambda line: (single(line[2]), line[0].encode()), reverse=True)
    elif ties == "docno-asc":
        ordered = sorted(lines, key=lambda line: (-single(line[2]), line[0].encode()))
    else:
        ordered = sorted(lines, key=lambda line: -single(line[2]))
    return [line[0] for line in ordered], [single(line[2]) for line in ordered]


@pytest.mark.parametrize("compat", [None, "trec_eval-9"])
@pytest.mark.parametrize("ties", ["trec", "docno-asc", "input", "rank"])
@pytest.mark.parametrize("seed", range(5))
def test_every_order_is_that_of_its_definition_from_text_and_from_frames(
    seed: int, ties: str, compat: str | None, tmp_path: Path
) -> None:
    rng = random.Random(seed)
    ids = rng.sample([f"d{i}" for i in range(40)] + ["D1", "é", "Z9"], 30)
    lines = [(d, rng.randint(1, 12), rng.randint(1, 6) * (1 + rng.choice([0, 0, 1e-9, -1e-9]))) for d in ids]
    single: Callable[[float], Any] = float if compat is None else np.float32
    expected, keys = literal(lines, ties, single)
    for run in (write(tmp_path / "run", lines), table(lines)):
        found = assess(judged(lines), run, ties=ties, compat=compat)
        assert order(found) == expected
        assert found.rank.tolist() == list(range(1, 31))
        assert found.tie_first.tolist() == [1 + keys.index(key) for key in keys]
        assert found.tie_last.tolist() == [30 - keys[::-1].index(key) for key in keys]
        assert found.tied.tolist() == [sum(keys.count(key) > 1 for key in keys)]


def test_below_zero_is_unjudged_but_kept() -> None:
    qrels = {"1": {"a": -1, "b": 0, "c": 2, "d": -2}}
    run = {"1": {"a": 4.0, "x": 3.0, "b": 2.0, "c": 1.0}}
    found = assess(qrels, run, also=[(["1"], ["x"])])
    assert found.documents.to_list() == ["a", "b", "c", "d", "x"]
    assert found.grade.tolist() == [-1, 0, 2, -2, NOBODY]
    assert [found.relevant(rel).tolist() for rel in (0, 1, 2, 3)] == [[2], [1], [1], [0]]
    assert order(found.ideal) == ["c", "b"]
    [block] = found.blocks()
    assert block.judged_only().rank.tolist() == [[np.inf, np.inf, 1, 2]]


def test_unjudged_documents_count_in_the_ranks() -> None:
    found = assess({"1": {"c": 1}}, {"1": {"a": 3.0, "b": 2.0, "c": 1.0, "d": 0.5}})
    assert (found.rank.tolist(), found.retrieved.tolist(), found.document.tolist()) == ([3], [4], [0])


def test_topics_of_the_run_outside_the_qrels_are_noted_and_missing_ones_stay() -> None:
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    run = {str(topic): {"a": 1.0} for topic in (1, 3, 4, 5, 6)}
    found = assess(qrels, {"bm25": run})
    assert found.notes == ("bm25: 4 topics are not in the qrels (3, 4, 5 and 1 more)",)
    assert found.topics == ("1", "2")
    assert found.missing.tolist() == [[False, True]]
    assert len(found.rank) == 1


def test_where_a_document_has_several_grades_the_highest_speaks_for_the_topic(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 a d1 0\n1 b d1 2\n1 c d1 1\n1 a d2 1\n")
    judgments = read_qrels(tmp_path / "qrels", subtopics=True)
    assert judgments.subtopics.to_list() == ["a", "b", "c"]
    found = assess(judgments, {"1": {"d1": 1.0}})
    assert (found.documents.to_list(), found.grade.tolist()) == (["d1", "d2"], [2, 1])


def test_sums_run_over_every_document_above_in_the_order_of_the_ties() -> None:
    lengths = Attribute(["a", "b", "c"], [10, 20, 40], 1)
    run = {"1": {"a": 1.0, "b": 1.0, "c": 1.0, "x": 2.0}}
    qrels = {"1": dict.fromkeys("abc", 0)}
    assert assess(qrels, run).above is None
    for ties, expected in (("trec", [1, 41, 61]), ("docno-asc", [1, 11, 31])):
        above = assess(qrels, run, ties=ties, sum_above=lengths).above
        assert above is not None
        assert above.tolist() == expected
