"""Orders by measures, without a topic, by some topics: plain loops with scipy, and splits one by one."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from math import comb, sqrt
from typing import Any

import numpy as np
import pytest
from scipy import stats

from cranfield.core import Direction, ParameterError, Provenance, Table
from cranfield.data import Values, read_scores
from cranfield.data.values.value_cube import Given
from cranfield.stats import left_out_table, orders_table, rbo, sizes_table, tau_ap, topics_until

NAMES = "abcdefghijklmnop"


def made(*matrices: Any, directions: Sequence[Direction | None] = (None,)) -> Values:
    """Values of measures M1, M2, …, from matrices (topic, run)."""
    cube = np.stack([np.asarray(matrix, dtype=float) for matrix in matrices])
    found = read_scores({NAMES[run]: np.nan_to_num(cube[0, :, run]).tolist() for run in range(cube.shape[2])})
    measures = tuple(Given(f"M{i}", direction=way) for i, way in enumerate(directions, 1))
    none = np.zeros((len(measures), cube.shape[1]), dtype=bool)
    return replace(found, measures=measures, cube=cube.transpose(2, 1, 0), without_relevant=none)


def simulated(topics: int = 15, runs: int = 6, seed: int = 2) -> Any:
    rng = np.random.default_rng(seed)
    return np.linspace(0, 0.8, runs) + rng.normal(size=(topics, runs))


def test_orders_by_each_measure_in_its_own_direction() -> None:
    first, second, third = simulated(), simulated(seed=3), -simulated(seed=3)
    ways = (Direction.HIGHER, None, Direction.LOWER)
    found = orders_table(made(first, second, third, directions=ways), p=0.8, made_by=Provenance(seed=3))
    assert list(found.columns) == ["measure_a", "measure_b", "tau", "tau_ap", "rbo"]
    assert [(row["measure_a"], row["measure_b"]) for row in found.rows()] == [("M1", "M2"), ("M1", "M3"), ("M2", "M3")]
    means = [first.mean(axis=0), second.mean(axis=0)]
    tau = stats.kendalltau(*means).statistic
    assert -1 < tau < 1
    assert found.cells("tau") == pytest.approx([tau, tau, 1])
    ap = (float(tau_ap(*means)) + float(tau_ap(*means[::-1]))) / 2
    assert found.cells("tau_ap") == pytest.approx([ap, ap, 1])
    overlap = float(rbo(*means, p=0.8))
    assert found.cells("rbo") == pytest.approx([overlap, overlap, 1])
    assert found.made_by == Provenance(seed=3)
    assert "6 runs" in found.caption
    assert "p = 0.8" in found.caption


def test_a_measure_alone_has_nobody_to_agree_with() -> None:
    values = made(simulated())
    found = orders_table(values)
    assert len(found) == 0
    assert list(found.columns) == ["measure_a", "measure_b", "tau", "tau_ap", "rbo"]
    assert found.made_by is values.made_by


def test_each_measure_has_its_own_topics() -> None:
    first, second = simulated(), simulated(seed=3)
    holed = second.copy()
    holed[4, 2] = np.nan
    found = orders_table(made(first, holed, directions=(None, None)))
    kept = np.delete(second, 4, axis=0).mean(axis=0)
    assert found.cells("tau") == pytest.approx([stats.kendalltau(first.mean(axis=0), kept).statistic])


@pytest.mark.parametrize("direction", [Direction.HIGHER, Direction.LOWER])
def test_leaving_out_each_topic(direction: Direction) -> None:
    matrix = simulated()
    side = -1 if direction is Direction.LOWER else 1
    values = made(matrix, directions=(direction,))
    found = left_out_table(values, "M1", made_by=Provenance(seed=1))
    assert list(found.columns) == ["topic", "tau", "first", "first_changes", "largest_move"]
    every = stats.rankdata(-side * matrix.mean(axis=0))
    expected = {}
    for i, topic in enumerate(values.topics):
        ranks = stats.rankdata(-side * np.delete(matrix, i, axis=0).mean(axis=0))
        expected[topic] = {
            "tau": pytest.approx(stats.kendalltau(every, ranks).statistic),
            "first": NAMES[int(ranks.argmin())],
            "first_changes": bool(ranks.argmin() != every.argmin()),
            "largest_move": int(np.abs(ranks - every).max()),
        }
    rows = {str(row.pop("topic")): row for row in found.rows()}
    assert rows == expected
    tau: Any = found.cells("tau")
    assert tau == sorted(tau)
    assert tau[0] < 1
    changed = sum(bool(row["first_changes"]) for row in rows.values())
    assert found.caption == f"the order without one topic: {changed} of 15 change who is first"
    assert found.made_by == Provenance(seed=1)


def test_a_topic_that_decides_who_is_first() -> None:
    # b leads by topic 2 alone; without topic 3 both are equal: as decimals, not as floats.
    values = made([[0.1, 0.0], [0.0, 0.5], [0.3, 0.0], [0.4, 0.4]])
    found = {row["topic"]: row for row in left_out_table(values).rows()}
    first = {topic: (row["first"], row["first_changes"], row["largest_move"]) for topic, row in found.items()}
    assert list(first.values()) == [("a", True, 1), ("b", False, 0), ("b", False, 0), ("b", False, 0)]
    assert list(first) == [values.topics[1], *(values.topics[i] for i in (0, 2, 3))]
    assert [row["tau"] for row in found.values()] == [-1, 1, 1, 1]
    tied = made([[0.1, 0.0], [0.2, 0.0], [0.0, 0.3], [0.5, 0.6]])
    rows = {row["topic"]: row for row in left_out_table(tied).rows()}
    assert tied.matrix().sum(axis=0).tolist() == pytest.approx([0.8, 0.9])
    last = rows[tied.topics[3]]
    assert (last["first"], last["first_changes"], last["largest_move"]) == ("a, b", True, 1)
    assert last["tau"] is None  # there is no order without it


def test_one_run_has_no_order_to_lose() -> None:
    values = made(simulated(8, 1))
    left = left_out_table(values)
    assert set(left.cells("tau")) == {None}
    assert set(left.cells("first_changes")) == {False}
    sizes = sizes_table(values, draws=20)
    assert set(sizes.cells("tau")) == {None}
    assert set(sizes.cells("first_stays")) == {1}
    assert topics_until(sizes) is None


def test_topics_without_a_value_are_left_out() -> None:
    matrix = simulated()
    holed = made(np.insert(matrix, 3, [np.nan, 9, 9, 9, 9, 9], axis=0))
    found, whole = left_out_table(holed), left_out_table(made(matrix))
    assert holed.topics[3] not in found.cells("topic")
    assert found.cells("tau") == whole.cells("tau")
    assert sizes_table(holed, draws=50).rows() == sizes_table(made(matrix), draws=50).rows()


def every_split(matrix: Any, size: int) -> tuple[list[float], list[float]]:
    """τ and whether the first stays, over all sets of so many topics and the others."""
    taus, stays = [], []
    for chosen in combinations(range(len(matrix)), size):
        one = matrix[list(chosen)].mean(axis=0)
        other = np.delete(matrix, chosen, axis=0).mean(axis=0)
        taus.append(float(stats.kendalltau(one, other).statistic))
        stays.append(float(one.argmax() == other.argmax()))
    return taus, stays


def test_orders_by_some_topics_agree_with_the_others_as_over_all_splits() -> None:
    matrix, draws = simulated(9, 5), 4000
    found = sizes_table(made(matrix), "M1", draws=draws, level=0.2, made_by=Provenance(seed=1))
    assert list(found.columns) == ["topics", "tau", "low", "high", "first_stays"]
    assert found.cells("topics") == [1, 2, 3, 4]
    for row in found.rows():
        taus, stays = every_split(matrix, int(str(row["topics"])))
        assert len(taus) == comb(9, int(str(row["topics"])))
        assert row["tau"] == pytest.approx(np.mean(taus), abs=5 * float(np.std(taus)) / sqrt(draws))
        assert row["first_stays"] == pytest.approx(np.mean(stays), abs=5 * float(np.std(stays)) / sqrt(draws) + 1e-9)
        # A quantile of the draws lies between quantiles of all splits that are 5 standard errors apart.
        width = 5 * sqrt(0.1 * 0.9 / draws)
        for name, tail in (("low", 0.1), ("high", 0.9)):
            least, most = np.quantile(taus, [tail - width, tail + width], method="inverted_cdf").tolist()
            assert least - 1e-9 <= float(str(row[name])) <= most + 1e-9
    assert "the others of 9, 4,000 draws" in found.caption
    assert found.made_by == Provenance(seed=1)


def test_two_topics_are_split_in_one_way() -> None:
    matrix = np.array([[3.0, 2.0, 1.0], [3.0, 1.0, 2.0]])
    found = sizes_table(made(matrix), draws=30)
    third = pytest.approx(1 / 3)  # one of three pairs is turned round
    assert found.rows() == [{"topics": 1, "tau": third, "low": third, "high": third, "first_stays": 1.0}]
    down = sizes_table(made(-matrix, directions=(Direction.LOWER,)), draws=30)
    assert down.rows() == found.rows()


def test_sets_that_say_nothing_agree_with_nothing() -> None:
    # Topic 2 has no difference: τ is 0, and the first of two equal runs is right half the time.
    found = sizes_table(made([[1.0, 0.0], [0.5, 0.5]]), draws=10)
    assert found.rows() == [{"topics": 1, "tau": 0.0, "low": 0.0, "high": 0.0, "first_stays": 0.5}]
    # Three runs, two first here and two there, one of them in both: 1 of 2 · 2.
    shared = sizes_table(made([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]]), draws=10)
    assert shared.cells("first_stays") == [0.25]


def test_sizes_go_up_to_half_and_more_topics_agree_more() -> None:
    values = made(simulated(61, 8))
    seen: list[tuple[int, int]] = []
    found = sizes_table(values, draws=300, progress=lambda done, of: seen.append((done, of)))
    assert found.cells("topics") == [3, 6, 9, 12, 15, 18, 21, 24, 27, 30]
    assert seen[-1] == (20, 20)  # ten sizes, two blocks of up to 256 draws
    tau: Any = found.cells("tau")
    assert tau[-1] > tau[0] + 0.1
    for row in found.rows():
        assert row["low"] <= row["tau"] <= row["high"]  # type: ignore[operator]  # numbers
    assert sizes_table(values, draws=300, threads=1).rows() == sizes_table(values, draws=300, threads=2).rows()
    assert sizes_table(values, draws=300, seed=5).rows() != found.rows()


def test_how_many_topics_until_the_order_is_stable() -> None:
    table = Table({"topics": [2, 4, 6, 8], "tau": np.array([0.5, 0.9, 0.89, 0.95])})
    assert topics_until(table) == 4
    assert topics_until(table, 0.5) == 2
    assert topics_until(table, 0.94) == 8
    assert topics_until(table, 0.96) is None
    clear = sizes_table(made(np.arange(5.0) + np.zeros((12, 1))), draws=20)
    assert topics_until(clear) == 1


def test_equal_sums_are_equal_however_they_are_added() -> None:
    column = np.random.default_rng(0).random(40)
    values = made(np.stack([column, np.roll(column, 9)], axis=1))  # the same numbers in another order
    a, b = values.matrix().sum(axis=0)
    assert a != b  # as floats
    assert {row["first_changes"] for row in left_out_table(values).rows()} == {True}  # both are first by all topics


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: left_out_table(made(simulated(1, 3))), "no topic can be left out of one"),
        (lambda: sizes_table(made(simulated(1, 3))), "one topic cannot be split"),
        (lambda: sizes_table(made(simulated()), draws=0), "0 draws are too few"),
        (lambda: sizes_table(made(simulated()), level=1), "level"),
        (lambda: left_out_table(made(simulated()), "AP"), "no values of AP"),
        (lambda: left_out_table(made(simulated(), simulated(), directions=(None, None))), "which measure"),
        (lambda: orders_table(made(simulated(), simulated(), directions=(None, None)), p=1), "cannot have p"),
    ],
)
def test_what_has_no_table_is_refused(call: Any, match: str) -> None:
    with pytest.raises(ParameterError, match=match):
        call()
