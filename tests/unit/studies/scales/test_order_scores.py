"""Three ways from an order to numbers; that of Abelson and Tukey is the best in the worst case."""

from math import sqrt
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from cranfield.core import Provenance
from cranfield.measures import maximin
from cranfield.studies.scales.order_scores import scores_table
from cranfield.studies.scales.ranking_spacings import spacings

Scores = NDArray[np.float64]


def of(n: int) -> Scores:
    return maximin(np.ones(n, np.int64))


def steps(n: int) -> Scores:
    """(step, value): the sequences that rise once. Every one that never falls is a sum of them, each times ≥ 0."""
    return np.array([[float(i >= j) for i in range(n)] for j in range(1, n)])


def worst(scores: Scores) -> float:
    """The least correlation with a sequence that never falls: that of a sum is never below the least of its parts."""
    return float(min(np.corrcoef(scores, step)[0, 1] for step in steps(len(scores))))


def test_the_scores_of_three_four_and_five() -> None:
    # sqrt((i − 1)(1 − (i − 1)/n)) − sqrt(i (1 − i/n)), for i = 1 … n.
    third, quarter, fifth, two = sqrt(1 * 2 / 3), sqrt(1 * 3 / 4), sqrt(1 * 4 / 5), sqrt(2 * 3 / 5)
    assert of(3) == pytest.approx([-third, 0, third])
    assert of(4) == pytest.approx([-quarter, quarter - 1, 1 - quarter, quarter])  # sqrt(2 · 2/4) = 1
    assert of(5) == pytest.approx([-fifth, fifth - two, 0, two - fifth, fifth])


@pytest.mark.parametrize(
    ("n", "share"),
    # 1 / Σ x²: 2/3 twice; 3/4 and (1 − √(3/4))² twice; 4/5 and (√(6/5) − √(4/5))² twice.
    [
        (2, 1),
        (3, 3 / 4),
        (4, 1 / (2 * 3 / 4 + 2 * (1 - sqrt(3 / 4)) ** 2)),
        (5, 1 / (2 * 4 / 5 + 2 * (sqrt(6 / 5) - sqrt(4 / 5)) ** 2)),
    ],
)
def test_the_least_share_of_variance(n: int, share: float) -> None:
    assert worst(of(n)) ** 2 == pytest.approx(share)
    assert share == pytest.approx({2: 1, 3: 0.750, 4: 0.651, 5: 0.595}[n], abs=5e-4)


@pytest.mark.parametrize("n", [2, 3, 4, 7, 20, 300])
def test_no_step_is_less_favourable_than_another(n: int) -> None:
    # Σ_{i>j} x_i = sqrt(j (n − j)/n), which is the norm of step j less its mean: all correlations are 1/|x|.
    found = [np.corrcoef(of(n), step)[0, 1] for step in steps(n)]
    assert found == pytest.approx([1 / np.linalg.norm(of(n))] * (n - 1))


@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_nothing_does_better_in_the_worst_case(n: int) -> None:
    best = worst(of(n))
    rng = np.random.default_rng(n)
    for spread in (1.0, 0.1, 0.01):
        for noise in rng.normal(size=(200, n)) * spread:
            assert worst(of(n) + noise) <= best + 1e-12
    # Maximise r over scores x of norm 1 and mean 0, whose correlation with every step is r or more.
    centred = steps(n) - steps(n).mean(axis=1, keepdims=True)
    centred /= np.linalg.norm(centred, axis=1, keepdims=True)
    start = np.append(np.linspace(-1, 1, n) / np.linalg.norm(np.linspace(-1, 1, n)), 0)
    solve: Any = minimize  # its types know no list of limits of a kind each
    limits = [
        {"type": "ineq", "fun": lambda x: centred @ x[:-1] - x[-1]},
        {"type": "eq", "fun": lambda x: x[:-1].sum()},
        {"type": "ineq", "fun": lambda x: 1 - (x[:-1] ** 2).sum()},
    ]
    found = solve(lambda x: -x[-1], start, method="SLSQP", constraints=limits)
    assert -found.fun == pytest.approx(best, abs=1e-6)
    assert found.x[:-1] == pytest.approx(of(n) / np.linalg.norm(of(n)), abs=1e-3)


@pytest.mark.parametrize("n", [1, 2, 5, 8, 101])
def test_the_scores_rise_and_mirror_each_other(n: int) -> None:
    assert of(n) == pytest.approx(-of(n)[::-1])
    assert (np.diff(of(n)) > 0).all()


def test_the_table() -> None:
    ((measure, found),) = spacings("RR", length=3).items()
    table = scores_table(measure, found, made_by=Provenance(seed=2))
    assert table.columns == ("measure", "value", "runs", "even", "rankings", "maximin")
    assert table.made_by == Provenance(seed=2)
    assert table.cells("measure") == ["RR@3"] * 4
    assert table.cells("value") == pytest.approx([1, 1 / 2, 1 / 3, 0])
    assert table.cells("runs") == [4, 2, 1, 1]
    assert table.cells("even") == pytest.approx([1, 2 / 3, 1 / 3, 0])
    # Mean places of rankings 1; 2; 3, 4; 5 to 8: 1, 2, 3.5, 6.5.
    assert table.cells("rankings") == pytest.approx([1, 2.5 / 5.5, 1 / 5.5, 0])
    low, width = -sqrt(3 / 4), 2 * sqrt(3 / 4)
    inner = 1 - sqrt(3 / 4)
    assert table.cells("maximin") == pytest.approx([1, (inner - low) / width, (-inner - low) / width, 0])


def test_the_best_is_1_where_lower_is_better() -> None:
    ((measure, found),) = spacings("ESL", length=3).items()
    table = scores_table(measure, found)
    assert table.cells("value") == [3, 2, 1]
    assert table.cells("even") == [0, 0.5, 1]
    # Places from the worst: rank 3 once, 2 twice, 1 four times: 1, 2.5, 5.5.
    assert table.cells("rankings") == pytest.approx([0, 1.5 / 4.5, 1])
    assert table.cells("maximin") == pytest.approx([0, 0.5, 1])


@pytest.mark.parametrize(("name", "values"), [("Success", [0]), ("ESL", [])])
def test_one_value_and_none(name: str, values: list[float]) -> None:
    ((measure, found),) = spacings(name, length=2, relevant=[0]).items()
    table = scores_table(measure, found)
    assert [table.cells(way) for way in ("value", "even", "rankings", "maximin")] == [values] * 4
