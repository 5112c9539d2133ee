"""Effect sizes against scipy, published numbers and brute force; words; identical runs, missing values, refusals."""

from math import inf, pi, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from cranfield.core import ParameterError, Scale, definition
from cranfield.stats.estimates.confidence_intervals import INTERVALS
from cranfield.stats.estimates.effect_sizes import (
    DZ,
    EFFECTS,
    Cliff,
    DAv,
    Effect,
    HedgesG,
    RankBiserial,
    WinShare,
    name_differences,
    name_effects,
    wins,
)
from cranfield.stats.estimates.value_transforms import TRANSFORMS
from cranfield.stats.pair_tests.base import Method, Pairs
from cranfield.stats.pair_tests.bayesian import BELIEFS

NAN = float("nan")
EXACT = 1e-12
BIB = Path(__file__).parents[4] / "docs" / "references.bib"
wilcoxon: Any = stats.wilcoxon  # its stubs miss a method
EVERY: list[Effect] = [DZ(), DAv(), HedgesG(), HedgesG(of="av"), Cliff(), RankBiserial(), WinShare()]


def matrix(topics: int = 17, runs: int = 5) -> NDArray[np.float64]:
    """Two decimals, so that there are ties; some values are missing, in other topics for each run."""
    drawn = np.random.default_rng(11)
    made = drawn.integers(0, 30, (topics, runs)) / 100 + 0.01 * np.arange(runs)
    made[drawn.random(made.shape) < 0.15] = NAN
    return made


def one(effect: Effect, a: list[float], b: list[float]) -> float:
    return float(effect.size(Pairs.every(np.array([a, b], dtype=float).T))[0])


def both(values: NDArray[np.float64], pairs: Pairs, i: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    a, b = values[:, pairs.a[i]], values[:, pairs.b[i]]
    there = ~np.isnan(a) & ~np.isnan(b)
    return a[there], b[there]


# lakens2013, Table 3: ten people rate two films. He gives d_z 1.50; d_av follows as 1.13.
FIRST = [9.0, 7.0, 8.0, 9.0, 8.0, 9.0, 9.0, 10.0, 9.0, 9.0]
SECOND = [9.0, 6.0, 7.0, 8.0, 7.0, 9.0, 8.0, 8.0, 8.0, 7.0]


def test_the_worked_example_of_lakens() -> None:
    assert one(DZ(), SECOND, FIRST) == pytest.approx(1.50, abs=0.005)
    assert one(DAv(), SECOND, FIRST) == pytest.approx(1.13, abs=0.005)


def test_d_is_the_mean_in_spreads_over_the_topics_of_both() -> None:
    values = matrix()
    pairs = Pairs.every(values)
    z, av = DZ().size(pairs), DAv().size(pairs)
    for i in range(len(pairs)):
        a, b = both(values, pairs, i)
        difference = b - a
        assert z[i] == pytest.approx(stats.ttest_rel(b, a).statistic / sqrt(len(a)), abs=EXACT)
        assert av[i] == pytest.approx(difference.mean() / ((a.std(ddof=1) + b.std(ddof=1)) / 2), abs=EXACT)


@pytest.mark.parametrize(
    ("topics", "factor"),
    # hedges1981: c(m) with Γ(1/2) = √π, Γ(3/2) = √π/2. m = 1: Γ(0) is infinite.
    [(2, 0.0), (3, 1 / sqrt(pi)), (4, sqrt(pi) / 2 / sqrt(1.5)), (5, 1 / (sqrt(2) * sqrt(pi) / 2))],
)
@pytest.mark.parametrize("of", ["z", "av"])
def test_hedges_makes_d_smaller(topics: int, factor: float, of: str) -> None:
    a, b = [0.1, 0.2, 0.4, 0.3, 0.5][:topics], [0.3, 0.3, 0.8, 0.4, 0.4][:topics]
    d = one(DZ() if of == "z" else DAv(), a, b)
    assert one(HedgesG(of=of), a, b) == pytest.approx(d * factor, abs=EXACT)  # type: ignore[arg-type]


def test_hedges_correction_is_near_to_its_approximation() -> None:
    drawn = np.random.default_rng(0).random((50, 2))
    g, d = (float(effect.size(Pairs.every(drawn))[0]) for effect in (HedgesG(), DZ()))
    assert g / d == pytest.approx(1 - 3 / (4 * 49 - 1), abs=1e-4)  # hedges1981: 1 − 3/(4m − 1)


def test_cliff_counts_all_pairs_of_topics() -> None:
    values = matrix()
    pairs = Pairs.every(values)
    delta = Cliff().size(pairs)
    for i in range(len(pairs)):
        a, b = both(values, pairs, i)
        sign = np.sign(b[:, None] - a)
        assert delta[i] == pytest.approx(sign.mean(), abs=EXACT)
        u = stats.mannwhitneyu(b, a).statistic
        assert delta[i] == pytest.approx(2 * u / len(a) ** 2 - 1, abs=EXACT)


def test_rank_biserial_is_the_balance_of_the_signed_ranks() -> None:
    values = matrix()
    pairs = Pairs.every(values)
    found = RankBiserial().size(pairs)
    for i in range(len(pairs)):
        a, b = both(values, pairs, i)
        difference = np.round(b - a, 9)
        up, down = (
            wilcoxon(side * difference, alternative="greater", method="asymptotic").statistic for side in (1, -1)
        )
        assert found[i] == pytest.approx((up - down) / (up + down), abs=EXACT)


def test_wins_ties_and_losses() -> None:
    # 1/2 − 1/3 and 1/3 − 1/6 are the same number, and .1 + .2 is .3.
    values = np.array([[0.3, 0.1 + 0.2], [0.5, 0.7], [0.5, 0.4], [0.2, 0.3], [NAN, 1.0]])
    count = wins(Pairs.every(values))
    assert [side.tolist() for side in count] == [[2], [1], [1]]
    assert one(WinShare(), values[:, 0].tolist(), values[:, 1].tolist()) == pytest.approx(2 / 3)


def test_wins_start_from_the_order_where_floats_cannot_tell() -> None:
    values = np.array([[0.5, 0.5], [0.5, 0.5]])
    pairs = Pairs.every(values, order=np.array([[1.0, 2.0], [1.0, 1.0]]))
    assert [side.tolist() for side in wins(pairs)] == [[1], [1], [0]]


def test_many_pairs_are_done_in_blocks() -> None:
    values = matrix(topics=40, runs=9)
    whole = Pairs.every(values)
    parts = list(whole.blocks(cells=400))
    assert len(parts) > 1
    for effect in EVERY:
        glued = np.concatenate([effect.size(part) for part in parts])
        assert glued == pytest.approx(effect.size(whole), abs=EXACT)


@pytest.mark.parametrize("effect", EVERY, ids=str)
@pytest.mark.parametrize("row", [[0.4], [0.4, 0.4], [0.1, 0.2, 0.7]])
def test_identical_runs_have_no_effect(effect: Effect, row: list[float]) -> None:
    assert one(effect, row, row) == (0.5 if effect.name == "share" else 0)


@pytest.mark.parametrize("effect", EVERY, ids=str)
def test_without_a_common_topic_there_is_no_effect_to_tell(effect: Effect) -> None:
    assert np.isnan(one(effect, [0.1, NAN], [NAN, 0.3]))


def test_one_topic_has_no_spread() -> None:
    assert np.isnan(one(DZ(), [0.1], [0.3]))
    assert np.isnan(one(HedgesG(), [0.1], [0.3]))
    assert one(Cliff(), [0.1], [0.3]) == 1
    assert one(RankBiserial(), [0.3], [0.1]) == -1


def test_a_difference_that_never_varies_is_infinitely_many_spreads() -> None:
    a = [0.1, 0.2, 0.3, 0.6, 0.7]
    b = [value + 0.1 for value in a]  # floats differ in the last digit, numbers do not
    assert one(DZ(), a, b) == inf
    assert one(DZ(), b, a) == -inf
    assert one(DAv(), [0.5, 0.5], [0.6, 0.6]) == inf


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=2, max_size=12))
def test_the_other_way_round_is_the_opposite(rows: list[tuple[int, int]]) -> None:
    a, b = ([row[side] / 20 for row in rows] for side in (0, 1))
    for effect in EVERY:
        there, back = one(effect, a, b), one(effect, b, a)
        middle = 0.5 if effect.name == "share" else 0.0
        if abs(there) == inf:
            assert back == -there
        else:
            assert there - middle == pytest.approx(middle - back, abs=1e-9)


