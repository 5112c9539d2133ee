"""Predictors of query performance, beside the definitions written out."""

from math import atanh, sqrt, tanh
from typing import Any

import numpy as np
import polars as pl
import pytest
import scipy.stats

import cranfield as cf
from cranfield.core import ParameterError
from cranfield.data import read_scores
from cranfield.stats import correlations, prediction_errors, rank_errors

X = [3.0, 1.0, 4.0, 1.5, 9.0, 2.0, 6.0]
Y = [0.2, 0.1, 0.6, 0.3, 0.5, 0.15, 0.9]
Z = 1.959963984540054


@pytest.mark.parametrize(
    ("kind", "theirs", "variance"),
    [
        ("pearson", scipy.stats.pearsonr, lambda r: 1 / 4),
        ("spearman", scipy.stats.spearmanr, lambda r: (1 + r**2 / 2) / 4),
        ("kendall", scipy.stats.kendalltau, lambda r: 0.437 / 3),
    ],
)
def test_correlations_and_intervals_are_their_formulas(kind: str, theirs: Any, variance: Any) -> None:
    found = correlations(np.array(X), np.array(Y))
    r, p = theirs(X, Y)
    assert [found[kind], found[f"{kind}_p"]] == pytest.approx([r, p])
    half = Z * sqrt(variance(r))
    assert found[f"{kind}_low"] == pytest.approx(tanh(atanh(r) - half))
    assert found[f"{kind}_high"] == pytest.approx(tanh(atanh(r) + half))


def test_kendall_worked_by_hand() -> None:
    # 1 2 3 4 against 1 3 2 4: of six pairs one is turned round.
    found = correlations(np.array([1.0, 2, 3, 4]), np.array([1.0, 3, 2, 4]))
    assert found["kendall"] == pytest.approx(4 / 6)
    assert found["spearman"] == pytest.approx(1 - 6 * 2 / (4 * 15))
    assert np.isnan(found["kendall_low"])  # four topics are too few


def test_what_does_not_vary_correlates_with_nothing() -> None:
    assert all(np.isnan(number) for number in correlations(np.ones(9), np.arange(9.0)).values())


def test_errors_of_ranks_worked_by_hand() -> None:
    # Ranks 1, 2, 3, 4 by value; 2, 1, 3.5, 3.5 by the predictor.
    errors = rank_errors(np.array([5.0, 1.0, 7.0, 7.0]), np.array([0.1, 0.2, 0.3, 0.4]))
    assert errors.tolist() == [1 / 4, 1 / 4, 0.5 / 4, 0.5 / 4]


PREDICTORS = pl.DataFrame({"topic": list("abcde"), "good": [1.0, 2, 3, 4, 5], "bad": [5.0, 4, 3, 2, 1]})
VALUES = pl.DataFrame({"topic": list("abcdef"), "run": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]})


def test_a_table_in_the_study_of_topics() -> None:
    study = cf.topics(values=VALUES, predictions=PREDICTORS, scale="ignore")
    good, bad = study["prediction"].rows()
    assert (good["predictor"], good["run"], good["n"], good["smare"]) == ("good", "run", 5, 0)
    assert [good["kendall"], bad["kendall"]] == pytest.approx([1, -1])
    assert bad["smare"] == pytest.approx((4 + 2 + 0 + 2 + 4) / 5 / 5)
    assert study["prediction"].notes == ("1 of 6 topics have no prediction: left out",)
    assert study.sentence.endswith("Of 2 predictors good foretells best score of run: τ = 1.00.")


def test_errors_are_values_that_tests_compare() -> None:
    errors = prediction_errors(read_scores(VALUES), read_scores(PREDICTORS), run="run")
    assert errors.topics == tuple("abcde")
    assert errors.matrix(errors.measures[0]).T.tolist() == [[0] * 5, [0.8, 0.4, 0, 0.4, 0.8]]
    row = cf.test(errors, "sign", scale="ignore")["tests"].rows()[0]
    assert [row["n"], row["p"]] == pytest.approx([4, 2 / 2**4])
    assert cf.anova(errors, scale="ignore")["anova"].rows()


def test_what_should_be_low_is_foretold_by_what_is_high() -> None:
    qrels = {topic: {"r": 1} for topic in "abc"}
    ranks = {"a": 1, "b": 2, "c": 3}
    run = {t: {("r" if i == rank else f"x{i}"): -float(i) for i in range(1, 4)} for t, rank in ranks.items()}
    values = cf.evaluate(qrels, {"run": run}, "ESL")
    easy = pl.DataFrame({"topic": list("abc"), "easy": [3.0, 2.0, 1.0]})
    assert cf.topics(values=values, predictions=easy, scale="ignore")["prediction"].rows()[0]["smare"] == 0


def test_predictions_of_other_topics_are_refused() -> None:
    other = pl.DataFrame({"topic": ["x", "y"], "p": [1.0, 2.0]})
    with pytest.raises(ParameterError, match="no topic that has values has a prediction"):
        cf.topics(values=VALUES, predictions=other, scale="ignore")
    with pytest.raises(ParameterError, match="no values that predictors could foretell"):
        cf.topics({"1": "ships"}, predictions=other)
