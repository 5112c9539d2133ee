"""Does the order of two means survive whatever keeps the order of the values?"""

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cranfield.core import Direction, Provenance
from cranfield.data import Given, Values, read_scores
from cranfield.stats import flip_common, flip_topic, lifted
from cranfield.stats.comparison import meaningfulness as kernel
from cranfield.studies.comparison.rescaled_means import meaning_table

NAN = float("nan")


def scores(direction: Direction | None = None, **runs: Sequence[float]) -> Values:
    """Values of runs; NaN where the topic does not count for the run."""
    there = {run: [0.0 if value != value else value for value in values] for run, values in runs.items()}
    topics = [f"t{t + 1}" for t in range(len(next(iter(runs.values()))))]
    found = read_scores({"topic": topics, **there})
    counted = np.array([[value == value for value in values] for values in runs.values()])
    return replace(found, counted=counted, measures=(Given("M", direction=direction),))


def told(values: Values) -> tuple[list[Any], list[Any]]:
    """(better, survives, flip) under one transformation for all topics, and under one for each."""
    common, own = meaning_table(values, [(0, 1)]).rows()
    assert common["transformation"] == "one for all topics"
    assert own["transformation"] == "one per topic"
    return tuple([row["better"], row["survives"], row["flip"]] for row in (common, own))  # type: ignore[return-value]


def test_the_table() -> None:
    values = scores(a=[0.1, 0.2, 0.9], b=[0.3, 0.5, 0.6], c=[0.0, 0.1, 0.2])
    table = meaning_table(values, [(0, 1), (0, 2)])
    assert table.columns == ("a", "b", "measure", "transformation", "better", "survives", "flip")
    assert [(row["a"], row["b"], row["measure"], row["better"], row["survives"]) for row in table.rows()] == [
        ("a", "b", "M", "b", False),
        ("a", "b", "M", "b", False),
        ("a", "c", "M", "a", True),
        ("a", "c", "M", "a", True),
    ]
    assert table.made_by == values.made_by
    assert meaning_table(values, [(0, 1)], made_by=Provenance(seed=3)).made_by == Provenance(seed=3)


def test_a_mean_that_can_be_turned_round_by_hand() -> None:
    # b leads by .2 in the sum. Above .8 (from .6 to .9 the number of one digit next to .75) there is one value of a: it
    # needs more than .2. In topic 3 a leads by .3: its difference has to become more than .3 + .2, 5/3 of what it is.
    common, own = told(scores(a=[0.1, 0.2, 0.9], b=[0.3, 0.5, 0.6]))
    assert common == ["b", False, "add 0.21 to every value above 0.8"]
    assert own == ["b", False, "multiply the values of topic t3 by 1.7"]


def test_higher_in_every_topic_survives_both() -> None:
    assert told(scores(a=[0.1, 0.5, 0.3], b=[0.2, 0.5, 0.4])) == (["b", True, None], ["b", True, None])
    assert told(scores(a=[0.2, 0.5, 0.4], b=[0.1, 0.5, 0.3])) == (["a", True, None], ["a", True, None])


def test_higher_as_a_whole_survives_one_transformation_for_all_topics() -> None:
    # .2 and .6 are above .1 and .5; yet topic 2 speaks for a by .3, against .2 in the sum: more than 5/3.
    common, own = told(scores(a=[0.1, 0.5], b=[0.6, 0.2]))
    assert common == ["b", True, None]
    assert own == ["b", False, "multiply the values of topic t2 by 1.7"]


