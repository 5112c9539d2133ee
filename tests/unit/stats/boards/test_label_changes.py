"""A board under other judgments: ranks, moves and the order of runs, against loops and scipy."""

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats

from cranfield.core import Direction, ParameterError, Table
from cranfield.data import Given, Values, read_scores
from cranfield.stats import (
    Asked,
    Holm,
    Relabelled,
    T,
    changed_pairs_table,
    order_table,
    relabelled_sentence,
    relabelled_table,
)

NAN = float("nan")


def scores(runs: dict[str, Any], *, lower: bool = False, name: str = "m") -> Values:
    """Values of runs; NaN where a topic does not count for a run."""
    there = {run: np.nan_to_num(np.asarray(column, dtype=float)) for run, column in runs.items()}
    counted = np.array([~np.isnan(np.asarray(column, dtype=float)) for column in runs.values()])
    measure = Given(name, direction=Direction.LOWER if lower else Direction.HIGHER)
    return replace(read_scores(there), measures=(measure,), counted=counted)


def two(values: Values, other: Values) -> Values:
    """Values of two measures."""
    other = other.of_runs([other.runs.index(run) for run in values.runs])
    return replace(
        values,
        measures=(*values.measures, *other.measures),
        cube=np.concatenate([values.cube, other.cube], axis=2),
        without_relevant=np.concatenate([values.without_relevant, other.without_relevant]),
    )


BEFORE = {"x": [0.9, 0.7], "y": [0.6, 0.6], "z": [0.5, 0.7], "w": [0.1, 0.3]}  # means .8 .6 .6 .2
AFTER = {"w": [0.3, 0.5], "x": [0.7, 0.7], "y": [0.8, 0.8], "z": [0.2, 0.4]}  # means .4 .7 .8 .3


def test_ranks_before_and_after() -> None:
    table = relabelled_table(Relabelled.of(scores(BEFORE), scores(AFTER)), groups={"x": "team"})
    assert table.columns == ("run", "group", "before", "after", "difference", "rank_before", "rank_after", "move")
    rows = table.rows()
    assert [(row["run"], row["rank_before"], row["rank_after"], row["move"]) for row in rows] == [
        ("y", 2, 1, 1),  # equal with z before: both have the better rank
        ("x", 1, 2, -1),
        ("w", 4, 3, 1),
        ("z", 2, 4, -2),
    ]
    assert [row["group"] for row in rows] == [None, "team", None, None]
    assert [row["difference"] for row in rows] == pytest.approx([0.2, -0.1, 0.2, -0.3])
    assert table.caption == "m before and after"
    assert table.notes == ()


def test_less_may_be_better() -> None:
    rows = relabelled_table(Relabelled.of(scores(BEFORE, lower=True), scores(AFTER, lower=True))).rows()
    assert [(row["run"], row["rank_before"], row["rank_after"]) for row in rows] == [
        ("z", 2, 1),
        ("w", 1, 2),
        ("x", 4, 3),
        ("y", 2, 4),
    ]


@pytest.mark.parametrize("seed", range(4))
def test_the_order_by_loops_and_by_scipy(seed: int) -> None:
    draw = np.random.default_rng(seed)
    before = draw.uniform(size=(7, 5)).round(1)
    after = (before + draw.normal(0, 0.2, before.shape)).round(1)
    names = [f"r{i}" for i in range(7)]
    found = Relabelled.of(*(scores(dict(zip(names, side, strict=True))) for side in (before, after)))
    row: dict[str, Any] = order_table(found).rows()[0]
    old, new = ([round(sum(line), 6) for line in side.tolist()] for side in (before, after))
    assert row["tau"] == pytest.approx(stats.kendalltau(old, new).statistic)
    swaps = sum((old[i] - old[j]) * (new[i] - new[j]) < 0 for i, j in combinations(range(7), 2))
    ranks = [[1 + sum(other > mine for other in side) for mine in side] for side in (old, new)]
    assert row["swaps"] == swaps
    assert row["largest_move"] == max(abs(a - b) for a, b in zip(*ranks, strict=True))
    for when, mine in zip(("first_before", "first_after"), ranks, strict=True):
        first = [name for name, rank in zip(names, mine, strict=True) if rank == 1]
        assert row[when] == " and ".join(first).replace(" and ", ", ", max(len(first) - 2, 0))


def test_tau_ap_weighs_the_top() -> None:
    # yilmaz2008: below the top of the order after, 2/(n−1) Σ share of those above that were above before − 1.
    before, after = {"a": [4.0], "b": [3.0], "c": [2.0]}, {"a": [3.0], "b": [4.0], "c": [2.0]}
    row = order_table(Relabelled.of(scores(before), scores(after))).rows()[0]
    assert row["tau_ap"] == pytest.approx(2 / 2 * (0 / 1 + 2 / 2) - 1)
    assert row["tau"] == pytest.approx((2 - 1) / 3)


def test_a_row_for_every_measure_that_both_have_the_asked_one_first() -> None:
    before = two(scores(BEFORE), scores(AFTER, name="n"))
    after = two(scores(AFTER), scores(AFTER, name="n"))
    rows = order_table(Relabelled.of(before, after), "n").rows()
    assert [(row["measure"], row["swaps"]) for row in rows] == [("n", 0), ("m", 2)]  # x–y, z–w turn round
    assert relabelled_table(Relabelled.of(before, after), "n").cells("move") == [0, 0, 0, 0]
    turned = two(scores(AFTER, name="n"), scores(BEFORE))  # the same measures in another order
    assert order_table(Relabelled.of(before, turned)).cells("swaps") == [0, 0]
    with pytest.raises(ParameterError, match="there are no values of q"):
        relabelled_table(Relabelled.of(before, after), "q")


