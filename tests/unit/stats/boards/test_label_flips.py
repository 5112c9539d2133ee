"""Orders under wrong labels: scipy's τ, plain loops, ties on top, and a campaign whose labels are flipped."""

import numpy as np
import pytest
from scipy import stats

from cranfield.core import ParameterError, Provenance
from cranfield.data import assess_grades, flipped_grades
from cranfield.stats.boards.label_flips import flips_table


def ap_correlation(before: list[float], after: list[float]) -> float:
    """yilmaz2008, by plain loops, without ties."""
    order = sorted(range(len(after)), key=lambda run: -after[run])
    total = 0.0
    for place in range(1, len(order)):
        right = sum(before[run] > before[order[place]] for run in order[:place])
        total += right / place
    return 2 * total / (len(order) - 1) - 1


def test_a_share_has_the_mean_of_its_draws() -> None:
    random = np.random.default_rng(2)
    original = random.random(8)
    flipped = {share: original + random.normal(0, share, (40, 8)) for share in (0.05, 0.2)}
    table = flips_table(original, {share: list(means) for share, means in flipped.items()}, "AP", level=0.1)
    assert table.columns == ("measure", "share", "draws", "tau", "low", "high", "tau_ap", "first_stays")
    for row, (share, means) in zip(table.rows(), flipped.items(), strict=True):
        tau = [stats.kendalltau(original, mean).statistic for mean in means]
        top = [mean.argmax() == original.argmax() for mean in means]
        ap = [ap_correlation(original.tolist(), mean.tolist()) for mean in means]
        low, high = np.quantile(tau, [0.05, 0.95])
        expected = [share, 40, np.mean(tau), low, high, np.mean(ap), np.mean(top)]
        assert row["measure"] == "AP"
        assert list(row.values())[1:] == pytest.approx(expected)
    assert table.cells("tau")[0] > table.cells("tau")[1]  # type: ignore[operator]


def test_one_order_turned_round() -> None:
    original = [0.3, 0.2, 0.1]
    (row,) = flips_table(original, {0.5: [[0.1, 0.2, 0.3], original]}, "AP").rows()
    assert row.pop("measure") == "AP"
    assert row == {"share": 0.5, "draws": 2, "tau": 0, "low": -0.95, "high": pytest.approx(0.95), "tau_ap": 0,
                   "first_stays": 0.5}  # fmt: skip


def test_lower_may_be_better() -> None:
    # From the lowest: the runs 1, 2, 0, and in the draw 1, 0, 2.
    original, draws = [3.0, 1.0, 2.0], [[2.0, 1.0, 3.0]]
    (row,) = flips_table(original, {0.1: draws}, "AP", lower_is_better=True).rows()
    assert [row["tau"], row["first_stays"]] == pytest.approx([1 / 3, 1])
    assert row["tau_ap"] == pytest.approx(ap_correlation([-3, -1, -2], [-2, -1, -3]))
    (higher,) = flips_table(original, {0.1: draws}, "AP").rows()
    assert [higher["tau"], higher["first_stays"]] == pytest.approx([1 / 3, 0])


@pytest.mark.parametrize(
    ("original", "draw", "stays"),
    [
        ([1, 0, 0], [1, 1, 0], 1 / 2),  # one of two, by lot
        ([1, 1, 0], [1, 0, 0], 1),  # it was on top, with another
        ([1, 1, 0], [0, 1, 1], 1 / 2),
        ([1, 1, 0], [0, 0, 1], 0),
        ([1, 0.5, 0], [0.3, 0.1 + 0.2, 0], 1 / 2),  # equal as decimals
    ],
)
def test_a_shared_top_is_split(original: list[float], draw: list[float], stays: float) -> None:
    assert flips_table(original, {0.1: [draw]}, "AP").cells("first_stays") == [stays]


def test_where_all_runs_are_equal_there_is_no_order() -> None:
    (row,) = flips_table([0.2, 0.1], {1.0: [[0.5, 0.5], [0.5, 0.5]]}, "AP").rows()
    assert (row["tau"], row["low"], row["high"], row["tau_ap"], row["first_stays"]) == (None, None, None, None, 0.5)
    # A draw without an order counts for the others only.
    (row,) = flips_table([0.2, 0.1], {1.0: [[0.5, 0.5], [0.6, 0.5]]}, "AP").rows()
    assert (row["tau"], row["low"], row["high"], row["tau_ap"], row["first_stays"]) == (1, 1, 1, 1, 0.75)


def test_flipped_labels_change_an_order() -> None:
    # One run finds the relevant half of the documents first, the second the other half: all labels flipped, the second
    # is as good as the first was.
    graded = assess_grades([[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1]])
    means = {
        share: [[float((grade[part][:3] > 0).mean()) for part in (slice(0, 6), slice(6, 12))]]
        for share, _, grade in flipped_grades(graded, [0.0, 1.0], 1)
    }
    table = flips_table([1.0, 0.0], means, "AP")
    assert table.cells("tau") == [1, -1]
    assert table.cells("first_stays") == [1, 0]


def test_a_table_knows_how_it_was_made() -> None:
    made_by = Provenance(command="leaderboard --flips .05", seed=3)
    table = flips_table([1, 2], {0.05: [[1, 2]]}, "AP", level=0.1, made_by=made_by)
    assert table.made_by == made_by
    assert table.caption == "the order of runs when a share of the labels is wrong; low to high holds 90% of the draws"
    assert len(flips_table([1, 2], {}, "AP")) == 0


def test_refusals() -> None:
    hint = "hint: give every draw a mean for each run: \\(draw, run\\)"
    with pytest.raises(ParameterError, match=f"2 runs, but flipped means of 1 × 3\n{hint}"):
        flips_table([1, 2], {0.1: [[1, 2, 3]]}, "AP")
    with pytest.raises(ParameterError, match=f"2 runs, but flipped means of 2\n{hint}"):
        flips_table([1, 2], {0.1: [1, 2]}, "AP")
    with pytest.raises(ParameterError, match="2 runs, but flipped means of 0"):
        flips_table([1, 2], {0.1: []}, "AP")
    with pytest.raises(ParameterError, match="the level cannot be 1"):
        flips_table([1, 2], {0.1: [[1, 2]]}, "AP", level=1)
