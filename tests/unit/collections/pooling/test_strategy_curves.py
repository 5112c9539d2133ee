"""What replays say of strategies, against loops over documents, pairs and runs."""

from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cranfield.collections import (
    Depth,
    Hedge,
    MaxMean,
    MoveToFront,
    Random,
    Strategy,
    choose_budgets,
    curve_table,
    find_candidates,
    leave_groups_out,
    replay,
    replay_table,
)
from cranfield.collections.pooling.partial_judgments import Groups, JudgedRuns
from cranfield.core import CranfieldError, ParameterError, Provenance
from cranfield.data import NOBODY, assess, find_named, read_qrels, read_run
from tests.support.reference import pool_evaluation
from tests.support.reference.pool_evaluation import Plain, covid, simulated

BUDGETS = (1, 3, 8, 20, 500)


def rows_of(case: Plain, strategies: list[Strategy], **options: Any) -> list[dict[str, Any]]:
    return replay_table([case.replay(one) for one in strategies], case.assessed, **options).rows()


def literal(case: Plain, strategy: Strategy, budget: int) -> dict[str, Any]:
    """One row, step by step."""
    judged = case.after(case.replay(strategy), budget)
    whole, now = case.ap(case.judgments), case.ap(judged)
    before, after = pool_evaluation.significant(whole), pool_evaluation.significant(now)
    grades = [grade for of in judged.values() for grade in of.values()]
    relevant = sum(
        case.judgments[topic].get(document, -1) >= 1
        for topic in case.judgments
        for document in {one for ranked in case.rankings.values() for one in ranked.get(topic, [])[: case.depth]}
    )
    found = sum(grade >= 1 for grade in grades)
    means, all_means = case.means(judged), case.means(case.judgments)
    return {
        "strategy": str(strategy),
        "judgments": len(grades),
        "per_topic": budget,
        "relevant": found,
        "recall": found / relevant,
        "precision": found / len(grades),
        "tau": pool_evaluation.tau(means, all_means),
        "tau_ap": pool_evaluation.tau_ap(all_means, means),
        "kept": sum(after.get(pair) == ahead for pair, ahead in before.items()) / len(before) if before else None,
        "gained": len(set(after) - set(before)),
        "reversed": sum(after.get(pair) == -ahead for pair, ahead in before.items()),
    }


def check(row: dict[str, Any], expected: dict[str, Any]) -> None:
    for name, value in expected.items():
        if value is None or value != value:
            assert row[name] is None, name
        else:
            assert row[name] == (value if isinstance(value, str) else pytest.approx(value, abs=1e-12)), name


@pytest.mark.parametrize("depth", [8, 15])
@pytest.mark.parametrize("seed", range(3))
def test_rows_are_what_loops_say(seed: int, depth: int) -> None:
    case = simulated(seed, depth=depth)
    strategies = [Depth(), MaxMean(), Random(), MoveToFront()]
    rows = rows_of(case, strategies, measure="AP", judgments=BUDGETS)
    assert len(rows) == len(strategies) * len(BUDGETS)
    asked = [(strategy, budget) for strategy in strategies for budget in BUDGETS]
    for row, (strategy, budget) in zip(rows, asked, strict=True):
        check(row, literal(case, strategy, budget))
        assert row["bias"] is None


def test_some_pairs_were_there_to_be_kept_and_gained() -> None:
    rows = [row for seed in range(4) for row in rows_of(simulated(seed), [Depth(), MaxMean()], judgments=BUDGETS)]
    assert any(row["kept"] and row["kept"] < 1 for row in rows)
    assert any(row["gained"] for row in rows)


def test_a_pair_is_reversed() -> None:
    """Under all judgments b is ahead in every topic; those of the first step know of a's document alone."""
    topics = [str(topic) for topic in range(6)]
    scores: dict[str, dict[str, dict[str, float]]] = {"a": {}, "b": {}}
    grades: dict[str, dict[str, int]] = {}
    for i, topic in enumerate(topics):
        scores["a"][topic] = {"x": 9.0, **{f"n{j}": 8.0 - j for j in range(6 + i)}}
        scores["b"][topic] = {"y": 9.0, "z": 8.0, **{f"m{j}": 7.0 - j for j in range(i)}, "x": -9.0}
        grades[topic] = {"x": 1, "y": 1, "z": 1}
    runs = [read_run(of, name=name) for name, of in scores.items()]
    qrels = read_qrels(grades)
    candidates = find_candidates(runs)
    known = candidates.only(candidates.grades(qrels) >= 0)
    table = replay_table([replay(Depth(), known, known.grades(qrels) >= 1)], assess(qrels, runs), judgments=[1, 3])
    first, last = table.rows()
    # One judgment, x of a: AP is 1 for a, and 1/(i + 3) for b. All three: 1/3 for a, more than 2/3 for b.
    assert (first["kept"], first["gained"], first["reversed"]) == (0, 0, 1)
    assert (last["kept"], last["gained"], last["reversed"]) == (1, 0, 0)
    assert (first["tau"], last["tau"]) == (-1, 1)


