"""What is told of dominance: shares of topics, a sign test, and how measures split what cannot be compared."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest

from cranfield.core import Direction, ParameterError, Provenance
from cranfield.data import Given, Values, read_scores
from cranfield.stats import Pairs
from cranfield.studies.comparison.dominance_tables import dominance_table, dominance_test_table, splits_table

A, B, EQUAL, OPEN = -1, 1, 0, 2
LEVELS = ("all", "1", "2")
NAMES = [("x", "y"), ("x", "z")]
OUTCOME = np.array(
    [
        [[A, B, OPEN, EQUAL], [A, A, A, EQUAL], [EQUAL, EQUAL, EQUAL, EQUAL]],
        [[B, B, B, B], [OPEN, OPEN, OPEN, OPEN], [B, B, B, A]],
    ],
    np.int8,
)


def test_every_outcome_is_listed_at_every_level() -> None:
    table = dominance_table(LEVELS, OUTCOME, NAMES, Provenance(seed=1))
    assert table.columns == ("a", "b", "level", "outcome", "topics", "share")
    assert table.made_by == Provenance(seed=1)
    rows = [tuple(row.values()) for row in table.rows()]
    assert rows == [
        (a, b, level, word, topics, topics / 4)
        for a, b, level, counts in [
            ("x", "y", "all", (1, 1, 1, 1)),
            ("x", "y", "1", (3, 0, 1, 0)),
            ("x", "y", "2", (0, 0, 4, 0)),
            ("x", "z", "all", (0, 4, 0, 0)),
            ("x", "z", "1", (0, 0, 0, 4)),
            ("x", "z", "2", (1, 3, 0, 0)),
        ]
        for word, topics in zip(("a", "b", "equal", "incomparable"), counts, strict=True)
    ]


def test_without_topics_there_are_no_shares() -> None:
    table = dominance_table(["all"], np.zeros((1, 1, 0), np.int8), [("x", "y")])
    assert [(row["topics"], row["share"]) for row in table.rows()] == [(0, None)] * 4


def test_the_sign_test_leaves_out_what_is_equal_or_cannot_be_compared() -> None:
    table = dominance_test_table(LEVELS, OUTCOME, NAMES, Provenance(seed=1))
    assert table.columns == ("a", "b", "level", "ahead_a", "ahead_b", "p")
    assert table.made_by == Provenance(seed=1)
    # 3 of 3: 2 · (1/2)³; 4 of 4: 2 · (1/2)⁴; 3 of 4 or more: 2 · 5/16.
    assert [tuple(row.values()) for row in table.rows()] == [
        ("x", "y", "all", 1, 1, 1.0),
        ("x", "y", "1", 3, 0, 0.25),
        ("x", "y", "2", 0, 0, 1.0),
        ("x", "z", "all", 0, 4, 0.125),
        ("x", "z", "1", 0, 0, 1.0),
        ("x", "z", "2", 1, 3, 0.625),
    ]


def test_the_sign_test_is_that_of_scipy() -> None:
    rng = np.random.default_rng(1)
    outcome = rng.choice([A, B, B, EQUAL, OPEN], size=(20, 1, 100)).astype(np.int8)
    table = dominance_test_table(["all"], outcome, [("x", str(i)) for i in range(20)])
    for row, (one,) in zip(table.rows(), outcome, strict=True):
        a, b = int((one == A).sum()), int((one == B).sum())
        assert (row["ahead_a"], row["ahead_b"]) == (a, b)
        assert row["p"] == pytest.approx(binomtest(b, a + b).pvalue, rel=1e-12)


def values(x: list[float], y: list[float], z: list[float], direction: Direction | None = None) -> Values:
    found = read_scores({"topic": ["1", "2", "3", "4"], "x": x, "y": y, "z": z})
    return replace(found, measures=(Given("M", direction=direction),))


CHOSEN = [(0, 1), (0, 2)]
SPLIT = np.array([[[OPEN, OPEN, OPEN, A]], [[OPEN, EQUAL, OPEN, OPEN]]], np.int8)
# Against y: better, worse, equal as numbers, and a topic that is not open; against z: better in three.
X = [0.5, 0.5, 1 / 2 - 1 / 3, 0.0]
Y = [0.6, 0.4, 1 / 6, 1.0]
Z = [0.6, 0.0, 0.6, 0.6]


@pytest.mark.parametrize(
    ("direction", "against_y", "against_z"),
    [
        (Direction.HIGHER, (3, 1, 1, 1), (3, 0, 3, 0)),
        (Direction.LOWER, (3, 1, 1, 1), (3, 3, 0, 0)),
        (None, (3, 1, 1, 1), (3, 0, 3, 0)),
    ],
)
def test_measures_split_what_cannot_be_compared(
    direction: Direction | None, against_y: tuple[int, ...], against_z: tuple[int, ...]
) -> None:
    assert X[2] != Y[2]
    table = splits_table(["all"], SPLIT, NAMES, values(X, Y, Z, direction), CHOSEN, Provenance(seed=1))
    assert table.columns == ("a", "b", "measure", "incomparable", "better_a", "better_b", "equal")
    assert table.made_by == Provenance(seed=1)
    assert table.notes == ()
    rows = [tuple(row.values()) for row in table.rows()]
    assert rows == [("x", "y", "M", *against_y), ("x", "z", "M", *against_z)]


def test_a_lower_value_may_be_better() -> None:
    outcome = np.array([[[OPEN, OPEN, OPEN, EQUAL]]], np.int8)
    of = values([1, 1, 2, 0], [2, 3, 1, 0], [0, 0, 0, 0], Direction.LOWER)
    (row,) = splits_table(["all"], outcome, NAMES[:1], of, CHOSEN[:1]).rows()
    assert (row["better_a"], row["better_b"], row["equal"]) == (2, 1, 0)


def test_every_measure_has_its_rows_and_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    one = values(X, Y, Z)
    two = replace(one, measures=(Given("up"), Given("down")), cube=np.concatenate([one.cube, -one.cube], axis=2))
    table = splits_table(["all"], SPLIT, NAMES, two, CHOSEN)
    assert table["measure"] == ("up", "up", "down", "down")
    assert table["b"] == ("y", "z", "y", "z")
    assert table["better_a"] == (1, 0, 1, 3)
    assert table["better_b"] == (1, 3, 1, 0)
    whole = Pairs.blocks
    monkeypatch.setattr(Pairs, "blocks", lambda self: whole(self, cells=1))
    assert splits_table(["all"], SPLIT, NAMES, two, CHOSEN) == table


def test_a_topic_without_a_value_is_in_no_column() -> None:
    gaps = values(X, Y, Z)
    gaps = replace(gaps, counted=np.array([[True] * 4, [False, True, True, True], [True] * 4]))
    table = splits_table(["all"], SPLIT, NAMES, gaps, CHOSEN)
    assert [(row["incomparable"], row["better_a"], row["better_b"], row["equal"]) for row in table.rows()] == [
        (3, 1, 0, 1),
        (3, 0, 3, 0),
    ]
    assert table.notes == ("M: topics without a value for one of the runs are in no column",)


def test_places_decide_where_floats_cannot() -> None:
    same = values([0.5] * 4, [0.5] * 4, [0.5] * 4)
    order = np.array([[1.0, 2.0, 1.0, 1.0], [2.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]])[:, :, None]
    (row,) = splits_table(["all"], SPLIT[:1], NAMES[:1], replace(same, order=order), CHOSEN[:1]).rows()
    assert (row["better_a"], row["better_b"], row["equal"]) == (1, 1, 1)


def test_shapes_that_do_not_fit_are_refused() -> None:
    message = "outcomes of 2 pairs at 3 levels, names of 1 pairs and 3 levels"
    with pytest.raises(ParameterError, match=message):
        dominance_table(LEVELS, OUTCOME, NAMES[:1])
    with pytest.raises(ParameterError, match="names of 2 pairs and 1 levels"):
        dominance_test_table(["all"], OUTCOME, NAMES)
    with pytest.raises(ParameterError, match="names of 2 pairs and 1 levels"):
        splits_table(["all"], OUTCOME, NAMES, values(X, Y, Z), CHOSEN)
    with pytest.raises(ParameterError, match="outcomes of 3 topics, values of 4"):
        splits_table(LEVELS, OUTCOME[:, :, :3], NAMES, values(X, Y, Z), CHOSEN)