def test_lower_may_be_better() -> None:
    common, own = told(scores(Direction.LOWER, a=[1, 2, 9], b=[3, 5, 6]))
    assert common == ["a", False, "add 2.1 to every value above 8"]
    assert own == ["a", False, "multiply the values of topic t3 by 1.7"]
    assert told(scores(Direction.LOWER, a=[1, 2], b=[1, 3])) == (["a", True, None], ["a", True, None])
    assert told(scores(Direction.HIGHER, a=[1, 2], b=[1, 3])) == (["b", True, None], ["b", True, None])
    # Equal means: the larger one after the lift is the worse one.
    common, own = told(scores(Direction.LOWER, a=[1, 3], b=[2, 2]))
    assert common == ["neither", False, "add 1 to every value above 1.5: a is ahead then"]
    assert own == ["neither", False, "multiply the values of topic t1 by 2: a is ahead then"]


def test_equal_means_stay_equal_only_if_the_values_are() -> None:
    same = ["neither", True, None]
    assert told(scores(a=[0.1, 0.7], b=[0.1, 0.7])) == (same, same)
    # The same values in other topics: nothing common moves one mean alone.
    assert told(scores(a=[1, 2], b=[2, 1])) == (
        same,
        ["neither", False, "multiply the values of topic t1 by 2: b is ahead then"],
    )
    # Above 1.5 are two of b and one of a; topic 1 speaks for b as much as topic 2 for a.
    assert told(scores(a=[1, 3], b=[2, 2])) == (
        ["neither", False, "add 1 to every value above 1.5: b is ahead then"],
        ["neither", False, "multiply the values of topic t1 by 2: b is ahead then"],
    )
    # Equal as numbers, though not as floats.
    third = 1 / 2 - 1 / 3
    assert third != 1 / 6
    assert told(scores(a=[third, 0.5], b=[1 / 6, 0.5])) == (same, same)


def test_the_same_values_have_the_same_mean_in_any_order() -> None:
    # Added up in another order, they would differ by more than what counts as none.
    a = [1e7, 0.3, 0.3]
    assert (1e7 + 0.3) + 0.3 - ((0.3 + 0.3) + 1e7) > 1e-9
    assert told(scores(a=a, b=a[::-1]))[0] == ["neither", True, None]


def test_only_topics_of_both_count() -> None:
    with_gaps = scores(a=[0.1, NAN, 0.2, 0.9, 0.0], b=[0.3, 1.0, 0.5, 0.6, NAN])
    common, own = told(with_gaps)
    assert common == ["b", False, "add 0.21 to every value above 0.8"]
    assert own == ["b", False, "multiply the values of topic t4 by 1.7"]


def test_without_a_topic_there_is_nothing_to_say() -> None:
    values = scores(a=[0.1, NAN], b=[NAN, 0.2])
    assert told(values) == ([None, None, None], [None, None, None])
    assert meaning_table(values, [(0, 1)]).notes == ("a and b: no topic in which both have a value",)
    assert meaning_table(scores(a=[0.1], b=[0.2]), [(0, 1)]).notes == ()


def test_where_floats_cannot_tell_the_order_can() -> None:
    values = scores(a=[0.5, 0.5, 0.2], b=[0.5, 0.5, 0.3])
    order = np.array([[1.0, 2.0, 1.0], [1.0, 1.0, 2.0]])[:, :, None]  # (run, topic, measure): a is ahead in topic 2
    common, own = told(replace(values, order=order))
    assert common == ["b", True, None]
    assert own == ["b", False, "stretch topic t2 until it outweighs all others"]
    # Where values do differ, the number is told; here 1 + .1/.2.
    values = scores(a=[0.5, 0.5, 0.2], b=[0.5, 0.3, 0.5])
    assert told(replace(values, order=order))[1] == ["b", False, "multiply the values of topic t2 by 1.6"]


def test_measures_and_blocks_follow_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    one = scores(a=[0.1, 0.2, 0.9], b=[0.3, 0.5, 0.6], c=[0.0, 0.1, 0.2])
    both = replace(
        one,
        measures=(Given("up"), Given("down", direction=Direction.LOWER)),
        cube=np.concatenate([one.cube, -one.cube], axis=2),
    )
    chosen = [(0, 1), (0, 2), (1, 2)]
    whole = meaning_table(both, chosen)
    assert [row["measure"] for row in whole.rows()] == ["up"] * 6 + ["down"] * 6
    assert whole["better"][:6] == whole["better"][6:]  # turned round twice
    assert whole["survives"][:6] == whole["survives"][6:]
    monkeypatch.setattr(kernel, "CELLS", 8)
    assert meaning_table(both, chosen) == whole