def test_a_measure_where_less_is_better_keeps_its_direction() -> None:
    case = simulated(1)
    found = rows_of(case, [MaxMean()], measure="ESL(missing=41)@40", judgments=[5])[0]
    judged = case.after(case.replay(MaxMean()), 5)

    def esl(judgments: pool_evaluation.Judgments) -> dict[str, float]:
        means = {}
        for run, ranked in case.rankings.items():
            ranks = [
                next((i for i, d in enumerate(ranked.get(topic, []), 1) if judgments[topic].get(d, -1) >= 1), 41)
                for topic in case.judgments
            ]
            means[run] = -sum(ranks) / len(ranks)
        return means

    now, whole = esl(judged), esl(case.judgments)
    assert found["tau"] == pytest.approx(pool_evaluation.tau(now, whole))
    assert found["tau_ap"] == pytest.approx(pool_evaluation.tau_ap(whole, now))


def test_the_top_grade_is_that_of_all_judgments() -> None:
    """ERR asks for the top grade: while only grade 1 has been judged it still is 2."""
    assessed = simulated(2).assessed
    assert set(assessed.grade.tolist()) >= {0, 1, 2}
    runs = JudgedRuns.by("ERR@10", assessed)
    assert str(runs.measure) == "ERR(max_rel=2)@10"
    one = np.flatnonzero(assessed.grade == 1)[:1]
    assert str(runs.values(runs.given(one)).measures[0]) == "ERR(max_rel=2)@10"


def test_all_judgments_of_the_candidates_are_not_all_judgments() -> None:
    case = simulated(0, depth=8)
    table = replay_table([case.replay(Depth())], case.assessed, judgments=[500])
    whole = sum(grade >= 0 for of in case.judgments.values() for grade in of.values())
    pooled = len(case.judged)
    assert pooled < whole
    start = f"{whole - pooled} of {whole} judgments are of documents that no pooled run has in its first {case.depth}"
    assert table.notes[0].startswith(start)
    pairs = len(list(combinations(case.rankings, 2)))
    differ = len(pool_evaluation.significant(case.ap(case.judgments)))
    assert table.notes[1] == f"{differ} of {pairs} pairs of runs differ significantly under all judgments"


def test_nothing_is_said_of_judgments_that_are_all_within_reach() -> None:
    case = simulated(0)
    within = {
        topic: {d: g for d, g in of.items() if g >= 0 and case.holders(topic, d)}
        for topic, of in case.judgments.items()
    }
    named = {topic: list(of) for topic, of in within.items()}
    place = find_named(case.assessed, case.judged.topics, case.judged.topic, case.judged.document)
    assert len(place) == sum(map(len, named.values()))
    grade = np.full(len(case.assessed.grade), NOBODY)
    grade[place] = case.assessed.grade[place]
    table = replay_table([case.replay(Depth())], case.assessed.with_grades(grade), judgments=[500])
    assert len(table.notes) == 1
    assert table["tau"][0] == 1
    assert table["kept"][0] == 1


def test_recall_is_of_what_is_asked_for() -> None:
    case = simulated(3)
    replays = [case.replay(Depth(k=2)), case.replay(MaxMean(), budget=4)]
    most = max(int(one.relevant.sum()) for one in replays)
    alone = replay_table(replays, case.assessed, judgments=[500])
    told = replay_table(replays, case.assessed, judgments=[500], total_relevant=10 * most)
    assert max(alone["recall"]) == 1
    assert np.allclose(np.array(told["recall"], float) * 10, np.array(alone["recall"], float))
    assert curve_table(replays).rows()[-1]["recall"] == pytest.approx(int(replays[1].relevant.sum()) / most)


