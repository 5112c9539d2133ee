"""Harm within a margin: Tango's score and one-sided t, by hand, by search and by scipy."""

from dataclasses import replace
from math import log, sqrt
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import optimize, stats

from cranfield.core import Direction, ParameterError, Provenance
from cranfield.data import Values
from cranfield.data.values.value_cube import Given
from cranfield.stats import Asked, Pairs
from cranfield.stats.multiple.corrections import Uncorrected
from cranfield.studies.comparison.margin_tests import harm_table
from cranfield.studies.comparison.outcome_tables import answered_table

NAN = float("nan")
RUNS = ["R1", "R2", "R3"]
MADE_BY = Provenance(command="compare")
CHOSEN = [(0, 1), (0, 2), (2, 1)]
TOPICS = 60

Matrix = NDArray[np.float64]


def ranks(seed: int = 4) -> Matrix:
    drawn = np.random.default_rng(seed)
    made = drawn.geometric([0.2, 0.3, 0.25], (TOPICS, 3)).astype(float)
    made[drawn.random(made.shape) < [0.1, 0.3, 0.2]] = NAN
    return made


def measured(matrix: Matrix, direction: Direction | None = None) -> Values:
    topics, runs = matrix.shape
    return Values(
        tuple(RUNS[:runs]),
        tuple(map(str, range(topics))),
        (Given("cost", direction=direction),),
        matrix.T[:, :, None],
        counted=~np.isnan(matrix.T),
        missing=np.zeros((runs, topics), dtype=bool),
        without_relevant=np.zeros((1, topics), dtype=bool),
    )


def harm(
    margins: dict[str, float], first: Matrix | None = None, values: Values | None = None, level: float = 0.05
) -> list[dict[str, Any]]:
    """Those pairs that the matrix has runs for."""
    runs = values.cube.shape[0] if values else 0 if first is None else first.shape[1]
    chosen = [pair for pair in CHOSEN if max(pair) < runs]
    pairs = None if first is None else Pairs.given(first, chosen)
    table = harm_table(
        pairs, RUNS, margins=margins, values=values, chosen=chosen, asked=Asked(level=level), made_by=MADE_BY
    )
    assert table.made_by is MADE_BY
    assert table.columns == ("a", "b", "facet", "margin", "difference", "low", "p", "shown")
    return table.rows()


@pytest.mark.parametrize("level", [0.05, 0.1])
def test_topics_answered_against_a_margin_by_search(level: float) -> None:
    matrix, margin = ranks(), 0.1
    found = harm({"answered": margin}, matrix, level=level)
    for row, (a, b) in zip(found, CHOSEN, strict=True):
        only_a = int((~np.isnan(matrix[:, a]) & np.isnan(matrix[:, b])).sum())
        only_b = int((np.isnan(matrix[:, a]) & ~np.isnan(matrix[:, b])).sum())

        def unlikely(q: float, only_a: int = only_a, only_b: int = only_b) -> float:
            return -(only_b * log(q - margin) + only_a * log(q) + (TOPICS - only_a - only_b) * log(1 - 2 * q + margin))

        ends = margin + 1e-12, (1 + margin) / 2 - 1e-12
        q = float(optimize.minimize_scalar(unlikely, bounds=ends, method="bounded", options={"xatol": 1e-12}).x)
        z = ((only_b - only_a) / TOPICS + margin) / sqrt((2 * q - margin - margin**2) / TOPICS)
        assert (row["a"], row["b"], row["facet"], row["margin"]) == (RUNS[a], RUNS[b], "answered", margin)
        assert row["difference"] == pytest.approx((only_b - only_a) / TOPICS)
        assert row["p"] == pytest.approx(stats.norm.sf(z), abs=1e-5)
        assert row["shown"] is (row["p"] <= level)


def test_the_bound_of_topics_answered_is_where_the_test_turns() -> None:
    matrix = ranks()
    for place, row in enumerate(harm({"answered": 0.2}, matrix)):
        at_bound = harm({"answered": -row["low"]}, matrix)[place] if row["low"] < 0 else None
        assert at_bound is None or at_bound["p"] == pytest.approx(0.05, rel=1e-6)
    assert min(row["low"] for row in harm({"answered": 0.2}, matrix)) < 0  # one was looked at
    # It is the lower end of an interval with twice the level.
    two_sided = answered_table(
        Pairs.given(matrix, CHOSEN), RUNS, correction=Uncorrected(), asked=Asked(level=0.1)
    ).cells("low")
    assert [row["low"] for row in harm({"answered": 0.2}, matrix)] == two_sided


def test_runs_that_answer_the_same_topics() -> None:
    # tango1998 without a topic that parts the runs: z = √(n · margin / (1 − margin)).
    same = np.array([[1, 2], [2, 1], [NAN, NAN], [4, 4], *[[1, 1]] * 26])
    (row,) = harm({"answered": 0.1}, same)
    assert row["p"] == pytest.approx(stats.norm.sf(sqrt(30 * 0.1 / 0.9)))
    assert row["shown"]
    assert not harm({"answered": 0.05}, same)[0]["shown"]


@pytest.mark.parametrize("level", [0.05, 0.2])
@pytest.mark.parametrize("margin", [0.1, 1.5])
def test_ranks_against_a_margin_are_a_one_sided_t(margin: float, level: float) -> None:
    matrix = ranks()
    for row, (a, b) in zip(harm({"ranking": margin}, matrix, level=level), CHOSEN, strict=True):
        there = ~np.isnan(matrix[:, a]) & ~np.isnan(matrix[:, b])
        gain = matrix[there, a] - matrix[there, b]  # fewer ranks are better
        peer = stats.ttest_1samp(gain, -margin, alternative="greater")
        assert row["difference"] == pytest.approx(-gain.mean())
        assert row["p"] == pytest.approx(peer.pvalue)
        assert row["low"] == pytest.approx(peer.confidence_interval(1 - level).low)
        assert row["shown"] is bool(peer.pvalue <= level) is bool(row["low"] >= -margin)
    assert {row["shown"] for margin in (0.1, 1.5) for row in harm({"ranking": margin}, matrix)} == {True, False}


