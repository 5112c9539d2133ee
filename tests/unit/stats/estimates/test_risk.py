"""Risk, beside its definitions written out."""

from math import erf, sqrt
from statistics import mean, stdev
from typing import Any

import numpy as np
import polars as pl
import pytest
import scipy.stats

import cranfield as cf
from cranfield.core import ParameterError
from cranfield.stats import georisk, urisk

BASE = [0.5, 0.2, 0.4, 0.1, 0.9]
RUN = [0.6, 0.1, 0.4, 0.5, 0.7]  # +.1, −.1, 0, +.4, −.2
OTHER = [0.2, 0.2, 0.8, 0.3, 0.4]


@pytest.mark.parametrize(("alpha", "expected"), [(0, 0.2 / 5), (1, (0.5 - 2 * 0.3) / 5), (5, (0.5 - 6 * 0.3) / 5)])
def test_losses_count_more_often(alpha: float, expected: float) -> None:
    found, t = urisk(np.array(RUN), np.array(BASE), alpha)
    assert found == pytest.approx(expected)
    weighed = [0.1, -0.1 * (1 + alpha), 0, 0.4, -0.2 * (1 + alpha)]
    assert t == pytest.approx(mean(weighed) / (stdev(weighed) / sqrt(5)))


def test_without_more_weight_it_is_the_t_test() -> None:
    _, t = urisk(np.array(RUN), np.array(BASE), 0)
    assert t == pytest.approx(scipy.stats.ttest_rel(RUN, BASE).statistic)


@pytest.mark.parametrize("alpha", [0, 1, 5])
def test_georisk_is_its_definition(alpha: float) -> None:
    table = [BASE, RUN, OTHER]  # dincer2016: systems as rows
    total = sum(map(sum, table))
    z, found = georisk(np.array(table).T, alpha)
    for i, row in enumerate(table):
        risk = 0.0
        for j, value in enumerate(row):
            expected = sum(row) * sum(other[j] for other in table) / total
            off = (value - expected) / sqrt(expected)
            risk += off if off >= 0 else (1 + alpha) * off
        assert z[i] == pytest.approx(risk)
        chance = (1 + erf(risk / 5 / sqrt(2))) / 2
        assert found[i] == pytest.approx(sqrt(sum(row) / 5 * chance))


def test_a_topic_where_nobody_has_anything_is_no_risk() -> None:
    more = np.array([BASE, RUN]).T
    z, _ = georisk(more, 1)
    assert georisk(np.vstack([more, [0, 0]]), 1)[0] == pytest.approx(z)


def rows(alpha: float = 1.0, **settings: Any) -> dict[str, dict[str, Any]]:
    study = cf.test(pl.DataFrame({"base": BASE, "run": RUN, "other": OTHER}), "t", risk=alpha, **settings)
    return {str(row["run"]): row for row in study["risk"].rows()}


def test_a_table_beside_the_tests() -> None:
    found = rows(baseline="base")
    assert found["run"]["urisk"] == pytest.approx(-0.02)
    assert (found["run"]["wins"], found["run"]["losses"], found["run"]["n"]) == (2, 2, 5)
    assert found["run"]["p"] == pytest.approx(2 * scipy.stats.t(4).sf(abs(found["run"]["trisk"])))
    assert (found["base"]["urisk"], found["base"]["wins"]) == (None, None)
    assert found["base"]["georisk"] == pytest.approx(georisk(np.array([BASE, RUN, OTHER]).T, 1)[1][0])
    assert rows()["run"]["urisk"] is None  # there is no baseline


def test_of_what_should_be_low_more_is_a_loss() -> None:
    qrels = {"1": {"r": 1}, "2": {"r": 1}}
    runs = {
        "base": {"1": {"r": 2.0, "x": 1.0}, "2": {"r": 1.0}},
        "run": {"1": {"x": 2.0, "r": 1.0}, "2": {"r": 1.0}},  # ESL 2 instead of 1
    }
    found = cf.test(cf.evaluate(qrels, runs, "ESL"), "t", baseline="base", risk=1.0)["risk"].rows()[1]
    assert (found["wins"], found["losses"], found["urisk"], found["georisk"]) == (0, 1, -1.0, None)


def test_identical_runs_have_no_risk() -> None:
    found = cf.test(pl.DataFrame({"a": BASE, "b": BASE}), "t", baseline="a", risk=2.0)["risk"].rows()[1]
    assert (found["urisk"], found["trisk"], found["p"]) == (0.0, None, 1.0)


def test_losses_never_count_less() -> None:
    with pytest.raises(ParameterError, match="alpha=-1"):
        rows(-1.0)
