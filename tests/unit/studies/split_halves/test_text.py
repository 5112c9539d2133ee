"""The verdict on tests: what it names is best in the table, and a test that hardly ever rejects is not."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cranfield as cf
from cranfield.stats import Agreement
from cranfield.studies.split_halves.text import conclude

TESTS = ("sign", "rank-sum", "signed-rank", "t", "bootstrap", "randomisation")
COUNTS = st.tuples(*[st.integers(0, 40)] * 4)  # separated; one half, same winner; disagree; in neither half


def row_of(test: str, counts: tuple[int, int, int, int]) -> dict[str, Any]:
    """Return a row of the table from counts of cases; cases significant in neither half have the same winner."""
    separated, partial, disagree, neither = counts
    cases, either = max(1, sum(counts)), separated + partial + disagree
    row = Agreement(
        agree=(separated + neither) / cases,
        partial=partial / cases,
        disagree=disagree / cases,
        significant=either / cases,
        ties=0.0,
        agree_significant=separated / either if either else None,
        disagree_significant=disagree / either if either else None,
        separated=separated / cases,
    )
    return {"measure": "AP", "test": test, "aggregate": "mean"} | row._asdict()


def table_of(*counts: tuple[int, int, int, int]) -> cf.Table:
    rows = [row_of(test, count) for test, count in zip(TESTS, counts, strict=False)]
    return cf.Table.from_rows(rows, list(rows[0]))


@given(st.lists(COUNTS, min_size=2, max_size=len(TESTS)))
def test_the_best_separates_most_and_disagrees_least(counts: list[tuple[int, int, int, int]]) -> None:
    table = table_of(*counts)
    verdict = conclude(table, 1, 1)
    best = [one["test"] for one in verdict["best"]]
    rows: dict[str, dict[str, Any]] = {str(row["test"]): row for row in table.rows()}
    sentence = verdict["sentence"]
    assert ("none is recommended" in sentence) == (not best)
    for name in best:
        assert best == list(rows) or f"{name} with the mean" in sentence
        assert f"{rows[name]['separated']:.1%}" in sentence
        assert f"{rows[name]['disagree_significant']:.1%}" in sentence
        for other in rows.values():
            if other["separated"] < 0.0095:  # printed as less than 1.0%
                continue
            assert rows[name]["separated"] >= other["separated"] - 0.001
            assert rows[name]["disagree_significant"] <= other["disagree_significant"] + 0.001


@given(st.lists(COUNTS, min_size=1, max_size=4))
def test_a_test_that_never_rejects_is_never_best(counts: list[tuple[int, int, int, int]]) -> None:
    table = table_of(*counts, (0, 0, 0, 40))
    assert table.cells("agree")[-1] == 1  # the highest agreement there can be
    best = [one["test"] for one in conclude(table, 1, 1)["best"]]
    assert table.cells("test")[-1] not in best


TRADE_OFF = ((45, 25, 3, 27), (20, 20, 0, 60))


def test_a_trade_off_names_both_ends_and_recommends_none() -> None:
    verdict = conclude(table_of(*TRADE_OFF), 100, 28)
    assert verdict["best"] == []
    # Significant in 73 and 40 of 100 cases: 3/73 and 0/40 of them disagree, 45 and 20 are separated.
    assert verdict["sentence"] == (
        "Over 100 splits of the topics and 28 pairs of runs, no test both separates the most pairs and disagrees least "
        "often, so none is recommended. The most pairs are separated by sign with the mean. In 45.0% of cases the same "
        "run is significantly ahead in both halves. Of the cases significant in at least one half, 4.1% have different "
        "winners. The lowest disagreement is that of rank-sum with the mean: 0.0% of such cases have different "
        "winners, but only 20.0% of all cases are separated."
    )


def test_one_test_has_no_rival() -> None:
    verdict = conclude(table_of(TRADE_OFF[0]), 1, 1)
    assert verdict["best"] == []
    assert "recommend" not in verdict["sentence"]
    assert "%" not in conclude(table_of((0, 0, 0, 9)), 1, 1)["sentence"]  # never significant: no proportion exists


@pytest.mark.parametrize(
    ("tests", "level", "rare"),
    [
        (["t", "randomisation(draws=15,exact='never')"], 0.05, "randomisation(draws=15,exact='never')"),  # p ≥ 1/16
        (["sign", "t"], 1e-8, "sign"),  # 25 topics: p ≥ 2 / 2²⁵ = 6e-8
    ],
)
def test_a_test_that_cannot_reject_on_real_values(tests: list[str], level: float, rare: str, shared_data: Path) -> None:
    scores = shared_data / "score-matrices" / "adhoc8_ap.csv"
    study = cf.agreement(scores, tests, splits=2, level=level, aggregates=["mean"], seed=1)
    rows = {row["test"]: row for row in study["agreement"].rows()}
    assert rows[rare]["agree"] == max(row["agree"] for row in rows.values())  # type: ignore[type-var]  # floats
    assert study.verdict is not None
    assert rare not in [one["test"] for one in study.verdict["best"]]
