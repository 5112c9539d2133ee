"""Analysis of variance with replicates against R, and the bootstrap of it against what can be enumerated."""

from itertools import product
from math import inf, sqrt

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from cranfield.core import ParameterError
from cranfield.stats.anova.bootstrap import bootstrap_anova
from cranfield.stats.anova.replicated_designs import Replicates, replicated_anova
from cranfield.stats.anova.variance_analysis import TwoWay
from cranfield.stats.pair_tests.base import Asked

Cube = NDArray[np.float64]

# (topic, replicate, run), turned to (replicate, topic, run)
CUBE = np.array(
    [
        [[0.31, 0.42, 0.28], [0.35, 0.40, 0.20]],
        [[0.10, 0.22, 0.05], [0.12, 0.30, 0.11]],
        [[0.66, 0.71, 0.60], [0.59, 0.80, 0.52]],
        [[0.44, 0.46, 0.30], [0.49, 0.41, 0.37]],
    ]
).transpose(1, 0, 2)


def drawn(times: int = 3, topics: int = 6, runs: int = 4, seed: int = 5) -> Cube:
    return np.random.default_rng(seed).random((times, topics, runs))


# z <- c(.31,.42,.28, .35,.40,.20, .10,.22,.05, .12,.30,.11, .66,.71,.60, .59,.80,.52, .44,.46,.30, .49,.41,.37)
# t <- factor(rep(1:4, each=6)); rep <- factor(rep(rep(1:2, each=3), 4)); r <- factor(rep(1:3, 8))
# for (f in list(z~t*r, z~t*r+rep, z~t*r+rep+t:rep+r:rep)) print(summary(aov(f)))
@pytest.mark.parametrize(
    ("replicates", "sources", "df", "ss", "f"),
    [
        (
            "repeated",
            "topic system topic×system error",
            [3, 2, 6, 12],
            [0.7668125, 0.1040250, 0.0200750, 0.0240500],
            [127.53638, 25.95218, 1.66944],
        ),
        (
            "factor",
            "topic system replicate topic×system error",
            [3, 2, 1, 6, 11],
            [0.7668125, 0.1040250, 0.0005041667, 0.0200750, 0.0235458333],
            [119.41161, 24.29889, 0.23553, 1.56309],
        ),
        (
            "interacting",
            "topic system replicate topic×system topic×replicate system×replicate error",
            [3, 2, 1, 6, 3, 2, 6],
            [0.7668125, 0.1040250, 0.0005041667, 0.0200750, 0.0057791667, 0.0010583333, 0.0167083333],
            [91.78803, 18.67781, 0.18105, 1.20150, 0.69177, 0.19002],
        ),
    ],
)
def test_replicates_as_in_r(
    replicates: Replicates, sources: str, df: list[int], ss: list[float], f: list[float]
) -> None:
    found = replicated_anova(CUBE, replicates=replicates)
    *rows, total = found.rows
    assert [row.source for row in rows] == sources.split()
    assert [row.df for row in rows] == df
    assert [row.ss for row in rows] == pytest.approx(ss, rel=1e-6)
    assert [row.statistic for row in rows[:-1]] == pytest.approx(f, rel=3e-5)
    assert (total.source, total.df) == ("total", 23)
    assert total.ss == pytest.approx(sum(ss))
    assert (found.topics, found.runs, found.replicates, found.per_run, found.df_error) == (4, 3, 2, 8, df[-1])
    assert found.means.tolist() == pytest.approx(CUBE.mean(axis=(0, 1)).tolist())


def test_p_of_replicates_as_in_r() -> None:
    found = replicated_anova(CUBE)
    assert [row.p for row in found.rows[:3]] == pytest.approx([2.2888e-09, 4.3843e-05, 0.21174], rel=3e-5)


def test_without_its_interaction_the_mean_over_replicates_is_the_two_way_analysis() -> None:
    cube = drawn()
    found, means = replicated_anova(cube), TwoWay().fit(cube.mean(axis=0))
    assert found["system"].ss == pytest.approx(3 * means["system"].ss)
    assert found["topic×system"].ss == pytest.approx(3 * means["error"].ss)


def test_identical_runs_and_replicates() -> None:
    same = np.broadcast_to(np.array([0.2, 1 / 3, 0.7])[None, :, None], (2, 3, 4))
    found = replicated_anova(same)
    assert [(row.statistic, row.p) for row in found.rows[:3]] == [(inf, 0), (0, 1), (0, 1)]


@pytest.mark.parametrize("shape", [(1, 4, 3), (2, 1, 3), (2, 4, 1), (4, 3)])
def test_too_few_values_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ParameterError, match="too few to analyse"):
        replicated_anova(np.zeros(shape))


def test_missing_values_are_named() -> None:
    cube = drawn()
    cube[2, 1, 3] = np.nan
    for analysis in (replicated_anova, bootstrap_anova):
        with pytest.raises(ParameterError, match=r"no value at replicate 2, topic 1, run 3 \(from 0\)"):
            analysis(cube)


def test_only_three_kinds_of_replicates() -> None:
    with pytest.raises(ParameterError, match="replicates cannot be 'shards'") as caught:
        replicated_anova(CUBE, replicates="shards")  # type: ignore[arg-type]
    assert caught.value.hint == "there are: repeated, factor, interacting"


