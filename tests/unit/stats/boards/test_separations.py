"""Runs beside the best and beside each other: what one test of all pairs says, from scipy pair by pair."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats

from cranfield.core import Direction
from cranfield.stats import Asked, Sign, T, Tukey, rank_stability
from tests.support.leaderboard_tables import boards, holm, made, simulated

NAMES = "abcdefg"


def rows(table: Any) -> list[dict[str, Any]]:
    return table.rows()


@pytest.mark.parametrize("direction", [Direction.HIGHER, Direction.LOWER, None])
def test_every_pair_and_every_run_beside_the_best(direction: Direction | None) -> None:
    matrix = simulated()
    means = matrix.mean(axis=0)
    found = boards(made(matrix, direction=direction), pairs=True, asked=Asked(level=0.1))
    assert list(found) == ["ranks", "behind", "pairs"]
    assert list(found["behind"].columns) == ["run", "best", "difference", "p", "p_adjusted", "significant"]
    assert list(found["pairs"].columns) == ["a", "b", "difference", "p_adjusted", "significant"]
    asked = list(combinations(range(7), 2))
    p = [float(stats.ttest_rel(matrix[:, b], matrix[:, a]).pvalue) for a, b in asked]
    adjusted = dict(zip(asked, holm(p), strict=True))
    assert [(row["a"], row["b"]) for row in rows(found["pairs"])] == [(NAMES[a], NAMES[b]) for a, b in asked]
    for row, (a, b) in zip(rows(found["pairs"]), asked, strict=True):
        assert row["difference"] == pytest.approx(means[b] - means[a])
        assert row["p_adjusted"] == pytest.approx(adjusted[a, b])
        assert row["significant"] is (adjusted[a, b] <= 0.1)
    best = int(means.argmin() if direction is Direction.LOWER else means.argmax())
    first, *others = rows(found["behind"])
    nothing = {"p": None, "p_adjusted": None, "significant": None}
    assert first == {"run": NAMES[best], "best": NAMES[best], "difference": 0.0, **nothing}
    assert [row["run"] for row in others] == found["ranks"].cells("run")[1:]
    raw = dict(zip(asked, p, strict=True))
    for row in others:
        run = NAMES.index(row["run"])
        pair = min(run, best), max(run, best)
        assert row["best"] == NAMES[best]
        assert row["difference"] == pytest.approx(means[run] - means[best])
        assert (row["difference"] > 0) is (direction is Direction.LOWER)
        assert (row["p"], row["p_adjusted"]) == pytest.approx((raw[pair], adjusted[pair]))
        assert row["significant"] is (adjusted[pair] <= 0.1)
    assert {row["significant"] for row in others} == {True, False}


def test_pairs_are_made_only_if_asked_for() -> None:
    assert list(boards(made(simulated(10, 3)))) == ["ranks", "behind"]


def test_a_test_of_all_pairs_has_only_a_corrected_p() -> None:
    matrix = simulated()
    found = boards(made(matrix), test=Tukey(), pairs=True)
    # By hand: two-way error, and the studentised range of 7 runs from scipy.
    left = matrix - matrix.mean(axis=0) - matrix.mean(axis=1)[:, None] + matrix.mean()
    freedom = 6 * 39
    error = np.sqrt((left**2).sum() / freedom / 40)
    assert set(found["behind"].cells("p")) == {None}
    for row in [*rows(found["pairs"]), *rows(found["behind"])[1:]]:
        expected = float(stats.studentized_range.sf(abs(row["difference"]) / error, 7, freedom))
        assert row["p_adjusted"] == pytest.approx(expected, rel=1e-4, abs=1e-9)
        assert row["significant"] is (expected <= 0.05)
    assert found["behind"].caption == "behind the best mean M: tukey"
    assert found["pairs"].caption == "tukey on M"


def test_runs_as_good_as_the_best_are_behind_it_by_nothing() -> None:
    # (.1 + .2) / 2 and (.3 + 0) / 2 are the same number, and not the same float.
    found = boards(made([[0.0, 0.1, 0.3], [0.3, 0.2, 0.0]], direction=Direction.LOWER), pairs=True)
    differences = [*found["behind"].cells("difference"), *found["pairs"].cells("difference")]
    assert [str(difference) for difference in differences] == ["0.0"] * 6  # and none is −0.0


def test_where_there_is_no_p_nothing_is_told() -> None:
    found = boards(made([[0.1, 0.4]]), test=T(), pairs=True)  # one topic has no spread
    (best, other), (pair,) = rows(found["behind"]), rows(found["pairs"])
    assert (best["run"], other["run"], other["difference"]) == ("b", "a", pytest.approx(-0.3))
    assert (other["p"], other["p_adjusted"], other["significant"]) == (None, None, None)
    assert (pair["p_adjusted"], pair["significant"]) == (None, None)


def test_a_single_run_is_behind_nobody() -> None:
    values = made(simulated(10, 1))
    found = boards(values, rank_stability(values.matrix()), test=Tukey(), pairs=True)
    (row,) = rows(found["behind"])
    assert row == {"run": "a", "best": "a", "difference": 0.0, "p": None, "p_adjusted": None, "significant": None}
    assert len(found["pairs"]) == 0
    assert list(found["pairs"].columns) == ["a", "b", "difference", "p_adjusted", "significant"]


def test_all_pairs_are_tested_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    compare = Sign.compare

    def counted(self: Sign, *given: Any) -> Any:
        asked.append(self)
        return compare(self, *given)

    monkeypatch.setattr(Sign, "compare", counted)
    boards(made(simulated(10, 4)), test=Sign(), pairs=True)
    assert len(asked) == 1


@pytest.mark.parametrize("test", [T(), Tukey()], ids=str)
def test_the_same_difference_in_every_topic_has_a_note(test: Any) -> None:
    base = np.linspace(0.1, 0.4, 4)
    constant = np.stack([base, base + 0.1], axis=1)
    reported = [
        any(
            "1 of 1 pair: the same difference in every topic" in note
            for note in boards(made(m), test=test)["ranks"].notes
        )
        for m in (constant, np.array([*constant[:3], constant[3] + [0, 0.1]]))
    ]
    assert reported == [True, False]
