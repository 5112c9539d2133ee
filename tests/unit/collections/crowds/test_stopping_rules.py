"""When to stop asking: confidence by counting coins, labels replayed one by one by loops."""

from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cranfield.collections import Majority, Stopping, stopping_table
from cranfield.core import ParameterError
from cranfield.data import Answers, Labels, Source, Strings


def labels_of(rows: list[tuple[int, int, int]], *, choices: int = 2, time: NDArray[np.float64] | None = None) -> Labels:
    item, worker, choice = np.array(rows, dtype=np.int64).T
    items, workers = int(item.max()) + 1, int(worker.max()) + 1
    return Labels(
        ("1",),
        np.zeros(items, dtype=np.int64),
        Strings([f"d{i}" for i in range(items)]),
        tuple(f"w{i}" for i in range(workers)),
        np.zeros(workers, dtype=bool),
        np.arange(choices, dtype=float),
        Answers(item, worker, choice, items, workers, choices),
        time,
        Source("labels", "", "labels"),
    )


def above_half(a: int, b: int) -> float:
    """P(p > 1/2) of Beta(a, b) with whole a and b: that of at most a − 1 heads in a + b − 1 tosses of a fair coin."""
    tosses = a + b - 1
    return float(Fraction(sum(comb(tosses, heads) for heads in range(a)), 2**tosses))


def test_each_label_that_agrees_halves_the_doubt() -> None:
    counts = np.array([[0, n] for n in range(6)])
    assert Stopping().confidence(counts) == pytest.approx([1 - 2.0 ** -(n + 1) for n in range(6)], abs=1e-15)


@pytest.mark.parametrize("prior", [(1, 1), (2, 2), (3, 1), (1, 4)])
def test_confidence_is_the_likelier_side_of_one_half(prior: tuple[int, int]) -> None:
    rule = Stopping(prior=prior)
    counts = np.array([[lower, higher] for lower in range(5) for higher in range(5)])
    expected = [above_half(prior[0] + higher, prior[1] + lower) for lower, higher in counts.tolist()]
    assert rule.confidence(counts) == pytest.approx([max(p, 1 - p) for p in expected], abs=1e-14)
    # Where both are as likely, the higher choice leads.
    assert rule.leading(counts).tolist() == [int(p >= 0.5 - 1e-14) for p in expected]


def test_of_more_choices_the_two_with_most_labels_meet() -> None:
    counts = np.array([[3, 0, 1], [2, 5, 2], [0, 2, 2], [0, 0, 0]])
    rule = Stopping()
    assert rule.leading(counts).tolist() == [0, 1, 2, 2]
    assert rule.confidence(counts) == pytest.approx([above_half(4, 2), above_half(6, 3), 0.5, 0.5], abs=1e-15)
    # A prior that leans to the higher of two leans so whichever they are.
    leaning = Stopping(prior=(3, 1)).confidence(counts)
    assert leaning[:2] == pytest.approx([1 - above_half(4, 4), 1 - above_half(5, 6)], abs=1e-15)


def test_against_every_other_choice_doubts_add_up() -> None:
    counts = np.array([[3, 0, 1], [2, 5, 2], [0, 2, 2], [0, 0, 0]])
    rule = Stopping(against="every")
    doubts = [
        (1 - above_half(4, 1)) + (1 - above_half(4, 2)),
        2 * (1 - above_half(6, 3)),
        (1 - above_half(3, 1)) + 0.5,
        1.0,
    ]
    assert rule.confidence(counts) == pytest.approx([1 - doubt for doubt in doubts], abs=1e-14)
    assert rule.leading(counts).tolist() == [0, 1, 2, 2]
    leaning = Stopping(against="every", prior=(3, 1)).confidence(np.array([[0, 6, 1]]))
    # Above it is 2, with 3 + 1 beside 1 + 6; below it is 0, with 1 + 0 beside 3 + 6.
    assert leaning == pytest.approx([1 - (1 - above_half(7, 4)) - (1 - above_half(9, 1))], abs=1e-14)
    two = np.array([[3, 1], [0, 0]])
    assert (rule.confidence(two) == Stopping().confidence(two)).all()


