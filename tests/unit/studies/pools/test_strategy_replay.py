"""Known judgments replayed: against tables of the parts, against loops, and on a real campaign."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from cranfield.collections import (
    Groups,
    Replay,
    choose_budgets,
    curve_table,
    groups_table,
    leave_groups_out,
    left_out_bias,
    parse_strategies,
    replay,
    replay_table,
    reuse_table,
    unjudged_table,
)
from cranfield.core import ParameterError, Study, UnknownName
from cranfield.data import read_entries
from cranfield.studies import replay_pool
from tests.support.reference.pool_evaluation import Plain, as_dicts, covid, significant, simulated, tau

Rows = list[dict[str, Any]]
QRELS = {"1": {"a": 2, "b": 0, "d": 1}, "2": {"q": 1, "r": 0}}
RUNS = {
    "x": {"1": {"a": 9.0, "b": 8.0, "c": 7.0}, "2": {"p": 9.0, "q": 8.0}},
    "y": {"1": {"b": 9.0, "d": 8.0, "a": 7.0}, "2": {"r": 9.0, "q": 8.0}},
    "z": {"1": {"e": 9.0, "d": 8.0, "b": 7.0}, "2": {"q": 9.0, "r": 8.0, "p": 7.0}},
}


@pytest.fixture(scope="module")
def case() -> Plain:
    return simulated(5, topics=6)


def replayed(case: Plain, **options: Any) -> Study:
    entries = {"run": list(case.team), "group": list(case.team.values())}
    return replay_pool(as_dicts(case), case.judgments, depth=case.depth, **{"entries": entries, **options})


def parts(case: Plain, strategies: str, **options: Any) -> list[Replay]:
    candidates = case.candidates.judged_by(case.qrels)
    relevant = candidates.relevant(case.qrels)
    return [replay(one, candidates, relevant, **options) for one in parse_strategies(strategies)]


def test_depth_pools_by_loops(case: Plain) -> None:
    budgets = (3, 8, 20)
    rows: Rows = replayed(case, strategies="depth", budgets=budgets, leave_out=False)["replay"].rows()
    whole = case.means(case.judgments)
    differ = significant(case.ap(case.judgments))
    every = case.depth_pool(case.rankings, 10**6)
    total = sum(grade >= 1 for grades in every.values() for grade in grades.values())
    assert [row["per_topic"] for row in rows] == list(budgets)
    for row in rows:
        pool = case.depth_pool(case.rankings, row["per_topic"])
        found = sum(grade >= 1 for grades in pool.values() for grade in grades.values())
        assert (row["judgments"], row["relevant"]) == (sum(map(len, pool.values())), found)
        assert row["recall"] == pytest.approx(found / total)
        assert row["precision"] == pytest.approx(found / row["judgments"])
        assert row["tau"] == pytest.approx(tau(case.means(pool), whole))
        now = significant(case.ap(pool))
        both = [pair for pair in differ if pair in now]
        turned = [pair for pair in both if now[pair] != differ[pair]]
        assert row["kept"] == (pytest.approx((len(both) - len(turned)) / len(differ)) if differ else None)
        assert (row["gained"], row["reversed"]) == (len(set(now) - set(differ)), len(turned))
        assert row["bias"] is None


def test_what_a_group_loses_by_loops(case: Plain) -> None:
    study = replayed(case, strategies="depth", budgets=[6])
    pool = case.depth_pool(case.rankings, 6)
    rows: Rows = study["groups"].rows()
    assert [row["run"] for row in rows] == list(case.rankings)
    for row in rows:
        others = [run for run, team in case.team.items() if team != case.team[row["run"]]]
        without = case.depth_pool(others, 6)
        assert row["group"] == case.team[row["run"]]
        assert row["value"] == pytest.approx(case.means(pool)[row["run"]])
        assert row["left_out"] == pytest.approx(case.means(without)[row["run"]])
    mean = sum(row["left_out"] - row["value"] for row in rows) / len(rows)
    (whole,) = study["replay"].rows()
    assert whole["bias"] == pytest.approx(mean)
    (told,) = study["bias"].rows()
    assert told["difference"] == pytest.approx(mean)
    assert f"changes by {mean:+.4f} on average" in study.sentence


@pytest.mark.parametrize("spread", [{}, {"shared": True}, {"shared": True, "share": "yield"}], ids=str)
def test_the_tables_are_those_of_the_parts(spread: dict[str, Any], case: Plain) -> None:
    options: dict[str, Any] = {"measure": "nDCG@10", "seed": 7, "first": 1}
    study = replayed(case, strategies="depth maxmean", **options, **spread)
    replays = parts(case, "depth maxmean", seed=7, first=1)
    known = read_entries({"run": list(case.team), "group": list(case.team.values())})
    groups = Groups.among(list(case.rankings), known)
    share: Any = spread.get("share", "even") if spread else None
    budgets = choose_budgets(replays)
    few = [budgets[len(budgets) * part // 4] for part in (1, 2, 3)]
    assessed, told = case.assessed, dict[str, Any](measure="nDCG@10")
    left = leave_groups_out(replays, assessed, groups, judgments=few, share=share, seed=7, first=1, **told)
    full = replay_table(replays, assessed, judgments=budgets, share=share, left_out=left, **told)
    expected = {
        "replay": full,
        "bias": left_out_bias(left),
        "groups": groups_table(left),
        "unjudged": unjudged_table(assessed, entries=known),
        "reuse": reuse_table(replays[0].candidates, assessed, groups, **told),
        "curve": curve_table(replays, share=share),
    }
    assert list(study.tables) == list(expected)
    for name, table in expected.items():
        assert study[name].rows() == table.rows(), name
    assert study.charts == ("recall", "pool-order", "pool-bias", "reuse", "unjudged")


def test_what_decides_reaches_the_parts(case: Plain) -> None:
    kept = dict.fromkeys(["usual", "lax", "sign"], 0)
    options: dict[str, dict[str, Any]] = {
        "usual": {},
        "lax": {"level": 0.5, "correct": "none"},
        "sign": {"test": "sign"},
    }
    for name, more in options.items():
        study = replayed(case, strategies="depth", budgets=[200], leave_out=False, **more)
        note = next(note for note in study["replay"].notes if "significantly" in note)
        kept[name] = int(note.split()[0].replace(",", ""))
    assert kept["usual"] < kept["lax"]
    assert "differences by sign, holm, at level 0.05" in study["replay"].caption
    high: Rows = replayed(case, strategies="depth", budgets=[200], rel=2, leave_out=False)["replay"].rows()
    all_of_it = case.depth_pool(case.rankings, 200)
    assert high[0]["relevant"] == sum(grade >= 2 for grades in all_of_it.values() for grade in grades.values())


def test_a_shared_budget_is_of_judged_topics() -> None:
    # Topic 2 has no judgments: two for each of the others are two, not four.
    qrels = {"1": QRELS["1"]}
    for shared in (False, True):
        (row,) = replay_pool(RUNS, qrels, strategies="depth", budgets=[2], shared=shared, leave_out=False)[
            "replay"
        ].rows()
        assert (row["judgments"], row["per_topic"]) == (2, 2)


def test_unjudged_documents_may_be_asked_for() -> None:
    # In the order of the pool: a b e d c, and p r q; e, c and p are unjudged.
    only: Rows = replay_pool(RUNS, QRELS, strategies="depth", budgets=[2, 3])["replay"].rows()
    assert [(row["judgments"], row["relevant"]) for row in only] == [(4, 2), (5, 3)]
    every = replay_pool(RUNS, QRELS, strategies="depth", budgets=[2, 3], unjudged="not relevant")
    rows: Rows = every["replay"].rows()
    assert [(row["judgments"], row["relevant"]) for row in rows] == [(4, 1), (6, 2)]
    assert [row["recall"] for row in rows] == [pytest.approx(1 / 3), pytest.approx(2 / 3)]


def test_budgets_are_sorted_and_once() -> None:
    study = replay_pool(RUNS, QRELS, strategies="depth nrg", budgets=[3, 1, 3])
    assert [row["per_topic"] for row in study["replay"].rows()] == [1, 3, 1, 3]
    assert study.sentence.startswith("With 3 judgments per topic")


def test_all_strategies_but_samples_and_those_that_read() -> None:
    told = {row["strategy"] for row in replay_pool(RUNS, QRELS, budgets=[1], leave_out=False)["replay"].rows()}
    assert {"depth", "nrg", "hedge"} < told
    assert not told & {"cal", "stratified"}
    texts = {name: f"of {name}" for name in "abcdepqr"}
    study = replay_pool(RUNS, QRELS, budgets=[1], leave_out=False, corpus=texts)
    assert {row["strategy"] for row in study["replay"].rows()} == told | {"cal"}
    assert study.made_by is not None
    assert study.made_by.inputs[-1].kind == "corpus"


def test_one_run_has_no_order_and_nobody_to_leave_out() -> None:
    study = replay_pool({"x": RUNS["x"]}, QRELS, strategies="depth nrg")
    assert list(study.tables) == ["replay", "unjudged", "curve"]
    assert study.charts == ("recall", "unjudged")
    assert {row["tau"] for row in study["replay"].rows()} == {None}
    assert "order of runs" not in study.sentence


def test_one_group_is_not_left_out() -> None:
    study = replay_pool(RUNS, QRELS, strategies="depth", entries={"run": ["x", "y", "z"], "group": ["g"] * 3})
    assert list(study.tables) == ["replay", "unjudged", "curve"]
    assert study.charts == ("recall", "pool-order", "unjudged")


def test_nobody_is_left_out_if_nobody_wants_it() -> None:
    study = replay_pool(RUNS, QRELS, strategies="depth", leave_out=False)
    assert list(study.tables) == ["replay", "unjudged", "reuse", "curve"]
    assert study.charts == ("recall", "pool-order", "reuse", "unjudged")


def test_runs_and_entries_that_do_not_meet() -> None:
    entries = {"run": ["x", "w"], "group": ["g", "h"]}
    study = replay_pool(RUNS, QRELS, strategies="depth", entries=entries, budgets=[1])
    notes = study["replay"].notes
    assert "2 runs are not in entries (y, z): no group and no date" in notes
    assert "1 run is in entries alone (w): left out" in notes
    assert {row["group"] for row in study["reuse"].rows()} == {"g", "y", "z"}
    assert not any("entries" in note for note in replay_pool(RUNS, QRELS, strategies="depth")["replay"].notes)


def test_groups_from_the_headers_of_runs(tmp_path: Path) -> None:
    for run, ranked in RUNS.items():
        team = "one" if run in "xy" else "two"
        head = f"# ir_metadata.start\n# actor:\n#   team: {team}\n# ir_metadata.end\n"
        lines = [
            f"{topic} Q0 {document} {rank} {score} {run}\n"
            for topic, scores in ranked.items()
            for rank, (document, score) in enumerate(scores.items(), 1)
        ]
        (tmp_path / f"{run}.txt").write_text(head + "".join(lines))
    study = replay_pool(tmp_path, QRELS, strategies="depth", budgets=[1])
    assert {row["group"]: row["runs"] for row in study["reuse"].rows()} == {"one": 2, "two": 1}
    assert study.made_by is not None
    assert [source.kind for source in study.made_by.inputs] == ["qrels", "run", "run", "run"]


def test_values_that_do_not_exist() -> None:
    # ESL is the rank of the first relevant document: there is none.
    nothing = {topic: dict.fromkeys(grades, 0) for topic, grades in QRELS.items()}
    study = replay_pool(RUNS, nothing, strategies="depth nrg", measure="ESL", budgets=[1])
    assert {row["difference"] for row in study["reuse"].rows()} == {None}
    assert study.sentence == "With 1 judgment per topic (2 in all), depth finds nothing: no document is relevant."


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"unjudged": "maybe"}, "unjudged documents cannot be 'maybe'"),
        ({"level": 1.5}, "level"),
        ({"rel": 0}, "a document cannot be relevant from grade 0 on"),
        ({"measure": "AP P@5"}, "'AP P@5' stands for 2 measures where one is wanted"),
        ({"strategies": []}, "no strategy is given"),
        ({"strategies": "cal"}, "the strategy cal reads documents"),
        ({"budgets": []}, "a budget is one judgment for each topic or more"),
        ({"budgets": [0, 5]}, "a budget is one judgment for each topic or more"),
        ({"test": "t sign"}, "2 tests where one is wanted"),
    ],
)
def test_what_is_refused(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(ParameterError) as caught:
        replay_pool(RUNS, QRELS, **{"strategies": "depth", **options})
    assert problem in caught.value.problem
    assert caught.value.hint


@pytest.mark.parametrize("options", [{"strategies": "nix"}, {"measure": "nix"}, {"test": "nix"}, {"correct": "nix"}])
def test_names_that_nobody_knows(options: dict[str, Any]) -> None:
    with pytest.raises(UnknownName, match="nix"):
        replay_pool(RUNS, QRELS, **{"strategies": "depth", **options})


def test_nothing_of_the_runs_was_judged() -> None:
    with pytest.raises(ParameterError, match="no document that a run has among its first 100 was judged"):
        replay_pool(RUNS, {"1": {"a": -1, "s": 1}}, strategies="depth")


def test_progress_is_that_of_the_whole(case: Plain) -> None:
    told: list[tuple[int, int]] = []
    replayed(case, strategies="depth maxmean nrg", budgets=[5], progress=lambda done, total: told.append((done, total)))
    assert {total for _, total in told} == {100}
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1] == (100, 100)
    assert {5, 80} < {done for done, _ in told}  # all is read; all groups were left out


@pytest.fixture(scope="module")
def real(shared_data: Path) -> Mapping[int, Study]:
    """TREC-COVID's first round: what five strategies would have found, by seed."""
    folder = shared_data / "trec-covid"
    return {
        seed: replay_pool(
            folder / "runs",
            folder / "qrels-rnd1.txt",
            strategies="depth mtf maxmean hedge nrg",
            budgets=[25, 50, 100],
            entries=folder / "leaderboard-round1.csv",
            seed=seed,
        )
        for seed in range(3)
    }


