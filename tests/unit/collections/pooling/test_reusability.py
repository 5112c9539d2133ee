"""What a group alone brought into a pool, against sets of documents."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cranfield.collections import Groups, reuse_table, unjudged_table
from cranfield.core import ParameterError, Provenance
from cranfield.data import assess, read_entries, read_qrels, read_run
from tests.support.reference import pool_evaluation
from tests.support.reference.pool_evaluation import Plain, covid, simulated


def groups_of(case: Plain) -> Groups:
    runs = list(case.rankings)
    return Groups.among(runs, read_entries({"run": runs, "group": [case.team[run] for run in runs]}))


def check(case: Plain, rel: float = 1) -> list[dict[str, Any]]:
    """Every row, each group's own documents by sets."""
    found: list[dict[str, Any]] = reuse_table(case.candidates, case.assessed, groups_of(case), rel=rel).rows()
    holders = {
        (topic, document): {case.team[run] for run in case.holders(topic, document)}
        for topic, grades in case.judgments.items()
        for document in grades
    }
    relevant = {at for at, teams in holders.items() if teams and case.judgments[at[0]][at[1]] >= rel}
    values = case.means(case.judgments)
    assert {row["group"] for row in found} == set(case.team.values())
    assert [row["unique"] for row in found] == sorted((row["unique"] for row in found), reverse=True)
    for row in found:
        own = {at for at, teams in holders.items() if teams == {row["group"]}}
        kept = {
            topic: {document: grade for document, grade in grades.items() if (topic, document) not in own}
            for topic, grades in case.judgments.items()
        }
        without = case.means(kept)
        runs = [run for run in case.rankings if case.team[run] == row["group"]]
        change = [without[run] - values[run] for run in runs]
        assert row["runs"] == len(runs)
        assert row["unique"] == len(own & relevant)
        assert row["share"] == pytest.approx(len(own & relevant) / len(relevant))
        assert row["difference"] == pytest.approx(sum(change) / len(change), abs=1e-12)
        assert row["largest"] == pytest.approx(max(change, key=abs), abs=1e-12)
        assert row["moved"] == max(
            abs(pool_evaluation.rank(without, run) - pool_evaluation.rank(values, run)) for run in runs
        )
        assert row["tau"] == pytest.approx(pool_evaluation.tau(without, values))
    return found


@pytest.mark.parametrize("depth", [3, 8, 15])
@pytest.mark.parametrize("seed", range(3))
def test_what_each_group_alone_has(seed: int, depth: int) -> None:
    found = check(simulated(seed, depth=depth))
    assert any(row["unique"] for row in found)


def test_what_each_group_alone_has_of_the_highest_grade() -> None:
    check(simulated(1), rel=2)


@pytest.mark.shared
def test_a_real_campaign(shared_data: Path) -> None:
    check(covid(shared_data / "trec-covid", depth=20))


def test_documents_of_a_run_that_is_not_measured_are_nobodys_alone() -> None:
    case = simulated(0)
    some = list(range(1, len(case.rankings)))
    assessed = case.assessed.of_runs(some)
    groups = Groups.among(assessed.runs)
    found: list[dict[str, Any]] = reuse_table(case.candidates, assessed, groups).rows()
    for row in found:
        own = [
            1
            for topic, grades in case.judgments.items()
            for document, grade in grades.items()
            if grade >= 1 and case.holders(topic, document) == {row["group"]}
        ]
        assert row["unique"] == len(own)


def test_nothing_is_relevant() -> None:
    case = simulated(0)
    assessed = case.assessed.with_grades(np.minimum(case.assessed.grade, 0))
    row = reuse_table(case.candidates, assessed, groups_of(case)).rows()[0]
    assert [row[name] for name in ("unique", "share", "difference", "largest", "moved")] == [0, None, 0, 0, 0]
    assert row["tau"] is None


def test_no_candidates_are_nobodys() -> None:
    case = simulated(0)
    empty = case.candidates.only(np.zeros(len(case.candidates), dtype=bool))
    rows: list[dict[str, Any]] = reuse_table(empty, case.assessed, groups_of(case)).rows()
    assert all((row["unique"], row["largest"], row["tau"]) == (0, 0, 1) for row in rows)


def test_where_runs_have_no_value_there_is_no_order() -> None:
    """With one relevant document most runs have no expected search length."""
    case = simulated(0)
    first = case.assessed.document[0]
    grade = np.where(np.arange(len(case.assessed.grade)) == first, 1.0, 0.0)
    table = reuse_table(case.candidates, case.assessed.with_grades(grade), groups_of(case), measure="ESL@1")
    assert set(table.cells("tau")) == set(table.cells("moved")) == {None}


def test_one_group_is_refused() -> None:
    case = simulated(0)
    with pytest.raises(ParameterError, match="nobody is left"):
        reuse_table(case.candidates, case.assessed, Groups(("all",), (0,) * len(case.assessed.runs)))


@pytest.mark.parametrize("seed", range(3))
def test_unjudged_documents_among_the_first(seed: int) -> None:
    case = simulated(seed)
    runs = list(case.rankings)
    entries = read_entries({"run": runs[1:], "group": [case.team[run] for run in runs[1:]]})
    made_by = Provenance(command="here")
    table = unjudged_table(case.assessed, first=(1, 10, 60), entries=entries, made_by=made_by)
    rows: list[dict[str, Any]] = table.rows()
    assert len(rows) == 3 * len(runs)
    assert table.made_by == made_by
    for row, (run, k) in zip(rows, [(run, k) for run in runs for k in (1, 10, 60)], strict=True):
        free, seen = case.unjudged(case.judgments, run, k)
        group = None if run == runs[0] else case.team[run]
        assert row == {"run": run, "group": group, "k": k, "unjudged": free, "share": pytest.approx(free / seen)}


def test_without_entries_there_is_no_group() -> None:
    table = unjudged_table(simulated(0).assessed)
    assert set(table.cells("group")) == {None}
    assert table.cells("k")[:5] == [5, 10, 20, 50, 100]


def test_a_run_without_a_document_has_no_share() -> None:
    whole = assess(read_qrels({"1": {"a": 1}}), [read_run({"1": {"a": 1.0, "b": 0.5}}, name="here")])
    rows = unjudged_table(whole, first=[1, 2]).rows()
    assert [(row["unjudged"], row["share"]) for row in rows] == [(0, 0), (1, 0.5)]
    none = whole.rank[:0]
    gone = replace(
        whole,
        starts=np.zeros_like(whole.starts),
        retrieved=np.zeros_like(whole.retrieved),
        document=whole.document[:0],
        rank=none,
        tie_first=none,
        tie_last=none,
    )
    row = unjudged_table(gone, first=[5]).rows()[0]
    assert (row["unjudged"], row["share"]) == (0, None)


@pytest.mark.parametrize("first", [[], [0], [5, -1]])
def test_cut_offs_that_are_none_are_refused(first: list[int]) -> None:
    with pytest.raises(ParameterError, match="a cut-off is one document or more"):
        unjudged_table(simulated(0).assessed, first=first)
