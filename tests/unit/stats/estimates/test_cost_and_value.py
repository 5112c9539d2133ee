"""Cost beside value: the Pareto front, by hand and by looking at every pair."""

from time import process_time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.core import ParameterError, Provenance
from cranfield.data import read_entries
from cranfield.stats import cost_table
from cranfield.stats.estimates.cost_and_value import pareto

NAN = float("nan")
FEW = st.integers(0, 5).map(lambda number: number / 10)  # so that many are equal


@given(st.lists(st.tuples(FEW, FEW), max_size=30))
def test_on_the_front_nobody_is_better_for_less(runs: list[tuple[float, float]]) -> None:
    cost, good = np.array([run[0] for run in runs]), np.array([run[1] for run in runs])
    expected = [not any(c <= own[0] and g >= own[1] and (c < own[0] or g > own[1]) for c, g in runs) for own in runs]
    assert pareto(cost, good).tolist() == expected


def test_numbers_that_are_equal_as_numbers_are_equal() -> None:
    third = 0.1 + 0.2  # a little more than .3
    assert pareto(np.array([1.0, 2.0]), np.array([0.3, third])).tolist() == [True, False]
    assert pareto(np.array([1.0, 1.0]), np.array([0.3, third])).tolist() == [True, True]


def test_many_runs_take_no_time() -> None:
    rng = np.random.default_rng(0)
    start = process_time()
    assert 1 <= pareto(rng.random(300_000), rng.random(300_000)).sum() < 100
    assert process_time() - start < 20  # every pair would be 9 · 10¹⁰


ENTRIES = read_entries(
    {
        "run": ["bm25", "ance", "t5", "slow", "free"],
        "team": ["A", "B", "B", None, "C"],
        "latency_ms": [10, 100, 900, 950, None],
        "size": [0, 110, 3000, 10, 5],
    }
)
MEANS = {"t5": 0.5, "ance": 0.4, "bm25": 0.2, "slow": 0.5, "free": 0.9, "unknown": 0.1}


def test_a_table_of_each_cost() -> None:
    table = cost_table(MEANS, ENTRIES, costs=["latency_ms", "size", "size"], made_by=Provenance(command="me"))
    assert table.columns == ("run", "group", "mean", "cost", "value", "front")
    assert [tuple(row.values()) for row in table.rows()] == [
        ("bm25", "A", 0.2, "latency_ms", 10.0, True),
        ("ance", "B", 0.4, "latency_ms", 100.0, True),
        ("t5", "B", 0.5, "latency_ms", 900.0, True),
        ("slow", None, 0.5, "latency_ms", 950.0, False),  # as good as t5, and dearer
        ("bm25", "A", 0.2, "size", 0.0, True),
        ("free", "C", 0.9, "size", 5.0, True),  # better than all that is larger
        ("slow", None, 0.5, "size", 10.0, False),
        ("ance", "B", 0.4, "size", 110.0, False),
        ("t5", "B", 0.5, "size", 3000.0, False),
    ]
    assert table.notes == (
        "2 of 6 runs have no latency_ms or no mean: left out",
        "1 of 6 runs have no size or no mean: left out",
    )
    assert table.made_by == Provenance(command="me")


def test_less_may_be_better() -> None:
    means = {"bm25": 9.0, "ance": 4.0, "t5": 5.0, "slow": NAN}
    table = cost_table(means, ENTRIES, costs=["latency_ms"], lower_is_better=True)
    assert dict(zip(table.cells("run"), table.cells("front"), strict=True)) == {"bm25": True, "ance": True, "t5": False}
    assert table.notes == ("1 of 4 runs have no latency_ms or no mean: left out",)


def test_costs_that_nobody_has_are_refused() -> None:
    with pytest.raises(ParameterError, match="no run has a cost named 'price'") as caught:
        cost_table(MEANS, ENTRIES, costs=["price"])
    assert caught.value.hint == "there are: latency_ms, size"
    with pytest.raises(ParameterError) as caught:
        cost_table(MEANS, read_entries({"run": ["a"]}), costs=["price"])
    assert caught.value.hint == "there are: none"
    assert len(cost_table({"unknown": 1.0}, ENTRIES, costs=["size"])) == 0
    assert cost_table({"bm25": 1.0}, ENTRIES, costs=["size"]).notes == ()
    assert len(cost_table(MEANS, ENTRIES, costs=[])) == 0