def test_strategies_that_learn_find_more_than_depth(real: Mapping[int, Study]) -> None:
    for study in real.values():
        rows: Rows = study["replay"].rows()
        found = {(row["strategy"], row["per_topic"]): row["relevant"] for row in rows}
        for strategy in ("mtf", "maxmean", "hedge", "nrg"):
            for budget in (25, 50, 100):
                assert found[strategy, budget] > found["depth", budget], (strategy, budget)


def test_runs_that_were_left_out_lose_less_by_nrg_than_by_maxmean(real: Mapping[int, Study]) -> None:
    absolute: dict[tuple[str, int], list[float]] = {}
    for study in real.values():
        told: Rows = study["replay"].rows()
        rows: Rows = study["groups"].rows()
        for strategy in ("maxmean", "nrg"):
            for whole in (row for row in told if row["strategy"] == strategy):
                own = [row for row in rows if all(row[key] == whole[key] for key in ("strategy", "judgments"))]
                assert len(own) == 22
                change = [abs(row["left_out"] - row["value"]) for row in own]
                absolute.setdefault((strategy, whole["per_topic"]), []).append(sum(change) / len(change))
    for budget in (25, 50, 100):
        nrg, maxmean = (sum(absolute[strategy, budget]) / 3 for strategy in ("nrg", "maxmean"))
        assert nrg < maxmean, budget


def test_depth_pools_of_a_real_campaign_by_loops(real: Mapping[int, Study], shared_data: Path) -> None:
    case = covid(shared_data / "trec-covid")
    pool = case.depth_pool(case.rankings, 25)
    rows: Rows = real[0]["replay"].rows()
    row = next(row for row in rows if (row["strategy"], row["per_topic"]) == ("depth", 25))
    assert row["relevant"] == sum(grade >= 1 for grades in pool.values() for grade in grades.values())
    assert row["tau"] == pytest.approx(tau(case.means(pool), case.means(case.judgments)))
