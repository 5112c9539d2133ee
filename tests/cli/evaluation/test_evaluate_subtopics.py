"""cranfield evaluate with judgments by subtopic."""

from pathlib import Path

import pytest

from tests.support.cli.commands import Command, expect_refusal

QRELS = b"1 1 a 1\n1 2 a 1\n1 1 b 1\n1 3 c 1\n"
RUN = b"1 Q0 a 1 3 mine\n1 Q0 b 2 2 mine\n1 Q0 x 3 1 mine\n"


@pytest.fixture(autouse=True)
def files(here: Path) -> None:
    (here / "subtopics.txt").write_bytes(QRELS)
    (here / "mine.txt").write_bytes(RUN)
    (here / "intents.tsv").write_bytes(b"1\t1\t0.6\n1\t2\t0.3\n1\t3\t0.1\n")


def test_a_measure_of_diversity_is_all_one_has_to_ask_for(cranfield: Command) -> None:
    ended = cranfield("evaluate", "subtopics.txt", "mine.txt", "-m", "StRecall@1 P_IA@2", "--format", "tsv")
    rows = [line.split("\t") for line in ended.out.splitlines()[1:]]
    assert [(row[1], float(row[3])) for row in rows] == [("StRecall@1", 2 / 3), ("P_IA@2", (2 / 2 + 1 / 2) / 3)]


def test_intents_come_from_a_file(cranfield: Command) -> None:
    ask = ["evaluate", "subtopics.txt", "mine.txt", "-m", "P_IA@1", "--intents", "intents.tsv", "--format", "tsv"]
    assert float(cranfield(*ask).out.splitlines()[1].split("\t")[3]) == pytest.approx(0.9)


def test_other_measures_take_the_highest_grade_where_they_are_told_to(cranfield: Command) -> None:
    ended = cranfield("evaluate", "subtopics.txt", "mine.txt", "-m", "R", "--subtopics", "--format", "tsv")
    assert float(ended.out.splitlines()[1].split("\t")[3]) == 2 / 3
    assert "note: R: the grade of a document is its highest over subtopics" in ended.err


def test_a_second_column_that_may_be_something_else_is_asked_about(cranfield: Command, here: Path) -> None:
    note = "no document is judged for two subtopics: is the second column of the judgments a subtopic?"
    assert note not in cranfield("evaluate", "subtopics.txt", "mine.txt", "-m", "StRecall").err
    (here / "rounds.txt").write_bytes(b"1 0.5 a 1\n1 1 b 1\n1 1 c 0\n")
    assert note in cranfield("evaluate", "rounds.txt", "mine.txt", "-m", "StRecall").err


def test_otherwise_a_document_is_judged_twice(cranfield: Command) -> None:
    expect_refusal(
        cranfield("evaluate", "subtopics.txt", "mine.txt", "-m", "R"),
        1,
        "subtopics.txt:2: document a is judged twice in topic 1 (first on line 1)",
        "keep one line for each document of a topic; if the second column is a subtopic, say so: --subtopics "
        "(subtopics=True)",
    )


def test_judgments_without_subtopics_are_refused(cranfield: Command) -> None:
    expect_refusal(
        cranfield("evaluate", "qrels.txt", "run.txt", "-m", "alpha_nDCG@20"),
        1,
        "qrels.txt: alpha_nDCG@20 needs subtopics, and the second column names none",
        "give judgments whose second column is a subtopic, and more than one of them: topic subtopic document grade",
    )


def test_other_commands_know_them_too(cranfield: Command, here: Path) -> None:
    (here / "other.txt").write_bytes(RUN.replace(b" a ", b" c "))
    ended = cranfield("test", "subtopics.txt", "mine.txt", "other.txt", "-m", "alpha_nDCG@3", "--test", "sign")
    assert ended.code == 0, ended.err
    assert "alpha_nDCG@3" in ended.out


def test_a_measure_is_explained_with_its_subtopics(cranfield: Command) -> None:
    told = " ".join(cranfield("measures", "alpha_nDCG").out.split())
    assert "alpha_nDCG@3 of grades 1 1 1, subtopics 1 1 0 / 1 0 0 / 0 0 1" in told
    assert "needs subtopics: give judgments whose second column is a subtopic" in told


def test_runs_can_be_compared_by_the_attention_of_groups(cranfield: Command, here: Path) -> None:
    (here / "plain.txt").write_bytes(b"1 0 a 1\n1 0 b 1\n1 0 c 1\n")
    (here / "groups.tsv").write_bytes(b"a\tx\nb\ty\nc\ty\nx\tx\n")
    (here / "other.txt").write_bytes(RUN.replace(b" a ", b" c "))
    ask = ["plain.txt", "mine.txt", "other.txt", "-m", "EE_D@2", "--attributes", "groups.tsv", "--format", "tsv"]
    rows = [line.split("\t") for line in cranfield("evaluate", *ask).out.splitlines()[1:]]
    assert [float(row[3]) for row in rows] == [1 + 1 / 4, (1 + 1 / 2) ** 2]  # x and y; y twice
    tested = cranfield("test", *ask, "--test", "sign")
    assert tested.code == 0, tested.err
    assert "EE_D@2" in tested.out


@pytest.mark.parametrize("word", ["easy", "=easy.txt", "easy="])
def test_an_aspect_has_a_name_and_a_file(cranfield: Command, word: str) -> None:
    ended = cranfield("evaluate", "qrels.txt", "run.txt", "-m", "uRBP", "--aspect", word)
    expect_refusal(ended, 2, f"--aspect {word} names no file", "write understandability=FILE")


def test_scores_stand_without_side_tables(cranfield: Command, here: Path) -> None:
    (here / "scores.csv").write_text("topic,a,b\n1,0.1,0.2\n2,0.3,0.1\n")
    for command in ("evaluate", "test"):
        ended = cranfield(command, "--scores", "scores.csv", "--attributes", "groups.tsv")
        assert ended.code == 2
        assert "--scores stands alone, but there is --attributes too" in ended.err
