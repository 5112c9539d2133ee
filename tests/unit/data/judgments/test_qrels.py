"""Judgments as a value: what they hold, how decimals and subtopics are read, what is kept of their problems."""

from pathlib import Path

import polars as pl
import pytest

from cranfield.core import InputError
from cranfield.data import Qrels, assess, read_qrels, read_run

QRELS = "7 0 a 1\n7 0 b 0\n301 0 a 2\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "qrels.txt").write_text(QRELS)
    return tmp_path / "qrels.txt"


def test_judgments_hold_the_rows_of_the_file(path: Path) -> None:
    qrels = read_qrels(path)
    assert len(qrels) == 3
    assert repr(qrels) == f"Qrels({str(path)!r}: 2 topics, 3 judgments, 2 relevant)"
    assert (qrels.topics.to_list(), qrels.topic.tolist()) == (["7", "301"], [0, 0, 1])
    expected = {"topic": ["7", "7", "301"], "document": ["a", "b", "a"], "grade": [1, 0, 2]}
    assert qrels.to_polars().to_dict(as_series=False) == expected
    assert qrels.to_polars().schema["grade"] == pl.Int64


def test_judgments_that_were_read_are_not_read_again(path: Path) -> None:
    qrels = read_qrels(path, name="dev")
    assert read_qrels(qrels) is qrels
    assert (qrels.source.name, qrels.source.kind) == ("dev", "qrels")
    assert assess(qrels, {"7": {"a": 1.0}}).sources[0] is qrels.source


def test_judgments_and_runs_come_back_from_their_frames(path: Path) -> None:
    qrels = read_qrels(path)
    again = read_qrels(qrels.to_polars())
    assert again.to_polars().equals(qrels.to_polars())
    run = read_run({"7": {"a": 1.0, "b": 1.0, "c": 2.0}})
    assert read_run(run.to_polars()).to_polars().equals(run.to_polars())


@pytest.mark.parametrize("kind", ["text", "frame", "dicts"])
def test_decimals_are_gains_where_that_is_asked(kind: str, path: Path) -> None:
    path.write_text("7 0 a 0.5\n7 0 b 1\n")
    frame = pl.DataFrame({"topic": ["7", "7"], "document": ["a", "b"], "grade": [0.5, 1.0]})
    data = {"text": path, "frame": frame, "dicts": {"7": {"a": 0.5, "b": 1}}}[kind]
    assert read_qrels(data, gains=True).grade.tolist() == [0.5, 1.0]
    with pytest.raises(InputError) as caught:
        read_qrels(data)
    assert caught.value.code == "E-DECIMAL"


def by_subtopic(subtopics: list[str]) -> pl.DataFrame:
    return pl.DataFrame({"topic": "1", "subtopic": subtopics, "document": "d", "grade": range(len(subtopics))})


def test_a_document_is_judged_once_for_each_subtopic(path: Path) -> None:
    path.write_text("1 a d 0\n1 b d 1\n")
    for qrels in (read_qrels(path, subtopics=True), read_qrels(by_subtopic(["a", "b"]), subtopics=True)):
        assert (qrels.subtopics.to_list(), qrels.subtopic.tolist()) == (["a", "b"], [0, 1])
        assert qrels.grade.tolist() == [0, 1]


def test_a_document_judged_twice_for_a_subtopic_is_refused(path: Path) -> None:
    path.write_text("1 a d 0\n1 b d 1\n1 a d 0\n")
    expected = {"file": (path, "E-DUPQREL", 3), "frame": (by_subtopic(["a", "b", "a"]), "E-CONFLICT", 3)}
    for data, code, line in expected.values():
        with pytest.raises(InputError) as caught:
            read_qrels(data, subtopics=True)
        assert (caught.value.code, caught.value.line) == (code, line)


def test_without_subtopics_the_second_column_does_not_tell_judgments_apart(path: Path) -> None:
    path.write_text("1 a d 0\n1 b d 1\n")
    with pytest.raises(InputError) as caught:
        read_qrels(path)
    assert (caught.value.code, caught.value.line) == ("E-CONFLICT", 2)


def test_errors_are_kept_where_nobody_wants_them_raised(path: Path) -> None:
    path.write_text(QRELS + "7 0 c many\n7 0 d -1\n")
    qrels = read_qrels(path, check=False)
    assert isinstance(qrels, Qrels)
    assert qrels.document.to_list() == ["a", "b", "a", "d"]
    found = {problem.code: problem.where for problem in qrels.source.problems.kept}
    assert found["E-GRADE"] == f"{path}:4"
    assert {problem.severity for problem in qrels.source.problems.warnings} == {"warning"}
    with pytest.raises(InputError) as caught:
        qrels.source.problems.stop()
    assert caught.value.code == "E-GRADE"


def test_a_hundred_problems_are_kept_and_all_are_counted(path: Path) -> None:
    path.write_text(QRELS + "7 0 c many\n" * 150)
    problems = read_qrels(path, check=False).source.problems
    assert len(problems.kept) == 100
    assert dict(problems.counts)["E-GRADE"] == 150
    assert problems.not_kept == 50
    with pytest.raises(InputError) as caught:
        read_qrels(path)
    assert str(caught.value).splitlines()[0] == f'{path}:4: grade "many" is not a number (and 149 more errors)'


def test_equal_data_has_an_equal_digest_and_other_data_another() -> None:
    one, same, other = (read_qrels({"1": {"a": grade}}).source.digest for grade in (1, 1, 2))
    assert one == same != other
    scores = {"topic": ["1"], "document": ["a"], "score": [1.0]}
    assert read_run(scores).source.digest != read_run(scores | {"rank": [1]}).source.digest
    cuts = ({"1": {"a": 1, "bc": 1}}, {"1": {"ab": 1, "c": 1}})
    assert len({read_qrels(qrels).source.digest for qrels in cuts}) == 2
