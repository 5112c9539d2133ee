"""Groups left out of a pool, against pools that are built without them by loops."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cranfield.collections import (
    Depth,
    Groups,
    LeftOut,
    MaxMean,
    Strategy,
    find_candidates,
    groups_table,
    leave_groups_out,
    left_out_bias,
    replay,
)
from cranfield.core import ParameterError, Provenance
from cranfield.data import read_entries, read_run
from tests.support.reference import pool_evaluation
from tests.support.reference.pool_evaluation import Plain, covid, simulated


def groups_of(case: Plain) -> Groups:
    runs = list(case.rankings)
    return Groups.among(runs, read_entries({"run": runs, "group": [case.team[run] for run in runs]}))


def left_out(case: Plain, strategies: list[Strategy], budgets: list[int], **options: Any) -> LeftOut:
    replays = [case.replay(one) for one in strategies]
    return leave_groups_out(replays, case.assessed, groups_of(case), judgments=budgets, **options)


def check_depth(case: Plain, budgets: list[int]) -> None:
    """Every row of depth pools, each pool by hand."""
    rows: list[dict[str, Any]] = groups_table(left_out(case, [Depth()], budgets)).rows()
    assert len(rows) == len(budgets) * len(case.rankings)
    at = iter(rows)
    for budget in budgets:
        pool = case.depth_pool(case.rankings, budget)
        values = case.means(pool)
        others = {}
        for team in set(case.team.values()):
            others[team] = case.depth_pool([run for run in case.rankings if case.team[run] != team], budget)
        for run in case.rankings:
            row, without = next(at), case.means(others[case.team[run]])
            free, seen = case.unjudged(others[case.team[run]], run, 10)
            assert row == {
                "strategy": "depth",
                "judgments": sum(map(len, pool.values())),
                "group": case.team[run],
                "run": run,
                "value": pytest.approx(values[run], abs=1e-12),
                "left_out": pytest.approx(without[run], abs=1e-12),
                "difference": pytest.approx(without[run] - values[run], abs=1e-12),
                "rank": pool_evaluation.rank(values, run),
                "rank_left_out": pool_evaluation.rank(without, run),
                "unjudged": pytest.approx(free / seen),
            }


@pytest.mark.parametrize("seed", range(3))
def test_depth_pools_without_each_group(seed: int) -> None:
    check_depth(simulated(seed), [2, 6, 20])


@pytest.mark.shared
def test_a_real_campaign_without_each_team(shared_data: Path) -> None:
    check_depth(covid(shared_data / "trec-covid"), [25])


def test_an_adaptive_strategy_never_hears_of_the_group() -> None:
    """Its pool without the group is the one that it makes of the other runs alone."""
    case = simulated(1)
    found = left_out(case, [MaxMean()], [5])
    judged = case.judged
    for number in range(len(found.groups)):
        members = found.groups.runs(number)
        left = judged.without(members.tolist())
        again = replay(MaxMean(), left, left.grades(case.qrels) >= 1, budget=5)
        means = case.means(case.after(again, 5))
        for run in members:
            assert found.left_out[0, 0, run] == pytest.approx(means[case.assessed.runs[run]], abs=1e-12)
            assert found.rank_left_out[0, 0, run] == pool_evaluation.rank(means, case.assessed.runs[run])


def test_a_higher_level_of_relevance_is_what_strategies_hear() -> None:
    case = simulated(2)
    high = [case.replay(MaxMean(), rel=2)]
    groups = groups_of(case)
    found = leave_groups_out(high, case.assessed, groups, measure="AP(rel=2)", judgments=[6], rel=2)
    members = groups.runs(0)
    left = case.judged.without(members.tolist())
    again = replay(MaxMean(), left, left.grades(case.qrels) >= 2, budget=6)
    values = case.ap(case.after(again, 6), rel=2)
    for run in members:
        own = values[case.assessed.runs[run]]
        assert found.left_out[0, 0, run] == pytest.approx(sum(own) / len(own), abs=1e-12)


def test_means_over_runs_are_the_bias() -> None:
    case = simulated(0)
    found = left_out(case, [Depth(), MaxMean()], [3, 9])
    rows: list[dict[str, Any]] = groups_table(found).rows()
    bias: list[dict[str, Any]] = left_out_bias(found).rows()
    assert [(row["strategy"], row["judgments"]) for row in bias] == list(
        dict.fromkeys((row["strategy"], row["judgments"]) for row in rows)
    )
    for row in bias:
        own = [one for one in rows if (one["strategy"], one["judgments"]) == (row["strategy"], row["judgments"])]
        difference = [one["difference"] for one in own]
        assert row["difference"] == pytest.approx(sum(difference) / len(own))
        assert row["relative"] == pytest.approx(sum(difference) / sum(one["value"] for one in own))
        assert row["absolute"] == pytest.approx(sum(map(abs, difference)) / len(own))
        assert row["largest"] == max(difference, key=abs)
        assert row["moved"] == pytest.approx(sum(abs(one["rank_left_out"] - one["rank"]) for one in own) / len(own))
        assert row["unjudged"] == pytest.approx(sum(one["unjudged"] for one in own) / len(own))
    assert found.bias("maxmean", 9) == pytest.approx(bias[3]["difference"])
    assert np.isnan(found.bias("maxmean", 4))
    assert np.isnan(found.bias("mtf", 9))


def test_a_run_that_was_never_pooled_loses_nothing() -> None:
    case = simulated(0)
    judged = case.judged.without([0])
    pooled = [replay(Depth(), judged, judged.grades(case.qrels) >= 1)]
    found = leave_groups_out(pooled, case.assessed, Groups.among(case.assessed.runs), judgments=[4])
    assert found.difference[0, 0, 0] == 0
    assert found.rank[0, 0, 0] == found.rank_left_out[0, 0, 0]
    assert (found.difference[0, 0, 1:] != 0).any()


def test_candidates_know_runs_by_name() -> None:
    """Runs that were pooled in another order than they are measured in."""
    case = simulated(1)
    runs = list(case.rankings)
    turned = [
        read_run({t: {d: -float(i) for i, d in enumerate(of)} for t, of in case.rankings[run].items()}, name=run)
        for run in reversed(runs)
    ]
    whole = find_candidates(turned, depth=case.depth)
    judged = whole.only(whole.grades(case.qrels) >= 0)
    pooled = [replay(Depth(), judged, judged.grades(case.qrels) >= 1)]
    found = leave_groups_out(pooled, case.assessed, groups_of(case), judgments=[1000])
    same = left_out(case, [Depth()], [1000])  # everything is judged: the order does not matter
    assert np.allclose(found.left_out, same.left_out)
    assert np.allclose(found.value, same.value)


def test_a_measure_without_a_value_has_no_rank() -> None:
    case = simulated(0)
    table = groups_table(left_out(case, [Depth()], [1], measure="ESL@1"))
    nothing = [i for i, value in enumerate(table.cells("value")) if value is None]
    assert nothing
    assert all(table.cells("rank")[i] is None for i in nothing)


def test_groups() -> None:
    entries = read_entries({"run": ["a", "b", "c", "x"], "group": ["x", "y", "x", None]})
    groups = Groups.among(["a", "b", "c", "x", "d"], entries)
    assert groups == Groups(("x", "y", "x", "d"), (0, 1, 0, 2, 3))  # the run x has no group, and is not of group x
    assert groups.runs(0).tolist() == [0, 2]
    assert len(groups) == 4
    assert Groups.among(["a", "b"]) == Groups(("a", "b"), (0, 1))


def test_progress_and_provenance_are_passed_on() -> None:
    case, heard = simulated(0), []
    found = left_out(case, [Depth(), MaxMean()], [2], progress=lambda *at: heard.append(at))
    steps = 2 * len(found.groups)
    assert heard == [(i, steps) for i in range(1, steps + 1)]
    made_by = Provenance(command="here")
    assert groups_table(found, made_by=made_by).made_by == left_out_bias(found, made_by=made_by).made_by == made_by
    assert repr(found) == f"LeftOut({len(found.groups)} groups, 2 strategies, 1 budgets)"


def test_one_group_is_refused() -> None:
    case = simulated(0)
    alone = Groups(("all",), (0,) * len(case.assessed.runs))
    with pytest.raises(ParameterError, match="nobody is left when a group is left out"):
        leave_groups_out([case.replay(Depth())], case.assessed, alone, judgments=[2])


def test_no_budget_is_refused() -> None:
    with pytest.raises(ParameterError, match="a budget is one judgment"):
        left_out(simulated(0), [Depth()], [0])
