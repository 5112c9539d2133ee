"""What is said of pools, and when."""

from typing import Any

import pytest

from cranfield.collections import (
    Depth,
    Groups,
    MaxMean,
    leave_groups_out,
    pooled_sentence,
    replay_sentence,
    replay_table,
    reuse_sentence,
    reuse_table,
    unjudged_table,
)
from cranfield.core import ParameterError, Table
from tests.support.reference.pool_evaluation import simulated

REPLAY = (
    *("strategy", "judgments", "per_topic", "relevant", "recall", "precision"),
    *("tau", "tau_ap", "bias", "kept", "gained", "reversed"),
)


def row(strategy: str, per_topic: int, relevant: int, **other: Any) -> dict[str, Any]:
    """A row of 100 relevant documents and 10 topics."""
    known = {"strategy": strategy, "judgments": 10 * per_topic, "per_topic": per_topic, "relevant": relevant}
    known |= {"recall": relevant / 100, "precision": relevant / (10 * per_topic), "tau": None, "tau_ap": None}
    return known | {"bias": None, "kept": None, "gained": 0, "reversed": 0} | other


def replayed(*rows: dict[str, Any]) -> Table:
    return Table.from_rows(rows, REPLAY)


def test_who_finds_most_and_by_how_much() -> None:
    said = replay_sentence(replayed(row("depth", 5, 20), row("maxmean", 5, 32), row("hedge", 5, 31)))
    assert said == (
        "With 5 judgments per topic (50 in all), maxmean finds 32 relevant documents (32.0%); "
        "depth finds 20.0%, 12.0 points fewer."
    )


def test_small_differences_are_called_small() -> None:
    rows = [row("depth", 5, 32, recall=0.3195), row("maxmean", 5, 32), row("hedge", 5, 31, recall=0.3105)]
    assert replay_sentence(replayed(*rows)) == (
        "With 5 judgments per topic (50 in all), depth finds 32 relevant documents (31.9%); "
        "maxmean and hedge are within a point of that."
    )
    rows[1] = row("maxmean", 5, 33, recall=0.3205)
    assert replay_sentence(replayed(*rows)) == (
        "With 5 judgments per topic (50 in all), maxmean finds 33 relevant documents (32.0%); "
        "depth finds about as many (31.9%)."
    )
    rows.append(row("mtf", 5, 32, recall=0.3200))
    assert "; mtf is within a point of that; depth finds" in replay_sentence(replayed(*rows))


def test_many_that_are_near_are_counted() -> None:
    rows = [row(name, 1, 10) for name in ("a", "b", "c", "d", "e", "f")]
    assert replay_sentence(replayed(*rows)) == (
        "With 1 judgment per topic (10 in all), a finds 10 relevant documents (10.0%); "
        "b, c, d and 2 more are within a point of that."
    )


def test_conclusions_are_told_with_those_of_a_depth_pool() -> None:
    best = row("maxmean", 5, 40, tau=0.8, kept=0.75, reversed=2, bias=-0.0123)
    depth = row("depth(k=10)", 5, 20, tau=0.9, kept=0.8, bias=-0.02)
    assert replay_sentence(replayed(best, depth)).partition("fewer. ")[2] == (
        "The order of runs agrees with that under all judgments by τ = 0.80 (depth(k=10): 0.90), and 75% of the "
        "significant differences are kept (80%), 2 turned round. A run whose group has no part in the pool changes by "
        "-0.0123 on average (depth(k=10): -0.0200)."
    )
    other = row("take", 5, 30, tau=0.95)
    assert "; take keeps the order best (τ = 0.95)." in replay_sentence(replayed(best, depth, other))
    alone = replay_sentence(replayed(best))
    assert alone.endswith(
        "τ = 0.80, and 75% of the significant differences are kept, 2 turned round. "
        "A run whose group has no part in the pool changes by -0.0123 on average."
    )


def test_what_a_depth_pool_does_not_know_is_not_told() -> None:
    best = row("maxmean", 5, 40, tau=0.8, kept=0.75, bias=-0.0123)
    said = replay_sentence(replayed(best, row("depth", 5, 20)))
    assert "(depth" not in said


def test_the_budget_is_the_middle_one_or_the_one_asked_for() -> None:
    table = replayed(*(row(name, n, n) for name in ("depth", "mtf") for n in (20, 5, 10)))
    assert replay_sentence(table).startswith("With 10 judgments per topic (100 in all)")
    assert replay_sentence(table, per_topic=20).startswith("With 20 judgments per topic")
    with pytest.raises(ParameterError, match="not every strategy was replayed with this budget") as refused:
        replay_sentence(table, per_topic=7)
    assert refused.value.hint == "there are: 5, 10, 20"


def test_budgets_that_are_not_shared_are_refused() -> None:
    with pytest.raises(ParameterError, match="not every strategy") as refused:
        replay_sentence(replayed(row("depth", 5, 5), row("mtf", 10, 5)))
    assert refused.value.hint == "replay all strategies at the same budgets"


def test_where_nothing_is_relevant() -> None:
    said = replay_sentence(replayed(row("depth", 5, 0, recall=None)))
    assert said == "With 5 judgments per topic (50 in all), depth finds nothing: no document is relevant."


