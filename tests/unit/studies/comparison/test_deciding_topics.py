"""Topics in the order of what they decide, and those that decide most: by hand."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cranfield.core import ParameterError, Provenance, Table
from cranfield.data import Values, read_scores
from cranfield.data.values.value_cube import Given
from cranfield.stats import Pairs
from cranfield.studies.comparison.deciding_topics import movers_table, moving_tables, topics_table

NAN = float("nan")
RUNS = ["R1", "R2", "R3"]
MADE_BY = Provenance(command="compare")
COLUMNS = [
    *("a", "b", "topic", "outcome", "rank_a", "rank_b", "measure", "value_a", "value_b", "difference", "dominance")
]
RANKS = np.array([[1, 2, 4], [NAN, 1, NAN], [5, NAN, 5], [NAN, NAN, 2], [2, 1, 1]])
TOPICS = ["t1", "t2", "t3", "t4", "t5"]

Matrix = NDArray[np.float64]


def measured(*matrices: Matrix) -> Values:
    """Values of measures M0, M1, …, each (topic, run); NaN where the topic does not count."""
    cube = np.stack(matrices, axis=-1).swapaxes(0, 1)
    runs, topics, measures = cube.shape
    return Values(
        tuple(RUNS[:runs]),
        tuple(f"t{i + 1}" for i in range(topics)),
        tuple(Given(f"M{i}") for i in range(measures)),
        cube,
        counted=~np.isnan(cube[:, :, 0]),
        missing=np.zeros((runs, topics), dtype=bool),
        without_relevant=np.zeros((measures, topics), dtype=bool),
    )


def told(
    ranks: Matrix = RANKS,
    values: Matrix | None = None,
    chosen: tuple[tuple[int, int], ...] = ((0, 1), (2, 0)),
    **more: Any,
) -> Table:
    first = Pairs.given(ranks, chosen)
    seen = measured(np.nan_to_num(1 / ranks) if values is None else values, np.zeros_like(ranks))
    return topics_table(first, RUNS, seen, chosen, topics=seen.topics, made_by=MADE_BY, **more)


def test_topics_by_hand() -> None:
    table = told()
    assert list(table.columns) == COLUMNS
    assert table.made_by is MADE_BY
    # R1 against R2: t2 +1, t5 +1/2, t4 0, t3 −1/5, t1 −1/2.
    rows = table.rows()[:5]
    assert [row["topic"] for row in rows] == ["t2", "t5", "t4", "t3", "t1"]
    assert [row["difference"] for row in rows] == pytest.approx([1, 0.5, 0, -0.2, -0.5])
    assert [row["outcome"] for row in rows] == ["only_b", "both", "neither", "only_a", "both"]
    assert [row["rank_a"] for row in rows] == [None, 2, None, 5, 1]
    assert [row["rank_b"] for row in rows] == [1, 1, None, None, 2]
    assert [row["value_a"] for row in rows] == pytest.approx([0, 0.5, 0, 0.2, 1])
    assert [row["value_b"] for row in rows] == pytest.approx([1, 1, 0, 0, 0.5])
    assert {(row["a"], row["b"], row["measure"], row["dominance"]) for row in rows} == {("R1", "R2", "M0", None)}
    # R3 against R1: t1 +3/4; t2 and t3 0; t4 and t5 −1/2. Equal ones come as the topics do.
    rows = table.rows()[5:]
    assert [row["topic"] for row in rows] == ["t1", "t2", "t3", "t4", "t5"]
    assert [row["difference"] for row in rows] == pytest.approx([0.75, 0, 0, -0.5, -0.5])
    assert [row["outcome"] for row in rows] == ["both", "neither", "both", "only_a", "both"]
    assert {(row["a"], row["b"]) for row in rows} == {("R3", "R1")}


def test_ranks_are_whole_numbers_unless_ties_were_averaged() -> None:
    assert [type(rank) for rank in told().cells("rank_a")[:2]] == [type(None), int]
    halves = told(RANKS + 0.5, values=np.zeros_like(RANKS))
    assert halves.cells("rank_a")[:5] == [1.5, None, 5.5, None, 2.5]


def test_differences_that_are_equal_as_numbers_come_as_the_topics_do() -> None:
    # 1/2 − 1/3 and 1/3 − 1/6 are not equal as floats.
    values = np.array([[1 / 6, 1 / 3], [1 / 3, 1 / 2], [0, 1 / 6]])
    assert len({*(values[:, 1] - values[:, 0]).tolist()}) > 1
    table = told(np.ones((3, 2)), values, ((0, 1), (1, 0)))
    assert table.cells("topic") == ["t1", "t2", "t3"] * 2


def test_topics_without_a_value_stand_last() -> None:
    values = np.array([[NAN, 0.5], [0.9, 0.1], [0.1, 0.2]])
    table = told(np.ones((3, 2)), values, ((0, 1),))
    assert table.cells("topic") == ["t3", "t2", "t1"]
    assert table.cells("difference") == [pytest.approx(0.1), pytest.approx(-0.8), None]
    assert table.cells("value_b")[2] == 0.5
    assert movers_table(table).cells("topic") == ["t3", "t2"]


def test_dominance_goes_with_its_topic() -> None:
    words = np.array([["b", "b", "a", "equal", "incomparable"], ["a", "equal", "b", "b", "a"]], dtype=object)
    table = told(dominance=words)
    for row in table.rows():
        pair = 0 if row["a"] == "R1" else 1
        assert row["dominance"] == words[pair, TOPICS.index(str(row["topic"]))]


def by_loop(table: Table, most: int) -> list[dict[str, Any]]:
    """The movers of each pair, by sorting."""
    kept = []
    for pair in dict.fromkeys((row["a"], row["b"]) for row in table.rows()):
        rows: list[dict[str, Any]] = [row for row in table.rows() if (row["a"], row["b"]) == pair]
        gaps = sorted(row["difference"] for row in rows if row["difference"])
        rose, fell = [gap for gap in gaps if gap > 0][-most:], [gap for gap in gaps if gap < 0][:most]
        kept += [row for row in rows if row["difference"] in (*rose, *fell)]
    return kept


@pytest.mark.parametrize("most", [1, 2, 10, 100])
def test_movers_are_the_largest_differences_either_way(most: int) -> None:
    drawn = np.random.default_rng(2)
    values = drawn.random((60, 3))  # no two differences are equal
    values[drawn.random(60) < 0.2] = 0.5
    table = told(np.ones((60, 3)), values, ((0, 1), (0, 2), (1, 2)))
    movers = movers_table(table, most=most)
    assert movers.rows() == by_loop(table, most)
    assert 0 not in movers.cells("difference")
    assert movers.columns == table.columns
    assert movers.made_by is MADE_BY


def test_ten_either_way_by_default() -> None:
    drawn = np.random.default_rng(2)
    table = told(np.ones((60, 2)), drawn.random((60, 2)), ((0, 1),))
    gaps = [gap for gap in movers_table(table).cells("difference") if isinstance(gap, float)]
    assert (sum(gap > 0 for gap in gaps), sum(gap < 0 for gap in gaps)) == (10, 10)
    assert gaps == sorted(gaps, reverse=True)


def test_movers_one_way_alone_and_none() -> None:
    rose = told(np.ones((3, 2)), np.array([[0, 0.1], [0, 0.3], [0, 0]]), ((0, 1),))
    assert movers_table(rose).cells("topic") == ["t2", "t1"]
    assert movers_table(told(np.ones((3, 2)), np.array([[0, 0.1], [0, 0.3], [0, 0]]), ((1, 0),))).cells("topic") == [
        *("t1", "t2")
    ]
    identical = movers_table(told(np.ones((3, 2)), np.full((3, 2), 0.3), ((0, 1),)))
    assert len(identical) == 0
    assert list(identical.columns) == COLUMNS
    assert len(movers_table(Table({name: [] for name in COLUMNS}))) == 0


@pytest.mark.parametrize("most", [0, -1])
def test_some_movers_must_be_asked_for(most: int) -> None:
    with pytest.raises(ParameterError, match=f"there cannot be {most} movers"):
        movers_table(told(), most=most)


def test_many_pairs_have_movers_and_no_list_of_topics() -> None:
    """In parts or at once, the movers are the same; all topics are listed only where they are few."""
    draws = np.random.default_rng(5)
    matrix = draws.integers(0, 6, (7, 4)) / 5
    values = read_scores({"topic": [str(t) for t in range(7)]} | {f"r{i}": matrix[:, i] for i in range(4)})
    chosen = [(0, 1), (0, 2), (2, 3), (1, 3)]
    first = Pairs.given(np.where(matrix > 0, np.ceil(matrix * 5), np.nan), chosen)
    words = [[f"{p} {t}" for t in range(7)] for p in range(4)]

    def made(rows: int) -> dict[str, Table]:
        return moving_tables(first, values.runs, values, chosen, topics=values.topics, dominance=words, rows=rows)

    whole, parted = made(28), made(14)
    assert set(whole) == {"movers", "topics"}
    assert set(parted) == {"movers"}
    assert parted["movers"].rows() == whole["movers"].rows() == movers_table(whole["topics"]).rows()
    assert "too many to list" in parted["movers"].notes[0]