# Every pair of runs of three topics with four values, against plain definitions

VALUES = [0.0, 1 / 3, 2 / 3, 2.5]
EVERY = list(product(VALUES, repeat=3))
PAIRS = list(permutations(range(len(EVERY)), 2))
LIFT = re.compile(r"add (\S+) to every value above ([^\s:]+)(?:: ([ab]) is ahead then)?")
STRETCH = re.compile(r"multiply the values of topic t(\d) by ([^\s:]+)(?:: ([ab]) is ahead then)?")


def exact_sum(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction(0))


def turned(found: re.Match[str], better: str, a: Sequence[Fraction], b: Sequence[Fraction]) -> bool:
    """Whether the words are true of the sums, in exact arithmetic."""
    after = found.group(3) or {"a": "b", "b": "a"}[better]
    one, other = exact_sum(a), exact_sum(b)
    return other > one if after == "b" else one > other


def test_every_pair_of_three_topics() -> None:
    names = [f"r{i}" for i in range(len(EVERY))]
    runs: dict[str, Any] = dict(zip(names, EVERY, strict=True))
    values = scores(**runs)
    rows = meaning_table(values, PAIRS).rows()
    assert len(rows) == 2 * len(PAIRS) == 2 * 64 * 63
    exact = [[Fraction(k, 3) if k < 3 else Fraction(5, 2) for k in map(VALUES.index, run)] for run in EVERY]
    seen: dict[tuple[Any, Any, Any], int] = {}
    for (i, j), common, own in zip(PAIRS, rows[::2], rows[1::2], strict=True):
        a, b = exact[i], exact[j]
        ahead = "b" if sum(b) > sum(a) else "a" if sum(a) > sum(b) else "neither"
        low, high = (a, b) if ahead == "b" else (b, a)
        # First-order stochastic dominance: the k-th smallest of one is at least that of the other, for every k.
        pooled = all(y >= x for x, y in zip(sorted(low), sorted(high), strict=True))
        everywhere = all(y >= x for x, y in zip(low, high, strict=True))
        if ahead == "neither":
            pooled, everywhere = sorted(a) == sorted(b), a == b
        assert (common["better"], common["survives"]) == (ahead, pooled)
        assert (own["better"], own["survives"]) == (ahead, everywhere)
        if not pooled:
            found = LIFT.fullmatch(str(common["flip"]))
            assert found
            lift, threshold = Fraction(found[1]), Fraction(found[2])
            assert lift > 0
            assert turned(found, ahead, *([x + lift * (x > threshold) for x in side] for side in (a, b)))
        if not everywhere:
            found = STRETCH.fullmatch(str(own["flip"]))
            assert found
            topic, factor = int(found[1]) - 1, Fraction(found[2])
            assert factor > 1
            assert turned(found, ahead, *([x * (factor if t == topic else 1) for t, x in enumerate(s)] for s in (a, b)))
        assert (common["flip"] is None, own["flip"] is None) == (pooled, everywhere)
        seen[ahead, pooled, everywhere] = seen.get((ahead, pooled, everywhere), 0) + 1
    # Every case occurs: what survives one transformation per topic survives one for all.
    assert set(seen) == {
        *((ahead, *survives) for ahead in "ab" for survives in ((True, True), (True, False), (False, False))),
        ("neither", True, False),
        ("neither", False, False),
    }