def test_words_for_d() -> None:
    said = name_effects([0.0, 0.19, 0.2, -0.49, 0.5, 0.79, -0.8, inf])
    assert said == ("negligible", "negligible", "small", "small", "medium", "medium", "large", "large")


def test_words_for_differences() -> None:
    # ferro2024 §4: below 5 % aside, from 5 % to 10 % noticeable, above material. .25 − .2 is 5 points, though
    # floats say less; .3 − .2 is 10 points, though floats say more.
    a, b = [0.2, 0.2, 0.2, 0.2, 0.3], [0.24, 0.25, 0.3, 0.31, 0.1]
    points = ("negligible", "noticeable", "noticeable", "material", "material")
    assert name_differences(a, b, basis="absolute") == points
    # Relative to the first mean: .208 is 4 % above .2, .21 is 5 %, .22 is 10 %, .221 is 10.5 %.
    a, b = [0.2, 0.2, 0.2, 0.2, 0.0, 0.0], [0.208, 0.21, 0.22, 0.221, 0.0, 0.01]
    shares = ("negligible", "noticeable", "noticeable", "material", "negligible", "material")
    assert name_differences(a, b, basis="relative") == shares


def test_words_need_a_basis() -> None:
    with pytest.raises(ParameterError, match="basis='percent'"):
        name_differences([0.1], [0.2], basis="percent")  # type: ignore[arg-type]


def test_a_denominator_must_be_a_known_one() -> None:
    with pytest.raises(ParameterError, match="hedges-g cannot have of='pooled'"):
        HedgesG(of="pooled")  # type: ignore[arg-type]


def test_scales_are_those_of_the_papers() -> None:
    # METHODS: Cliff's δ and the sign test need ordinal, signed-rank and d_z interval numbers.
    ordinal = {effect.name for effect in EFFECTS if effect.requires is Scale.ORDINAL}
    assert ordinal == {"cliff", "share"}
    assert all(effect.requires is Scale.INTERVAL for effect in EFFECTS if effect.name not in ordinal)


@pytest.mark.parametrize("cls", [*EFFECTS, *INTERVALS, *BELIEFS, *TRANSFORMS], ids=lambda cls: cls.name)
def test_every_declaration_says_what_it_is_and_where_it_comes_from(cls: type[Method]) -> None:
    assert ": " in definition(cls)
    assert cls.assumes
    assert cls.use
    assert cls.formula
    known = BIB.read_text(encoding="utf-8")
    for key in cls.cite.split(","):
        assert f"{{{key}," in known
    assert str(cls()).startswith(cls.name)
