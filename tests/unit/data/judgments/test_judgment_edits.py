"""Judgments looked at and changed one at a time; topics kept private."""

import pytest

from cranfield.core import ParameterError
from cranfield.data import grades_table, judged_table, read_qrels, regrade, regraded_table, split_topics

QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 2, "c": -1}, "3": {"x": 0}}


def test_grades_are_counted() -> None:
    rows = grades_table(read_qrels(QRELS)).rows()
    assert [tuple(row.values()) for row in rows] == [(2, 1, 1), (1, 1, 1), (0, 2, 2), (-1, 1, 1)]
    decimals = grades_table(read_qrels({"1": {"a": 0.5, "b": 0.5}, "2": {"a": 1}}, gains=True)).rows()
    assert [tuple(row.values()) for row in decimals] == [(1, 1, 1), (0.5, 2, 1)]


def test_judged_and_relevant_documents_are_counted_by_topic() -> None:
    found = read_qrels(QRELS)
    assert [tuple(row.values()) for row in judged_table(found).rows()] == [("1", 2, 1), ("2", 1, 1), ("3", 1, 0)]
    assert judged_table(found, rel=2).cells("relevant") == [0, 1, 0]


def told(qrels: object) -> dict[tuple[str, str], int]:
    return {(row["topic"], row["document"]): row["grade"] for row in read_qrels(qrels).to_table().rows()}  # type: ignore[misc]


def test_one_judgment_is_changed_and_the_others_stay() -> None:
    before = read_qrels(QRELS)
    after = regrade(before, "1", "b", 2)
    assert told(after) == told(before) | {("1", "b"): 2}
    assert told(before)["1", "b"] == 0
    assert after.source.digest != before.source.digest
    new = regrade(before, "1", "new", 3)
    assert told(new) == told(before) | {("1", "new"): 3}
    assert new.document.to_list() == ["a", "b", "new", "a", "c", "x"]  # behind the others of its topic


def test_what_changed_is_listed() -> None:
    before = read_qrels(QRELS)
    after = regrade(regrade(regrade(before, "2", "c", 1), "1", "a", -1), "3", "y", 0)
    rows = {
        (row["topic"], row["document"]): (row["before"], row["after"]) for row in regraded_table(before, after).rows()
    }
    assert rows == {("2", "c"): (None, 1), ("1", "a"): (1, None), ("3", "y"): (None, 0)}
    assert len(regraded_table(before, before)) == 0
    other = read_qrels({"9": {"a": 1}})
    assert len(regraded_table(before, other)) == 5  # four judgments go, the one below 0 was none, one comes


@pytest.mark.parametrize(
    ("topic", "document", "said"),
    [("7", "a", "there is no topic 7"), ("1", "a b", "cannot be called"), ("1", "", "cannot be called")],
)
def test_what_cannot_be_changed_is_refused(topic: str, document: str, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        regrade(read_qrels(QRELS), topic, document, 1)


def test_a_document_with_several_subtopics_is_not_changed(tmp_path: object) -> None:
    from pathlib import Path

    path = Path(str(tmp_path)) / "qrels"
    path.write_text("1 1 a 1\n1 2 a 0\n")
    with pytest.raises(ParameterError, match="several subtopics"):
        regrade(read_qrels(path, subtopics=True), "1", "a", 2)


def test_a_share_of_topics_is_drawn_by_seed_alone() -> None:
    topics = [str(number) for number in range(401, 451)]
    public, private = split_topics(topics, 0.5, seed=4)
    assert (len(public), len(private)) == (25, 25)
    assert sorted((*public, *private)) == topics
    assert list(private) == sorted(private)  # in the order given
    assert set(split_topics(topics[::-1], 0.5, seed=4)[1]) == set(private)  # whatever the order of the file
    assert set(split_topics(topics, 0.2, seed=4)[1]) <= set(private)
    assert split_topics(topics, 0.5, seed=5)[1] != private
    assert len(split_topics(topics, 0.001)[1]) == 1
    assert len(split_topics(topics[:2], 0.9)[0]) == 1


def test_every_topic_is_as_likely_to_be_private() -> None:
    topics = [str(number) for number in range(10)]
    counts = dict.fromkeys(topics, 0)
    for seed in range(400):
        for topic in split_topics(topics, 0.5, seed=seed)[1]:
            counts[topic] += 1
    # Binomial(400, 1/2) has a deviation of 10; ten of them lie within five deviations but once in 170,000 times.
    assert all(150 < count < 250 for count in counts.values())


@pytest.mark.parametrize("share", [0, 1, -0.5, 1.5, float("nan")])
def test_shares_are_between_none_and_all(share: float) -> None:
    with pytest.raises(ParameterError, match="cannot be kept private"):
        split_topics(["1", "2"], share)


def test_one_topic_cannot_be_split() -> None:
    with pytest.raises(ParameterError, match="1 topic cannot be split"):
        split_topics(["1"], 0.5)
