"""Measures of stratified samples over many samples of a campaign: what the whole pool says, they say."""

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from cranfield.collections import Candidates, Stratified, find_candidates, sampled_qrels, strata
from cranfield.data import Qrels, Run, assess, read_qrels, read_run
from cranfield.measures import parse_measures
from cranfield.simulate import Campaign
from tests.support.run_size import Size

SMALL = 1e-5


@dataclass(frozen=True, eq=False)
class Pooled:
    """A campaign of which everything in the pool was judged; and what samples of it say."""

    candidates: Candidates
    qrels: Qrels
    runs: list[Run]

    def values(self, shares: str, measures: str, draws: int) -> NDArray[np.float64]:
        """(draw, measure, run): means over topics, by samples of the ranks 1–10 and 11–100."""
        wanted, out = parse_measures(measures), []
        for seed in range(draws):
            sample = strata(Stratified(depths="10 100", shares=shares), self.candidates, seed=seed)
            judged = sampled_qrels(sample, self.candidates, self.qrels)
            out.append(assess(judged, self.runs).map(wanted).mean(axis=1).T)
        return np.array(out)

    def true(self, measures: str) -> NDArray[np.float64]:
        """(measure, run): by the whole pool."""
        return self.values("1 1", measures, 1)[0]


@pytest.fixture(scope="module")
def pooled() -> Pooled:
    shape = Campaign(
        topics=12, groups=8, runs=16, depth=100, documents=3000, candidates=600, relevant=90, pool=100, missing=0
    )
    drawn = replace(shape, pooled=1.0, ties=0).make()
    runs = [read_run(drawn.run_columns(name), name=name) for name in drawn.names]
    made = Pooled(find_candidates(runs, depth=100), read_qrels(drawn.qrels_columns()), runs)
    assert (made.candidates.grades(made.qrels) >= 0).all()
    return made


# Beyond four Monte Carlo errors: a ratio of two estimates has a bias, of the order of one through what is drawn of the
# relevant documents of a topic, of which there are about forty here.
@pytest.mark.parametrize(("shares", "near"), [("1 1", 2 * SMALL), ("1 .5", 0.02), ("1 .3", 0.03), (".5 .5", 0.03)])
def test_a_sample_says_what_the_pool_says(shares: str, near: float, pooled: Pooled, size: Size) -> None:
    names, of = "xinfAP infNDCG", "AP nDCG"
    drawn = pooled.values(shares, names, size.draws // 10)
    true = pooled.true(of)
    error = drawn.std(axis=0) / np.sqrt(len(drawn))
    assert (np.abs(drawn.mean(axis=0) - true) <= 4 * error + near).all()


def test_where_shares_differ_neither_ap_nor_infap_says_it(pooled: Pooled, size: Size) -> None:
    ap, infap, xinfap = pooled.values("1 .3", "AP infAP xinfAP", size.draws // 20).mean(axis=(0, 2))
    (true,) = pooled.true("AP").mean(axis=1)
    # Early ranks are drawn more often, and are more often relevant.
    assert infap - true > 0.05
    assert ap - true > 0.03
    assert abs(xinfap - true) < 0.02


def tau(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Kendall's τ of two orders of runs."""
    agree = [np.sign((a[i] - a[j]) * (b[i] - b[j])) for i, j in combinations(range(len(a)), 2)]
    return float(np.mean(agree))


def test_runs_stand_as_in_the_whole_pool_more_than_by_ap(pooled: Pooled, size: Size) -> None:
    (true,) = pooled.true("AP")
    drawn = pooled.values(".2 .2", "xinfAP AP", size.draws // 20)
    inferred, plain = (np.array([tau(values, true) for values in drawn[:, i]]) for i in range(2))
    apart = inferred - plain
    assert apart.mean() > 3 * apart.std() / np.sqrt(len(apart))
