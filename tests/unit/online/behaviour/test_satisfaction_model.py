"""Learned satisfaction: the fit is a fit, its scores are those of scikit-learn, and no user is on both sides."""

from collections.abc import Callable
from math import log, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.core import ParameterError, generator, need
from cranfield.online import Calibration, LabelledSessions, Satisfaction, SatisfactionModel

metrics = need("sklearn.metrics", extra="text")
WEIGHT, BASE = np.array([1.5, -0.8]), 0.4
NAMES = ("clicks", "dwell")


def drawn(sessions: int, *, users: int = 50, seed: int = 1) -> LabelledSessions:
    """Sessions whose satisfaction follows a logistic model of two features in their own units."""
    stream = generator(seed, "sessions")
    features = np.column_stack((stream.poisson(2, sessions).astype(float), stream.normal(3, 2, sessions)))
    chance = 1 / (1 + np.exp(-(BASE + features @ WEIGHT)))
    return LabelledSessions(features, stream.random(sessions) < chance, stream.integers(0, users, sessions), NAMES)


def test_the_fit_has_no_slope_left() -> None:
    sessions = drawn(800)
    variance = 0.5
    fitted = SatisfactionModel(variance=variance).fit(sessions)
    left = sessions.satisfied - fitted.predict(sessions.features)
    spread = sessions.features.std(axis=0)
    standard = (sessions.features - sessions.features.mean(axis=0)) / spread
    # The derivatives of Σ ln p − ½ Σ w² / variance: by the base, and by each weight of a standardised feature.
    assert left.sum() == pytest.approx(0, abs=1e-2)
    assert left @ standard == pytest.approx(fitted.weight * spread / variance, abs=1e-2)


def test_weights_are_found_again() -> None:
    sessions = drawn(5000)
    fitted = SatisfactionModel(variance=1e6).fit(sessions)
    chance = fitted.predict(sessions.features)
    design = np.column_stack((np.ones(len(sessions)), sessions.features))
    errors = np.sqrt(np.diag(np.linalg.inv(design.T @ (design * (chance * (1 - chance))[:, None]))))
    assert (np.abs([fitted.base, *fitted.weight] - np.array([BASE, *WEIGHT])) < 5 * errors).all()


def test_predictions_are_the_formula() -> None:
    model = Satisfaction(("x",), base=-1.0, weight=np.array([2.0]))
    # Odds e^−1, e^1 and so large that nothing is left.
    assert model.predict([[0], [1], [1e6]]) == pytest.approx([1 / (1 + np.e), np.e / (1 + np.e), 1])


def test_units_do_not_matter() -> None:
    sessions = drawn(500)
    other = LabelledSessions(sessions.features * [60, 0.01] + 5, sessions.satisfied, sessions.user, NAMES)
    ours, theirs = (SatisfactionModel().fit(one).predict(one.features) for one in (sessions, other))
    assert theirs == pytest.approx(ours, abs=1e-5)


def test_chances_are_right_for_users_who_were_not_seen() -> None:
    sessions = drawn(4000)
    found = SatisfactionModel().check(sessions, seed=2)
    table = found.reliability(5)
    assert sum(table["sessions"]) == 4000
    for row in table.rows():
        predicted, observed, count = (float(str(row[name])) for name in ("predicted", "observed", "sessions"))
        assert abs(predicted - observed) < 5 * sqrt(predicted * (1 - predicted) / count) + 0.01
    assert found.auc > 0.7
    assert found.brier < sessions.satisfied.var()