@pytest.mark.parametrize("direction", [Direction.HIGHER, Direction.LOWER, None])
def test_a_measure_against_a_margin_goes_by_its_direction(direction: Direction | None) -> None:
    drawn = np.random.default_rng(3)
    matrix, margin = drawn.random((25, 3)), 0.1
    matrix[4, 1] = NAN
    sign = -1 if direction is Direction.LOWER else 1
    for row, (a, b) in zip(harm({"cost": margin}, None, measured(matrix, direction)), CHOSEN, strict=True):
        gap = matrix[:, b] - matrix[:, a]
        gap = gap[~np.isnan(gap)]
        peer = stats.ttest_1samp(sign * gap, -margin, alternative="greater")
        assert row["facet"] == "cost"
        assert row["difference"] == pytest.approx(gap.mean())
        assert row["p"] == pytest.approx(peer.pvalue)
        assert row["low"] == pytest.approx(peer.confidence_interval(0.95).low)


def test_several_margins_stand_pair_by_pair() -> None:
    matrix = ranks()
    found = harm({"ranking": 1, "answered": 0.1, "cost": 2}, matrix, measured(matrix, Direction.LOWER))
    assert [row["facet"] for row in found] == ["ranking", "answered", "cost"] * 3
    assert [row["margin"] for row in found] == [1, 0.1, 2] * 3
    assert [(row["a"], row["b"]) for row in found[::3]] == [(RUNS[a], RUNS[b]) for a, b in CHOSEN]


def test_the_same_difference_in_every_topic_is_inside_or_it_is_not() -> None:
    later = np.array([[1, 1.5], [2, 2.5], [3, 3.5], [4, 4.5], [5, 5.5]])  # b half a rank later
    (inside,), (outside,), (just,) = (harm({"ranking": margin}, later) for margin in (0.6, 0.4, 0.5))
    # One of the 2⁵ ways to give signs to five equal gains over the margin is as good.
    assert (inside["p"], inside["shown"], inside["low"], inside["difference"]) == (1 / 32, True, -0.5, 0.5)
    (few,) = harm({"ranking": 0.6}, later[:3])
    assert (few["p"], few["shown"], few["low"], few["difference"]) == (1 / 8, False, None, 0.5)
    assert (outside["p"], outside["shown"]) == (1, False)
    assert (just["p"], just["shown"]) == (1, False)


def test_identical_runs_do_no_harm_from_two_topics_up() -> None:
    (row,) = harm({"ranking": 0.1}, np.array([[1, 1], [5, 5]]))
    assert (row["difference"], row["low"], row["p"], row["shown"]) == (0, 0, 0, True)


@pytest.mark.parametrize("matrix", [[[1, 2]], [[1, 1.5], [NAN, 1]], [[1, NAN], [NAN, 1]]])
def test_one_topic_or_none_shows_nothing(matrix: list[list[float]]) -> None:
    (row,) = harm({"ranking": 0.5}, np.array(matrix, dtype=float))
    assert (row["low"], row["p"], row["shown"]) == (None, None, False)


@pytest.mark.parametrize("margin", [0, -0.1, NAN, float("inf")])
@pytest.mark.parametrize("facet", ["answered", "ranking"])
def test_a_margin_is_above_zero(facet: str, margin: float) -> None:
    with pytest.raises(ParameterError, match=f"the margin of {facet} cannot be") as caught:
        harm({facet: margin}, ranks())
    assert "above 0" in caught.value.hint


def test_a_share_is_below_one() -> None:
    with pytest.raises(ParameterError, match="the margin of answered cannot be 1") as caught:
        harm({"answered": 1}, ranks())
    assert "a share" in caught.value.hint
    assert harm({"ranking": 1}, ranks())  # ranks may be more


def test_unknown_facets_are_refused_with_what_there_is() -> None:
    values = measured(ranks())
    with pytest.raises(ParameterError, match="nothing called 'AP'") as caught:
        harm({"AP": 0.1}, ranks(), values)
    assert caught.value.hint == "there are: answered, ranking, cost"
    with pytest.raises(ParameterError) as caught:
        harm({"AP": 0.1}, ranks())
    assert caught.value.hint == "there are: answered, ranking"
    with pytest.raises(ParameterError, match="nothing called 'answered'") as caught:
        harm({"answered": 0.1}, None, values)
    assert caught.value.hint == "there are: cost"
    with pytest.raises(ParameterError) as caught:
        harm_table(None, RUNS, margins={"answered": 0.1}, values=None, chosen=CHOSEN, asked=Asked())
    assert caught.value.hint == "there are: none"


def test_no_margin_is_refused() -> None:
    with pytest.raises(ParameterError, match="no margin is given"):
        harm({}, ranks())


@pytest.mark.parametrize("level", [0.0, 0.5, 1.0])
def test_a_one_sided_level_is_below_one_half(level: float) -> None:
    with pytest.raises(ParameterError, match="harm cannot be asked at level"):
        harm({"ranking": 1}, ranks(), level=level)


def test_the_table_says_what_low_is() -> None:
    pairs = Pairs.given(ranks(), CHOSEN)
    table = harm_table(pairs, RUNS, margins={"ranking": 1}, values=None, chosen=CHOSEN, asked=replace(Asked()))
    assert table.caption == "harm within a margin, at level 0.05"
    assert "confidence 0.95" in table.notes[0]