def test_the_bootstrap_draws_what_enumeration_finds() -> None:
    # Two topics, two runs: each of four cells draws one of the four scaled residuals, 256 outcomes in all.
    values = np.array([[0.10, 0.50], [0.40, 0.42]])
    residual = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + values.mean()
    pool = residual.ravel() * sqrt(4 / 1)  # one degree of freedom
    every = np.array(list(product(pool, repeat=4))).reshape(-1, 2, 2)
    strays = every.mean(axis=1)
    difference = values.mean(axis=0)[1] - values.mean(axis=0)[0]
    share = float((np.abs(strays[:, 1] - strays[:, 0]) >= abs(difference) - 1e-12).mean())
    draws = 20_000
    found = bootstrap_anova(values[None], draws=draws)
    assert 0.05 < share < 0.95
    assert found.answer.p[0] == pytest.approx(share, abs=5 * sqrt(share * (1 - share) / draws))
    # F of an outcome is (difference / its error)² for two runs: at least the observed one, around equal runs.
    left = (every[:, 0, 0] - every[:, 0, 1] - every[:, 1, 0] + every[:, 1, 1]) / 4
    apart = np.abs(strays[:, 1] - strays[:, 0])
    f = np.where(np.abs(left) > 1e-12, apart**2 / (4 * left**2 + (left == 0)), np.where(apart > 1e-12, inf, 0))
    seen = TwoWay().fit(values)["system"].statistic
    assert found.statistic == pytest.approx(seen)
    share = float((f >= seen - 1e-9).mean())
    assert found.p == pytest.approx(share, abs=5 * sqrt(share * (1 - share) / draws))


@pytest.mark.parametrize("times", [1, 4])
def test_intervals_of_normal_errors_are_about_those_of_the_normal_analysis(times: int) -> None:
    cube = np.random.default_rng(1).normal(0, 1, (times, 20, 5)) + np.arange(5) * 0.3
    found = bootstrap_anova(cube, draws=4000, asked=Asked(level=0.1))
    known = TwoWay().fit(cube[0]) if times == 1 else replicated_anova(cube)
    half = stats.norm.isf(0.05) * sqrt(known.mse / known.per_run)
    assert found.means.tolist() == pytest.approx(known.means.tolist())
    assert (found.high - found.low) / 2 == pytest.approx(np.full(5, half), rel=0.08)
    answer = found.answer
    assert answer.low is not None
    assert answer.high is not None
    assert (answer.high - answer.low) / 2 == pytest.approx(np.full(10, half * sqrt(2)), rel=0.08)
    peer = 2 * stats.norm.sf(np.abs(answer.statistic))
    assert answer.p == pytest.approx(peer, abs=0.04)
    assert answer.effect == pytest.approx(found.pairs.mean_difference / sqrt(known.mse))
    assert answer.n.tolist() == [20] * 10
    assert found.statistic == pytest.approx(known["system"].statistic)


def test_interaction_may_be_left_in_the_error() -> None:
    # One run is good where the other is bad: beside it the error within cells is small.
    cube = drawn() * 0.01 + np.array([[0.1, 0.9], [0.9, 0.1]] * 3)[None, :, [0, 1, 0, 1]]
    apart, together = (bootstrap_anova(cube, interaction=interaction, draws=300) for interaction in (True, False))
    assert (apart.high - apart.low).max() < (together.high - together.low).min() / 10
    assert apart.answer.note == ("residual bootstrap, 300 draws, topic × system told from error",)
    assert together.answer.note == ("residual bootstrap, 300 draws, topic × system part of the error",)
    # Degrees of freedom of topic + system: 72 values less 6 topics and 4 runs, whose means share one.
    means = TwoWay().fit(cube.mean(axis=0))
    within = replicated_anova(cube)
    mse = (within["error"].ss + within["topic×system"].ss) / (72 - 6 - 4 + 1)
    expected = means.means[1] - means.means[0]
    assert together.answer.effect[0] == pytest.approx(expected / sqrt(mse))


def test_one_seed_one_answer_whatever_the_threads() -> None:
    cube = drawn(2, 40, 30)
    one, two, other = (
        bootstrap_anova(cube, draws=900, asked=Asked(seed=seed, threads=threads))
        for seed, threads in ((3, 1), (3, 2), (4, 2))
    )
    assert one.answer.p.tolist() == two.answer.p.tolist()
    assert one.low.tolist() == two.low.tolist()
    assert one.p == two.p
    assert one.answer.p.tolist() != other.answer.p.tolist()
    assert one.answer.p.min() >= 1 / 901


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    bootstrap_anova(drawn(2, 40, 30), draws=900, asked=Asked(threads=1, progress=lambda i, n: told.append((i, n))))
    assert told == [(1, 3), (2, 3), (3, 3)]  # 2400 values in each draw: 416 draws at once


def test_identical_runs_never_differ_in_a_draw() -> None:
    values = np.random.default_rng(2).random((8, 3))
    values[:, 2] = values[:, 0]
    found = bootstrap_anova(values[None], draws=200)
    pair = next(i for i in range(3) if (found.pairs.a[i], found.pairs.b[i]) == (0, 2))
    assert (found.answer.p[pair], found.answer.statistic[pair], found.answer.effect[pair]) == (1, 0, 0)
    same = bootstrap_anova(np.repeat(values[None, :, :1], 3, axis=2), draws=50)
    assert (same.statistic, same.p, same.answer.p.tolist()) == (0, 1, [1, 1, 1])
    assert same.low.tolist() == same.high.tolist() == same.means.tolist()


def test_differences_without_error_are_certain() -> None:
    sums = np.array([[0.1], [0.2], [0.7]]) + np.array([0.0, 0.1, 0.3])
    found = bootstrap_anova(sums[None], draws=99)
    assert found.statistic == inf
    assert found.p == 0.01
    assert found.answer.p.tolist() == [0.01] * 3
    assert found.answer.effect.tolist() == [inf] * 3


def test_no_draws_are_refused() -> None:
    with pytest.raises(ParameterError, match="there cannot be 0 draws"):
        bootstrap_anova(CUBE, draws=0)