def test_the_bias_is_that_of_groups_left_out() -> None:
    case = simulated(1)
    replays = [case.replay(one) for one in (Depth(), Hedge())]
    left = leave_groups_out(replays[:1], case.assessed, Groups.among(case.assessed.runs), judgments=[3, 8])
    table = replay_table(replays, case.assessed, judgments=[3, 5], left_out=left)
    expected = float((left.left_out - left.value)[0, 0].mean())
    assert table.cells("bias") == [pytest.approx(expected), None, None, None]


def test_one_run_has_no_order() -> None:
    case = simulated(1)
    alone = case.assessed.of_runs([0])
    row: dict[str, Any] = replay_table([case.replay(Depth())], alone, judgments=[5]).rows()[0]
    assert [row[name] for name in ("tau", "tau_ap", "kept", "gained", "reversed")] == [None] * 5
    assert row["relevant"] > 0


def test_where_runs_have_no_value_there_is_no_order() -> None:
    case = simulated(1)
    row = rows_of(case, [Depth()], measure="ESL@1", judgments=[1])[0]
    assert row["tau"] is None
    assert row["relevant"] is not None


def test_budgets_grow_by_about_the_same_factor() -> None:
    case = simulated(0)
    budgets = choose_budgets([case.replay(Depth())])
    largest = int(np.diff(case.judged.starts).max())
    assert (budgets[0], budgets[-1]) == (5, largest)
    expected = sorted({round(5 * (largest / 5) ** (i / 11)) for i in range(12)})
    assert list(budgets) == expected
    assert choose_budgets([case.replay(Depth(), budget=3)]) == (3,)
    default = replay_table([case.replay(Depth())], case.assessed)
    assert default.cells("per_topic") == list(budgets)


@pytest.mark.parametrize("strategy", [Depth(), MaxMean(), Depth(k=3)], ids=str)
def test_a_curve_has_every_step(strategy: Strategy) -> None:
    case = simulated(2)
    replayed = case.replay(strategy)
    rows = curve_table([replayed], total_relevant=1000).rows()
    steps = replayed.order.shape[1]
    assert len(rows) == steps + 1 < 200
    for step, row in enumerate(rows):
        grades = [grade for of in case.after(replayed, step).values() for grade in of.values()]
        found = sum(grade >= 1 for grade in grades)
        assert row == {"strategy": str(strategy), "judgments": len(grades), "relevant": found, "recall": found / 1000}


def test_a_long_curve_is_thinned_and_keeps_its_ends() -> None:
    documents = {f"d{i}": -float(i) for i in range(450)}
    candidates = find_candidates([read_run({"1": documents}, name="a")], depth=450)
    relevant = np.arange(450) % 3 == 0
    table = curve_table([replay(Depth(), candidates, relevant)])
    assert len(table) == 200
    assert (table["judgments"][0], table["judgments"][-1]) == (0, 450)
    for judgments, found, recall in zip(*(table.cells(name) for name in table.columns[1:]), strict=True):
        assert found == len(range(0, int(str(judgments)), 3))
        assert recall == pytest.approx(int(str(found)) / 150)


def test_no_replay_has_no_curve() -> None:
    table = curve_table([])
    assert len(table) == 0
    assert table.columns == ("strategy", "judgments", "relevant", "recall")


def test_recall_of_nothing_is_none() -> None:
    case = simulated(0)
    nothing = replay(Depth(), case.judged, np.zeros(len(case.judged), dtype=bool))
    assert curve_table([nothing]).rows()[-1]["recall"] is None
    assert replay_table([nothing], case.assessed, judgments=[2]).rows()[0]["recall"] is None


def test_progress_and_provenance_are_passed_on() -> None:
    case, heard = simulated(0), []
    made_by = Provenance(command="here")
    replays = [case.replay(Depth()), case.replay(MaxMean())]
    table = replay_table(
        replays, case.assessed, judgments=[2, 4, 6], made_by=made_by, progress=lambda *at: heard.append(at)
    )
    assert heard == [(i, 6) for i in range(1, 7)]
    assert table.made_by == made_by
    assert curve_table(replays, made_by=made_by).made_by == made_by


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"judgments": []}, "a budget is one judgment"),
        ({"judgments": [5, 0]}, "a budget is one judgment"),
        ({"level": 1.5}, "the level cannot be 1.5"),
        ({"measure": "AP P@10"}, "2 measures where one is wanted"),
        ({"measure": []}, "no measure is given"),
        ({"test": "t sign"}, "2 tests where one is wanted"),
        ({"test": "tost(margin=0.1)"}, "looks for equality"),
        ({"correct": "nonsense"}, "nonsense"),
    ],
)
def test_what_is_refused(options: dict[str, Any], said: str) -> None:
    case = simulated(0)
    with pytest.raises(CranfieldError, match=said):
        replay_table([case.replay(Depth())], case.assessed, **options)


