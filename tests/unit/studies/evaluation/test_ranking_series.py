"""Several rankings of a topic, by arithmetic."""

from pathlib import Path

import numpy as np
import pytest

import cranfield as cf
from cranfield.core import InputError, ParameterError
from cranfield.data import read_series
from cranfield.measures import equity_table

QRELS = {"1": {"a": 1, "b": 1, "c": 0}, "2": {"a": 1, "c": 1}}
GROUPS = {"a": "north", "b": "south", "c": "south"}
# Of topic 1 two rankings in turn, of topic 2 one.
TURNS = "1 x a 1 0 m\n1 x b 2 0 m\n1 y b 1 0 m\n1 y a 2 0 m\n2 x c 1 0 m\n"
FIXED = "1 x a 1 0 m\n1 x b 2 0 m\n2 x c 1 0 m\n"


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    """A run that changes its order, and one that does not."""
    for name, text in (("turns", TURNS), ("fixed", FIXED)):
        (tmp_path / f"{name}.txt").write_text(text)
    return [tmp_path / "turns.txt", tmp_path / "fixed.txt"]


def test_attention_is_judged_in_the_mean(runs: list[Path]) -> None:
    values = cf.series(QRELS, runs, "EE_L EE_D EE_R", attributes=GROUPS, scale="ignore")
    assert (values.runs, values.topics) == (("turns", "fixed"), ("1", "2"))
    # In turn each group has 1 and 1/2, so 3/4 in the mean, and (1 + 1/2)/2 is due to each relevant document.
    assert values.cube[0, 0].tolist() == [0, 2 * (3 / 4) ** 2, 2 * (3 / 4) ** 2]
    assert values.cube[1, 0].tolist() == [2 * (1 / 4) ** 2, 1 + 1 / 4, 3 / 4 + 3 / 8]
    # Topic 2 has one ranking in both: c alone, of two relevant documents.
    assert values.cube[:, 1].tolist() == [[(3 / 4) ** 2 + (1 / 4) ** 2, 1, 3 / 4]] * 2


def test_other_measures_have_their_mean(runs: list[Path]) -> None:
    qrels = {"1": {"a": 1, "b": 0}, "2": {"c": 1}}
    values = cf.series(qrels, runs, "RR", scale="ignore")
    assert values.cube[:, :, 0].tolist() == [[(1 + 1 / 2) / 2, 1], [1, 1]]


def test_treatment_is_of_the_mean_attention_too(runs: list[Path]) -> None:
    values = cf.series(QRELS, runs, "DTR AWRF(distance='absolute')", attributes=GROUPS, scale="ignore")
    assert values.cube[0, 0].tolist() == [1, 1]
    np.testing.assert_allclose(values.cube[1, 0], [1 / 2, 1 - (2 / 3 - 1 / 2)], rtol=1e-15)


def test_a_run_with_fewer_rankings_has_the_mean_of_its_own(runs: list[Path]) -> None:
    alone = cf.series(QRELS, runs[1], "EE_L nDCG@2", attributes=GROUPS, scale="ignore")
    both = cf.series(QRELS, runs, "EE_L nDCG@2", attributes=GROUPS, scale="ignore")
    np.testing.assert_array_equal(alone.cube[0], both.cube[1])


def test_a_topic_without_rankings_is_missing(tmp_path: Path) -> None:
    (tmp_path / "short.txt").write_text(TURNS.replace("2 x c 1 0 m\n", ""))
    values = cf.series(QRELS, tmp_path / "short.txt", "EE_L EE_R nDCG@2", attributes=GROUPS, scale="ignore")
    assert values.missing.tolist() == [[False, True]]
    assert np.isnan(values.cube[0, 1, 0])
    assert values.cube[0, 1, 1:].tolist() == [0, 0]


def test_equity_adds_up_over_all_rankings(runs: list[Path]) -> None:
    rows = cf.equity(QRELS, runs, attributes=GROUPS, together=True)["equity"].rows()
    # Turns: attention (2/3, 1/3), (1/3, 2/3), (0, 1); relevance (1/2, 1/2) each time.
    turns = abs(1 - 3 / 2) + abs(2 - 3 / 2)
    fixed = abs(2 / 3 - 1) + abs(4 / 3 - 1)
    assert [(row["run"], row["rankings"]) for row in rows] == [("turns", 3), ("fixed", 2)]
    assert [row["unfairness"] for row in rows] == pytest.approx([turns, fixed])
    assert [row["per_ranking"] for row in rows] == pytest.approx([turns / 3, fixed / 2])


def test_equity_of_one_ranking_is_twice_what_awrf_lacks() -> None:
    run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}
    values = cf.evaluate({"1": QRELS["1"]}, run, "AWRF(distance='absolute')", attributes=GROUPS, scale="ignore")
    assert values.assessed is not None
    (row,) = equity_table(values.assessed).rows()
    assert row["unfairness"] == pytest.approx(2 * (1 - float(values.cube[0, 0, 0])), abs=1e-15)


def test_rows_need_no_rank(tmp_path: Path) -> None:
    (tmp_path / "task2.tsv").write_text("id\trep_number\tpage_id\n1\t1\ta\n1\t1\tb\n".replace("id\t", "topic_id\t", 1))
    assert read_series(tmp_path / "task2.tsv") == ("task2", {("1", "1"): ["a", "b"]})


def test_a_document_stands_once_in_a_ranking(tmp_path: Path) -> None:
    (tmp_path / "twice.txt").write_text("1 x a 1 0 m\n1 y a 1 0 m\n1 x a 2 0 m\n")
    with pytest.raises(InputError, match=r"twice\.txt:3: document a stands twice in ranking x of topic 1"):
        read_series(tmp_path / "twice.txt")


def test_what_cannot_be_judged_is_refused(runs: list[Path]) -> None:
    with pytest.raises(ParameterError, match="cannot judge a series"):
        cf.series(QRELS, runs, "EE_L(judged_only=True)", attributes=GROUPS, scale="ignore")