def test_nothing_turns_round_what_survives_all() -> None:
    # Drawn strictly increasing transformations of the four values: none turns a mean that is said to survive.
    rng = np.random.default_rng(7)
    runs = np.array(EVERY)
    places = np.searchsorted(VALUES, runs)
    a, b = np.array(PAIRS).T
    toward = flip_common(runs[a], runs[b])[2]
    safe = (toward == 0) & (np.abs(runs[b].sum(axis=1) - runs[a].sum(axis=1)) > 1e-9)
    before = np.sign(runs[b].sum(axis=1) - runs[a].sum(axis=1))
    turned_once = np.zeros(len(PAIRS), bool)
    for _ in range(300):
        new = np.cumsum(10.0 ** rng.uniform(-4, 4, len(VALUES)))[places]
        after = np.sign(new[b].sum(axis=1) - new[a].sum(axis=1))
        assert (after[safe] == before[safe]).all()
        turned_once |= after == -before
    assert turned_once[~safe].mean() > 0.5  # most others are turned even by chance


# The functions behind the table


def one(values: Sequence[float]) -> NDArray[np.float64]:
    return np.array([values], dtype=float)


def test_the_smallest_lift_is_told_at_the_widest_gap() -> None:
    # From 3.5 to 4 and from 4 to 9 there is one topic more of a above; b leads by 1.5 in the sum. (4 + 9)/2 is near 6.
    a, b = one([0, 0, 4, 9]), one([3.5, 3.5, 3.5, 4])
    threshold, lift, toward = flip_common(a, b)
    assert (threshold.tolist(), lift.tolist(), toward.tolist()) == ([6.0], [1.6], [-1])
    np.testing.assert_allclose(lifted(a, threshold, lift), one([0, 0, 4, 10.6]))
    np.testing.assert_allclose(lifted(b, threshold, lift), b)


def test_a_threshold_has_as_few_digits_as_will_do() -> None:
    for low, high in [(0.12344, 0.12349), (0.1, 0.9), (-1.0, 1.0), (-0.5, -0.25), (1234.0, 1240.0), (1e-9, 2e-9)]:
        found = float(kernel._between(np.array([low]), np.array([high]))[0])
        assert low < found < high
        digits = [d for d in range(1, 18) if low < float(f"{(low + high) / 2:.{d - 1}e}") < high]
        assert found == float(f"{(low + high) / 2:.{digits[0] - 1}e}")
    # Between neighbours among floats there is nothing; what lies above the lower one is the higher one.
    low, high = 1e15, np.nextafter(1e15, np.inf)
    assert kernel._between(np.array([low]), np.array([high])).tolist() == [low]


def test_a_lift_is_not_lost_among_large_values() -> None:
    # Near 1e15 floats step by .125, and a difference of means is known to 8 eps of twice their size, 3.6.
    base = 1e15
    a, b = one([base, base + 200]), one([base + 100, base + 125])
    threshold, lift, toward = flip_common(a, b)
    assert toward.tolist() == [-1]
    assert kernel.mean_difference(lifted(a, threshold, lift), lifted(b, threshold, lift))[0] < 0


def test_a_small_difference_counts_if_the_values_are_as_small() -> None:
    a, b = np.zeros((1, 10)), one([3e-130] + [0.0] * 9)
    assert kernel.mean_difference(a, b)[0] == pytest.approx(3e-131, rel=1e-12, abs=0)
    assert flip_topic(a, b)[2].tolist() == [0]  # b is ahead wherever they differ


def test_differences_that_are_none_turn_nothing() -> None:
    a, b = one([1 / 2 - 1 / 3, 0.2]), one([1 / 6, 0.3])
    assert a[0, 0] > b[0, 0]
    assert flip_common(a, b)[2].tolist() == flip_topic(a, b)[2].tolist() == [0]


def test_what_nothing_turns_has_no_numbers() -> None:
    a, b = one([0.1, 0.2]), one([0.1, 0.3])
    threshold, lift, toward = flip_common(a, b)
    assert np.isnan([*threshold, *lift]).all()
    assert toward.tolist() == [0]
    _, factor, toward = flip_topic(a, b)
    assert np.isnan(factor).all()
    assert toward.tolist() == [0]