def test_nothing_to_judge_is_refused() -> None:
    case = simulated(0)
    empty = case.candidates.only(np.zeros(len(case.candidates), dtype=bool))
    with pytest.raises(ParameterError, match="there is nothing to judge"):
        choose_budgets([replay(Depth(), empty, np.zeros(0, dtype=bool))])
    with pytest.raises(ParameterError, match="there is nothing to judge"):
        replay_table([], case.assessed)


def shared_after(case: Plain, strategy: Strategy, total: int, share: str) -> pool_evaluation.Judgments:
    """What is judged when topics share a budget, one judgment at a time."""
    whole = case.after(case.replay(strategy), 1000)
    spent = dict.fromkeys(whole, 0)

    def promise(topic: str) -> tuple[float, int, int]:
        last = list(whole[topic].values())[: spent[topic]][-10:]
        hits = sum(grade >= 1 for grade in last)
        chance = 0.0 if share == "even" else -(1 + hits) / (2 + len(last))
        return chance, spent[topic], list(whole).index(topic)

    for _ in range(total):
        left = [topic for topic in whole if spent[topic] < len(whole[topic])]
        if left:
            spent[min(left, key=promise)] += 1
    return {topic: dict(list(of.items())[: spent[topic]]) for topic, of in whole.items()}


@pytest.mark.parametrize("share", ["even", "yield"])
def test_topics_that_share_a_budget(share: Any) -> None:
    case = simulated(1)
    budgets = (2, 9, 400)
    replays = [case.replay(one) for one in (Depth(), MaxMean())]
    rows: list[dict[str, Any]] = replay_table(replays, case.assessed, judgments=budgets, share=share).rows()
    left = leave_groups_out(replays, case.assessed, Groups.among(case.assessed.runs), judgments=budgets, share=share)
    curve: list[dict[str, Any]] = curve_table(replays, share=share).rows()
    asked = [(strategy, budget) for strategy in (Depth(), MaxMean()) for budget in budgets]
    for row, (strategy, budget) in zip(rows, asked, strict=True):
        judged = shared_after(case, strategy, budget * len(replays[0].order), share)
        grades = [grade for of in judged.values() for grade in of.values()]
        means = case.means(judged)
        assert (row["judgments"], row["per_topic"]) == (len(grades), budget)
        assert row["relevant"] == sum(grade >= 1 for grade in grades)
        assert row["tau"] == pytest.approx(pool_evaluation.tau(means, case.means(case.judgments)))
        value = left.value[[str(one.strategy) for one in replays].index(str(strategy)), budgets.index(budget)]
        assert value.tolist() == pytest.approx([means[run] for run in case.assessed.runs], abs=1e-12)
    for row in curve[3::17]:
        strategy = Depth() if row["strategy"] == "depth" else MaxMean()
        judged = shared_after(case, strategy, row["judgments"], share)
        assert row["relevant"] == sum(grade >= 1 for of in judged.values() for grade in of.values())


@pytest.mark.shared
def test_a_real_campaign_by_loops(shared_data: Path) -> None:
    case = covid(shared_data / "trec-covid")
    rows = rows_of(case, [Depth(), MaxMean()], judgments=[25, 100])
    for row, (strategy, budget) in zip(rows, [(s, b) for s in (Depth(), MaxMean()) for b in (25, 100)], strict=True):
        check(row, literal(case, strategy, budget))


def test_an_order_of_candidates_that_is_not_that_of_runs_changes_nothing() -> None:
    """Documents are found by their names: candidates of fewer topics and in another order say the same."""
    case = simulated(1)
    judged = case.judged
    some = judged.only(judged.topic > 1)
    found = replay(MaxMean(), some, some.grades(case.qrels) >= 1)
    table = replay_table([found], replace(case.assessed), judgments=[4])
    means = case.means(case.after(found, 4))
    assert table["tau"][0] == pytest.approx(pool_evaluation.tau(means, case.means(case.judgments)))