def test_one_choice_leaves_no_doubt() -> None:
    assert Stopping().confidence(np.array([[0], [3]])).tolist() == [1, 1]
    assert Stopping().leading(np.array([[0], [3]])).tolist() == [0, 0]


def test_it_is_enough_when_certain_or_when_the_budget_ends() -> None:
    counts = np.array([[0, 3], [0, 4], [1, 4], [1, 6], [5, 5], [4, 5]])
    # 15/16, 31/32, 57/64 and 247/256 beside .95; then ten labels, and nine.
    assert Stopping().enough(counts).tolist() == [False, True, False, True, True, False]
    assert Stopping(least=5).enough(counts).tolist() == [False, False, False, True, True, False]
    assert Stopping(most=4).enough(counts).tolist() == [False, True, True, True, True, True]
    # .25 of doubt is reached by one label, though 1 − .25 is computed.
    assert Stopping(delta=0.25).enough(np.array([[0, 1], [0, 0]])).tolist() == [True, False]


def test_the_least_certain_item_is_asked_for_first() -> None:
    chosen = {0: "1111", 1: "10", 2: "1", 3: "1010", 4: "111"}
    rows = [(item, worker, int(c)) for item, said in chosen.items() for worker, c in enumerate(said)]
    rows.append((6, 0, 1))  # and nobody labelled 5
    answers = labels_of(rows).answers
    assert Stopping().next_items(answers).tolist() == [5, 1, 3, 2, 6, 4]
    assert Stopping().next_items(answers, number=2).tolist() == [5, 1]
    assert Stopping(most=3).next_items(answers).tolist() == [5, 1, 2, 6]
    assert Stopping(most=1).next_items(answers).tolist() == [5]


def slow_replay(labels: Labels, delta: float, most: int, truth: list[int]) -> tuple[int, float, float]:
    """Labels used, share of items that stop, and share that is wrong: item by item and label by label."""
    order = np.argsort(labels.time, kind="stable") if labels.time is not None else np.arange(len(labels))
    used = stopped = wrong = known = 0
    items = sorted(set(labels.answers.item.tolist()))
    for item in items:
        counts = [0, 0]
        sure = False
        for row in order.tolist():
            if labels.answers.item[row] != item or sure or sum(counts) >= most:
                continue
            counts[labels.answers.choice[row]] += 1
            chance = above_half(1 + counts[1], 1 + counts[0])
            sure = max(chance, 1 - chance) >= 1 - delta
        used += sum(counts)
        stopped += sure
        if truth[item] >= 0:
            known += 1
            wrong += int(counts[1] >= counts[0]) != truth[item]
    return used, stopped / len(items), wrong / known


def simulated(seed: int) -> tuple[Labels, NDArray[np.int64]]:
    random = np.random.default_rng(seed)
    truth = random.integers(0, 2, 80)
    rows = [
        (i, w, int(truth[i]) if random.random() < 0.7 else 1 - int(truth[i]))
        for i in random.permutation(80).tolist()
        for w in range(int(random.integers(1, 13)))
    ]
    labels = labels_of([rows[i] for i in random.permutation(len(rows))], time=random.random(len(rows)).round(1))
    return labels, np.where(random.random(80) < 0.5, truth, -1)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("most", [None, 5])
def test_the_replay_is_that_of_loops(seed: int, most: int | None) -> None:
    labels, gold = simulated(seed)
    merged = Majority().merge(labels.answers)
    table = stopping_table(labels, merged, gold, most=most)
    everything = slow_replay(labels, 1e-9, 99, gold.tolist())[2]
    assert [row["delta"] for row in table.rows()] == [0.2, 0.1, 0.05, 0.01]
    for row in table.rows():
        used, stopped, wrong = slow_replay(labels, row["delta"], most or 99, gold.tolist())  # type: ignore[arg-type]
        assert row["labels"] == used
        assert row["per_item"] == pytest.approx(used / 80, abs=1e-15)
        assert row["stopped"] == pytest.approx(stopped, abs=1e-15)
        assert row["error"] == pytest.approx(wrong, abs=1e-15)
        assert row["all_error"] == pytest.approx(everything, abs=1e-15)
        assert row["low"] < row["error"] < row["high"]  # type: ignore[operator]
        assert row["most"] == (most or int(np.bincount(labels.answers.item).max()))
    assert table.caption.endswith(f"of 80 items, beside gold of {(gold >= 0).sum()}")


