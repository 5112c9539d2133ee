"""Topics answered, in words; the counts themselves are tested in the study `answers`."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from cranfield.core import ParameterError, Table
from cranfield.data import read_scores
from cranfield.stats import against_sentence, answers_sentence, answers_table, never_answered, share_interval

NAN = np.nan


def said(*rows: tuple[str, int, int | None], topics: int = 10, never: int = 0) -> str:
    columns: dict[str, Any] = {
        "run": [run for run, *_ in rows],
        "topics": [topics] * len(rows),
        "answered": [answered for _, answered, _ in rows],
        "only_unjudged": [maybe for *_, maybe in rows],
        "share": [answered / topics if topics else None for _, answered, _ in rows],
    }
    return answers_sentence(Table(columns), 5, never)


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (said(("x", 8, 0), ("y", 7, 0)), "x answers the most topics, 8 of 10, in the first 5 documents."),
        (
            said(("x", 8, 1), ("y", 8, 0), ("z", 2, 0), never=2),
            "x and y answer the most topics, 8 of 10, in the first 5 documents; 2 topics are answered by no run. "
            "1 run has topics that only unjudged documents could answer.",
        ),
        (said(*[(run, 8, None) for run in "wxyz"], ("v", 1, None)), "4 of 5 runs answer the most topics, 8 of 10,"),
        (said(("x", 8, 0), ("y", 8, 0)), "x and y answer equally many topics, 8 of 10, in the first 5 documents."),
        (
            said(("x", 8, 1), never=2),
            "x answers 8 of 10, in the first 5 documents. There are topics that only unjudged documents could answer.",
        ),
        (said(("x", 0, 0), topics=0), "There is no topic to answer."),
    ],
)
def test_who_answers_most_in_words(found: str, sentence: str) -> None:
    assert found.startswith(sentence)
    assert found == sentence or sentence.endswith(",")


def test_against_a_baseline_in_words() -> None:
    rows: dict[str, list[Any]] = {
        "baseline": ["bm25"] * 4,
        "win": [9, 1, 9, 5],
        "loss": [1, 9, 1, 5],
        "p": [0.02, 0.02, 0.2, None],
    }
    assert against_sentence(Table(rows), "AP", 0.05) == (
        "Beside bm25, 1 of 4 other runs win significantly more topics of AP than they lose, 1 significantly fewer."
    )
    one = Table({name: cells[:1] for name, cells in rows.items()})
    assert against_sentence(one, "AP", 0.05) == (
        "Beside bm25, 1 of 1 other run wins significantly more topics of AP than it loses, 0 significantly fewer."
    )


def test_shares_of_as_many_topics_as_each_has() -> None:
    counts, topics = np.array([3, 0, 7, 0]), np.array([9, 4, 7, 0])
    low, high = share_interval(counts, topics, level=0.1)
    for i in range(3):
        ends = stats.binomtest(int(counts[i]), int(topics[i])).proportion_ci(0.9, method="wilson")
        assert (low[i], high[i]) == pytest.approx((ends.low, ends.high), abs=1e-12)
    assert np.isnan([low[3], high[3]]).all()


def test_a_run_without_topics_has_no_share_and_stands_last() -> None:
    values = read_scores({"topic": ["1", "2"], "x": [0.5, 0.5], "y": [0.5, 0.5]})
    values.counted[0] = False
    first = np.array([[1.0, NAN], [NAN, NAN]])
    found = answers_table(first, values, unjudged=np.ones((2, 2)), share_unjudged=np.full((2, 2), NAN))
    x = {"run": "x", "topics": 0, "answered": 0, "only_unjudged": 0, "unanswered": 0}
    y = {"run": "y", "topics": 2, "answered": 0, "only_unjudged": 2, "unanswered": 0}
    rows = found.rows()
    assert rows[0] | y == rows[0]
    assert rows[1] == x | dict.fromkeys(("share", "low", "high", "unjudged"))
    assert rows[0]["unjudged"] is None
    assert never_answered(first, values) == 2  # the rank of x is of a topic that does not count for it
    with pytest.raises(ParameterError, match="level"):
        answers_table(first, values, level=2)