def test_a_measure_whose_name_depends_on_the_top_grade() -> None:
    found = Relabelled.of(scores(BEFORE, name="ERR(max_rel=1)"), scores(AFTER, name="ERR(max_rel=2)"))
    assert found.notes == ("ERR(max_rel=1) before is held against ERR(max_rel=2) after",)
    assert order_table(found).cells("measure") == ["ERR(max_rel=2)"]


def test_what_only_one_has_is_left_out_and_told() -> None:
    less = {run: AFTER[run] for run in ("x", "y")} | {"new": [0.9, 0.9]}
    found = Relabelled.of(scores(BEFORE), scores(less).only(["1"]))
    assert found.before.runs == found.after.runs == ("x", "y")
    assert found.notes == (
        "3 runs have values only before or only after: left out",
        "1 topic is there only before or only after: the values are of different topics",
    )
    with pytest.raises(ParameterError, match="no run has values before and after"):
        Relabelled.of(scores(BEFORE), scores({"new": [0.9, 0.9]}))
    one = two(scores(BEFORE), scores(BEFORE, name="n"))
    with pytest.raises(ParameterError, match="m before cannot be held against n and m2 after"):
        Relabelled.of(scores(BEFORE), replace(one, measures=(_Other("n"), _Other("m2"))))


class _Other(Given):
    """Numbers of another kind."""


def test_a_run_without_a_value_stands_in_no_order() -> None:
    before = scores({"x": [0.9, 0.7], "y": [NAN, NAN], "z": [0.2, 0.2]})
    found = Relabelled.of(before, scores({run: AFTER[run] for run in ("x", "y", "z")}))
    rows = {row["run"]: row for row in relabelled_table(found).rows()}
    assert (rows["y"]["rank_before"], rows["y"]["rank_after"], rows["y"]["move"]) == (None, None, None)
    row = order_table(found).rows()[0]
    assert (row["tau"], row["swaps"], row["first_before"], row["first_after"]) == (1.0, 0, "x", "x")
    alone = Relabelled.of(scores({"x": [NAN]}), scores({"x": [0.5]}))
    assert set(order_table(alone).rows()[0].values()) == {"m", None}
    assert relabelled_sentence(relabelled_table(alone), order_table(alone)) == "No run has a value before and after."


def test_one_run_has_no_order() -> None:
    found = Relabelled.of(scores({"x": [0.5]}), scores({"x": [0.4]}))
    row = order_table(found).rows()[0]
    assert (row["tau"], row["tau_ap"], row["swaps"], row["largest_move"]) == (None, None, 0, 0)


def test_pairs_that_a_test_tells_apart_by_loops() -> None:
    draw = np.random.default_rng(3)
    topic = draw.normal(0.4, 0.2, 20)
    before = {f"r{i}": topic + draw.normal(0.06 * i, 0.1, 20) for i in range(5)}
    after = {run: column + draw.normal(0, 0.08, 20) for run, column in before.items()}
    after["r4"] = after["r4"] - 0.3
    told: list[dict[tuple[str, str], tuple[bool, float]]] = []
    for side in (before, after):
        pairs = list(combinations(side, 2))
        p = [stats.ttest_rel(side[b], side[a]).pvalue for a, b in pairs]
        order = np.argsort(p)
        adjusted = np.maximum.accumulate((len(p) - np.arange(len(p))) * np.array(p)[order])  # Holm
        sure = dict(zip(order.tolist(), (adjusted <= 0.05).tolist(), strict=True))
        told.append({pair: (sure[i], float(np.mean(side[pair[1]] - side[pair[0]]))) for i, pair in enumerate(pairs)})
    both = [pair for pair in told[0] if told[0][pair][0] and told[1][pair][0]]
    found = Relabelled.of(scores(before), scores(after))
    table = changed_pairs_table(found, test=T(), correction=Holm(), asked=Asked(level=0.05))
    assert table.rows() == [
        {
            "from": "m before",
            "to": "m after",
            "pairs": 10,
            "both": len(both),
            "gained": sum(told[1][pair][0] and not told[0][pair][0] for pair in told[0]),
            "lost": sum(told[0][pair][0] and not told[1][pair][0] for pair in told[0]),
            "neither": sum(not told[0][pair][0] and not told[1][pair][0] for pair in told[0]),
            "reversed": sum(told[0][pair][1] * told[1][pair][1] < 0 for pair in both),
        }
    ]
    assert table.cells("lost") != [0]


def said(before: dict[str, Any], after: dict[str, Any], judgments: Table | None = None) -> str:
    found = Relabelled.of(scores(before), scores(after))
    return relabelled_sentence(relabelled_table(found), order_table(found), judgments)


def test_sentences() -> None:
    assert said(BEFORE, AFTER) == (
        "4 of 4 runs change rank; the largest move is 2 ranks; the first is y, before it was x."
    )
    assert said(BEFORE, BEFORE) == "None of 4 runs changes rank; the first stays x."
    assert said({"x": [1.0]}, {"x": [0.5]}) == "None of 1 run changes rank; the first stays x."
    tied = {"x": [0.5], "y": [0.5]}
    assert said(tied, {"x": [0.5], "y": [0.4]}) == (
        "1 of 2 runs changes rank; the largest move is 1 rank; the first is x, before it was x and y."
    )
    counts = Table({"what": ["added", "removed", "raised", "lowered", "same"], "count": [1200, 0, 1, 0, 3]})
    assert said(BEFORE, BEFORE, counts).endswith("x. Judgments: 1,200 added, 1 raised and 3 the same.")
    none = Table({"what": ["added"], "count": [0]})
    assert said(BEFORE, BEFORE, none).endswith("There are no judgments.")