def test_without_gold_all_labels_together_are_right() -> None:
    labels, gold = simulated(9)
    merged = Majority().merge(labels.answers)
    for none in (None, np.full(80, -1)):
        table = stopping_table(labels, merged, none, deltas=(0.1,))
        used, stopped, wrong = slow_replay(labels, 0.1, 99, merged.choice.tolist())
        row: dict[str, Any] = table.rows()[0]
        assert (row["labels"], row["stopped"], row["error"]) == (used, pytest.approx(stopped), pytest.approx(wrong))
        assert row["all_error"] == 0
        assert table.caption.endswith("beside what majority makes of all labels")
    assert (gold >= 0).any()


def test_without_times_rows_are_in_order() -> None:
    rows = [(0, 0, 1), (0, 1, 1), (0, 2, 0), (0, 3, 0), (0, 4, 0), (0, 5, 0)]
    first, later = labels_of(rows), labels_of(rows, time=-np.arange(6.0))
    merged = Majority().merge(first.answers)
    one, other = (stopping_table(given, merged, deltas=(0.2,)).rows()[0] for given in (first, later))
    assert (one["labels"], one["error"], one["all_error"]) == (2, 1, 0)
    assert (other["labels"], other["error"]) == (2, 0)


def test_a_rule_can_be_given() -> None:
    labels, _ = simulated(2)
    merged = Majority().merge(labels.answers)
    plain = stopping_table(labels, merged, deltas=(0.2,), most=2)
    careful = stopping_table(labels, merged, deltas=(0.2,), most=2, stopping=Stopping(least=6, most=8))
    assert careful["labels"][0] == np.minimum(np.bincount(labels.answers.item), 2).sum()  # the least is no more than 2
    assert plain["labels"][0] == careful["labels"][0]
    doubting = stopping_table(labels, merged, deltas=(0.2,), stopping=Stopping(prior=(9, 9)))
    assert doubting["stopped"][0] < stopping_table(labels, merged, deltas=(0.2,))["stopped"][0]  # type: ignore[operator]


def test_items_without_labels_are_not_replayed() -> None:
    table = stopping_table(
        labels_of([(0, 0, 1), (2, 0, 1)]), Majority().merge(labels_of([(0, 0, 1), (2, 0, 1)]).answers)
    )
    assert table["per_item"][0] == 1
    assert table.caption.startswith("stopping early among 2 labels of 2 items")


def test_a_rule_is_a_value_and_says_what_it_is() -> None:
    assert Stopping(delta=0.1) == Stopping(delta=0.1) != Stopping()
    assert len({Stopping(), Stopping(most=10), Stopping(prior=(1, 2))}) == 2
    assert str(Stopping()) == "stopping"
    assert repr(Stopping(prior=(2, 1.5), delta=0.1)) == "stopping(delta=0.1, prior=(2, 1.5))"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"delta": 0}, "delta=0"),
        ({"most": 0}, "most=0"),
        ({"least": 11}, "at least 11 labels, and at most 10"),
        ({"prior": (0, 1)}, "the prior cannot be"),
        ({"prior": (1, 1, 1)}, "the prior cannot be"),
        ({"against": "none"}, "against='none'"),
    ],
)
def test_rules_that_make_no_sense_are_refused(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        Stopping(**settings)


def test_gold_of_other_items_is_refused() -> None:
    labels, _ = simulated(0)
    with pytest.raises(ParameterError, match="gold of 3 items for 80"):
        stopping_table(labels, Majority().merge(labels.answers), np.array([0, 1, 1]))