def test_what_is_known_of_a_user_does_not_leak() -> None:
    # Whether a user is satisfied is a coin, the same in all sessions; the features tell users apart and nothing else.
    users, each = 40, 10
    stream = generator(5, "leak")
    user = np.repeat(np.arange(users), each)
    satisfied = (stream.permutation(users) < users // 2)[user]
    features = np.eye(users)[user]
    sessions = LabelledSessions(features, satisfied, user, tuple(f"user {i}" for i in range(users)))
    assert metrics.roc_auc_score(satisfied, SatisfactionModel().fit(sessions).predict(features)) == 1
    assert SatisfactionModel().check(sessions).auc < 0.6


def test_folds_follow_the_seed() -> None:
    sessions = drawn(300, users=12)
    first, again, other = (SatisfactionModel().check(sessions, seed=seed).predicted for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()


chances = st.integers(1, 19).map(lambda x: x / 20)


@given(rows=st.lists(st.tuples(chances, st.booleans()), min_size=2, max_size=30))
def test_scores_are_those_of_scikit_learn(rows: list[tuple[float, bool]]) -> None:
    predicted, satisfied = np.array([p for p, _ in rows]), np.array([s for _, s in rows])
    found = Calibration(predicted, satisfied)
    assert found.brier == pytest.approx(metrics.brier_score_loss(satisfied, predicted, pos_label=True))
    assert found.log_loss == pytest.approx(metrics.log_loss(satisfied, predicted, labels=[False, True]))
    if satisfied.any() and not satisfied.all():
        assert found.auc == pytest.approx(metrics.roc_auc_score(satisfied, predicted))
    else:
        assert np.isnan(found.auc)


def test_reliability_by_hand() -> None:
    found = Calibration(np.array([0.0, 0.1, 0.5, 0.9, 1.0]), np.array([False, True, True, True, True]))
    table = found.reliability(2)
    assert table.columns == ("bin", "predicted", "observed", "sessions")
    assert table.cells("bin") == ["0 to 0.5", "0.5 to 1"]  # what lies on an end is in the upper bin, 1 in the last
    assert table.cells("predicted") == pytest.approx([0.05, 0.8])
    assert table.cells("observed") == pytest.approx([0.5, 1])
    assert table.cells("sessions") == [2, 3]
    assert found.reliability(10).cells("bin") == ["0 to 0.1", "0.1 to 0.2", "0.5 to 0.6", "0.9 to 1"]
    # (0 + .81 + .25 + .01 + 0) / 5, −(ln 1 + ln .1 + ln .5 + ln .9 + ln 1) / 5; 0 is below all four
    assert found.brier == pytest.approx(1.07 / 5)
    assert found.log_loss == pytest.approx(-log(0.1 * 0.5 * 0.9) / 5)
    assert found.auc == 1


def test_certainty_that_was_wrong_is_finite() -> None:
    assert Calibration(np.array([1.0]), np.array([False])).log_loss == pytest.approx(-log(1e-15))


TWO = LabelledSessions(np.array([[1.0], [2.0]]), np.array([True, False]), np.array(["u", "v"]), ("x",))
SAME = LabelledSessions(np.ones((2, 1)), np.array([True, True]), np.array(["u", "v"]), ("x",))


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda: LabelledSessions(np.ones((2, 1)), np.ones(3), np.ones(2), ("x",)), "do not fit"),
        (lambda: LabelledSessions(np.ones((2, 1)), np.ones(2), np.ones(3), ("x",)), "do not fit"),
        (lambda: LabelledSessions(np.ones((2, 1)), np.ones(2), np.ones(2), ("x", "y")), "do not fit 2 names"),
        (lambda: LabelledSessions(np.ones((0, 1)), np.ones(0), np.ones(0), ("x",)), "do not fit 1 names"),
        (lambda: LabelledSessions(np.ones((2, 2)), np.ones(2), np.ones(2), ("x", "x")), "a feature stands twice"),
        (lambda: LabelledSessions(np.array([[np.nan]]), np.ones(1), np.ones(1), ("x",)), "the feature x is not"),
        (lambda: LabelledSessions(np.ones((1, 1)), np.array([2]), np.ones(1), ("x",)), "neither satisfied nor not"),
        (lambda: SatisfactionModel().fit(SAME), "nothing to learn"),
        (lambda: SatisfactionModel().check(TWO), "2 users do not make 5 folds"),
        (lambda: SatisfactionModel(folds=1), "cannot have folds=1"),
        (lambda: SatisfactionModel(variance=0), "cannot have variance=0"),
        (lambda: Satisfaction(("x",), 0.0, np.ones(1)).predict(np.ones((1, 2))), "do not fit 1 names"),
        (lambda: Calibration(np.array([0.5]), np.array([True, False])), "chances and labels do not fit"),
        (lambda: Calibration(np.array([1.5]), np.array([True])), "a prediction is no chance"),
        (lambda: Calibration(np.array([0.5]), np.array([True])).reliability(0), "0 bins hold nothing"),
    ],
)
def test_what_cannot_be_learned_is_refused(call: Callable[[], Any], problem: str) -> None:
    with pytest.raises(ParameterError, match=problem):
        call()
