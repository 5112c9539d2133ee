"""Satisfaction learned from a log, of users of whom it is known whether they were satisfied."""

from math import sqrt

import numpy as np
import pytest

from cranfield.core import ParameterError
from cranfield.data import Log, read_log
from cranfield.online import Calibration, LearnedSatisfaction, learn_satisfaction, online_table, parse_online
from cranfield.studies import ab
from tests.support.simulations.satisfaction_log import made


@pytest.fixture(scope="module")
def log() -> tuple[Log, dict[str, float]]:
    columns, truth = made(3000)
    return read_log(columns), truth


def test_its_chances_are_right_for_users_it_had_not_seen(log: tuple[Log, dict[str, float]]) -> None:
    learnt = learn_satisfaction(log[0])
    (row,) = learnt.table().rows()
    found = learnt.calibration
    spread = float(found.satisfied.var())
    assert row["learnt_from"] == pytest.approx(0.3 * 6000, rel=0.1)
    assert row["brier"] == found.brier < 0.7 * spread
    assert row["auc"] == found.auc > 0.85
    for bin_ in found.reliability().rows():
        predicted, observed, many = (float(str(bin_[name])) for name in ("predicted", "observed", "sessions"))
        assert abs(predicted - observed) < 4 * sqrt(predicted * (1 - predicted) / many) + 0.02
    assert 0 < found.ece() < 0.05
    assert learnt.measure.weight["log_dwell"] > 0


def test_the_mean_chance_is_the_share_of_satisfied_sessions(log: tuple[Log, dict[str, float]]) -> None:
    """Of all sessions, though most users never said; and those who did are counted as they said."""
    read, truth = log
    table = online_table(read, ["satisfaction", "said_satisfied"])
    learned, said = (row for row in table.rows())
    assert learned["value"] == pytest.approx(sum(truth.values()) / 2, abs=0.03)
    assert said["value"] == pytest.approx(sum(truth.values()) / 2, abs=0.05)
    assert float(str(said["counted"])) == pytest.approx(0.3 * float(str(learned["counted"])), rel=0.1)
    # More sessions say more: the interval is narrower.
    widths = [float(str(row["high"])) - float(str(row["low"])) for row in (learned, said)]
    assert widths[0] < 0.8 * widths[1]


def test_an_experiment_finds_what_changed(log: tuple[Log, dict[str, float]]) -> None:
    """The effect is that on the coin, times how far apart the chances of satisfied sessions and others are."""
    read, truth = log
    study = ab(read, ["satisfaction", "ctr"], control="old")
    effect = study["effects"].rows()[0]
    (told,) = study["satisfaction"].rows()
    assert effect["measure"] == "satisfaction"
    assert effect["outcome"] == "better"
    expected = (truth["new"] - truth["old"]) * float(str(told["slope"]))
    low, high = float(str(effect["low"])), float(str(effect["high"]))
    assert low < expected < high
    assert 0.5 < float(str(told["slope"])) < 1
    assert sum(map(int, map(str, study["reliability"].cells("sessions")))) == told["learnt_from"]
    notes = study["satisfaction"].notes
    assert notes[0].startswith("a change in satisfaction shows at about ")
    # What was learned can be written down, and used on another log.
    measure = parse_online(str(told["learned"]))[0]
    again = ab(read, measure, control="old")["effects"].rows()[0]
    assert again["difference"] == pytest.approx(effect["difference"], rel=1e-12)


def test_what_was_learned_does_not_ask_for_answers(log: tuple[Log, dict[str, float]]) -> None:
    learnt = learn_satisfaction(log[0]).measure
    silent, truth = made(1500, seed=5, asked=0.0)
    del silent["satisfied"]
    table = online_table(read_log(silent), learnt)
    assert table["value"][0] == pytest.approx(sum(truth.values()) / 2, abs=0.03)
    del silent["dwell"], silent["click_time"]
    with pytest.raises(ParameterError, match="needs the column dwell"):
        online_table(read_log(silent), learnt)


def test_the_expected_calibration_error_by_hand() -> None:
    # Bins of a half: (.2, .4) with one of two true, .3 against .5; (.9, .7, .8) with all true, .8 against 1.
    found = Calibration(np.array([0.2, 0.4, 0.9, 0.7, 0.8]), np.array([0, 1, 1, 1, 1]))
    assert found.ece(2) == pytest.approx((2 * 0.2 + 3 * 0.2) / 5)
    assert found.slope == pytest.approx((0.4 + 0.9 + 0.7 + 0.8) / 4 - 0.2)
    assert np.isnan(Calibration(np.array([0.2]), np.array([1])).slope)


def test_what_cannot_be_learned_is_refused() -> None:
    columns, _ = made(40, asked=0.0)
    with pytest.raises(ParameterError, match="no user of log says whether she was satisfied"):
        learn_satisfaction(read_log(columns))
    del columns["satisfied"]
    with pytest.raises(ParameterError, match="needs the column satisfaction"):
        online_table(read_log(columns), "satisfaction")
    for weights in ("clicks", "clicks=much", "wealth=1", "clicks=inf"):
        with pytest.raises(ParameterError, match="satisfaction cannot have weights"):
            LearnedSatisfaction(weights=weights)