def test_numbers_are_those_of_the_tables() -> None:
    case = simulated(1)
    replays = [case.replay(one) for one in (Depth(), MaxMean())]
    groups = Groups.among(case.assessed.runs)
    left = leave_groups_out(replays, case.assessed, groups, judgments=[6])
    table = replay_table(replays, case.assessed, judgments=[6], left_out=left)
    rows: list[dict[str, Any]] = table.rows()
    best = max(rows, key=lambda one: one["relevant"])
    said = replay_sentence(table)
    for part in (f"{best['relevant']} relevant documents", f"{best['tau']:.2f}", f"{best['bias']:+.4f}"):
        assert part in said
    reuse, unjudged = reuse_table(case.candidates, case.assessed, groups), unjudged_table(case.assessed)
    told: list[dict[str, Any]] = reuse.rows()
    said = reuse_sentence(reuse, unjudged, measure="AP")
    assert f"{told[0]['group']} alone brought in most: {told[0]['unique']} relevant documents" in said
    assert f"by {sum(one['difference'] for one in told) / len(told):+.4f} on average" in said
    assert f"{max(one['share'] for one in unjudged.rows() if one['k'] == 10):.0%} are unjudged" in said  # type: ignore[type-var]


def group(name: str, **other: Any) -> dict[str, Any]:
    known = {"group": name, "runs": 1, "unique": 1, "share": 0.1, "difference": 0.0, "largest": 0.0}
    return known | {"moved": 0, "tau": 1.0} | other


def reused(*rows: dict[str, Any]) -> Table:
    return Table.from_rows(rows, tuple(rows[0]))


def test_a_collection_that_can_be_used_again() -> None:
    table = reused(
        group("a", unique=5, share=0.05, difference=-0.01, largest=-0.02, runs=3), group("b", difference=0.02)
    )
    assert reuse_sentence(table, measure="AP") == (
        "Of 2 groups, a alone brought in most: 5 relevant documents (5.0%). Where a group's own documents are not "
        "judged, AP of its runs changes by -0.0025 on average, at most by -0.0200 (a). The order of runs holds "
        "(τ ≥ 1.000, no run changes its rank): runs like these can be compared without being pooled."
    )  # (3 · −.01 + .02)/4 = −.0025
    moved = reuse_sentence(reused(group("a", moved=1, tau=0.9), group("b", moved=3, tau=0.95)))
    assert "the value of its runs" in moved
    assert "(τ ≥ 0.900, no run moves by more than 3 ranks)" in moved


def test_a_collection_that_cannot() -> None:
    said = reuse_sentence(reused(group("a", moved=1, tau=0.89), group("b", tau=None, moved=None, share=None)))
    assert said.endswith(
        "The order of runs does not hold (τ down to 0.890, a run moves by 1 rank): a run that was not pooled cannot be "
        "compared fairly with those that were."
    )


def test_where_there_is_no_order_nothing_is_said_of_it() -> None:
    said = reuse_sentence(reused(group("a", tau=None, moved=None, share=None), group("b", tau=None, moved=None)))
    assert "order of runs" not in said
    assert "most: 1 relevant document. Where" in said


def test_where_nobody_brought_in_anything_alone() -> None:
    said = reuse_sentence(reused(group("a", unique=0, share=0.0), group("b", unique=0, share=0.0)))
    assert said.startswith("Of 2 groups none alone brought in a relevant document. Where ")


def unjudged(*shares: tuple[str, int, float | None]) -> Table:
    names = ("run", "group", "k", "unjudged", "share")
    rows = [{"run": run, "group": None, "k": k, "unjudged": 1, "share": share} for run, k, share in shares]
    return Table.from_rows(rows, names)


def test_unjudged_documents_are_told_of() -> None:
    table = reused(group("a"), group("b"))
    few = reuse_sentence(table, unjudged(("x", 10, 0.1), ("y", 10, 0.2), ("y", 100, 0.9)))
    assert few.endswith("Of the first 10 documents of y, 20% are unjudged, of other runs fewer.")
    one = reuse_sentence(table, unjudged(("x", 10, 0.1), ("y", 10, None)))
    assert one.endswith("Of the first 10 documents of x, 10% are unjudged.")
    many = reuse_sentence(table, unjudged(("x", 5, 0.3), ("y", 5, 0.5), ("z", 5, 0.2)))
    assert many.endswith(
        "Of the first 5 documents of y, 50% are unjudged; 2 of 3 runs have more than 20%: what they find may count for "
        "nothing."
    )
    single = reuse_sentence(table, unjudged(("x", 10, 0.3), ("y", 10, 0.0)))
    assert "; 1 of 2 runs has more than 20%" in single
    assert reuse_sentence(table, unjudged(("x", 10, None))) == reuse_sentence(table)
    none = reuse_sentence(table, unjudged(("x", 10, 0.0), ("y", 10, 0.0)))
    assert none.endswith("The first 10 documents of every run are judged.")


def pool(*topics: str) -> Table:
    return Table({"topic": topics, "document": [f"d{i}" for i in range(len(topics))]})


def test_an_ordinary_pool() -> None:
    assert pooled_sentence(pool("1", "1", "2"), strategy="depth(k=5)", minutes=2) == (
        "depth(k=5) asks for 3 documents of 2 topics (1.5 on average, 1 to 2 for each); at 2 minutes each, 0.1 h."
    )
    assert pooled_sentence(pool("1", "2"), strategy="mtf") == "mtf asks for 2 documents of 2 topics (1 for each)."
    assert pooled_sentence(pool("1"), strategy="mtf", minutes=1) == (
        "mtf asks for 1 document of 1 topic; at 1 minute each, 0.0 h."
    )
    assert pooled_sentence(pool(), strategy="mtf") == "mtf asks for nothing: every document is judged."
