"""What runs add: the study, on rankings small enough to be followed by hand."""

import gzip
from math import log2
from pathlib import Path
from typing import Any

import pytest

from cranfield.core import ParameterError, Study
from cranfield.data import read_entries, read_scores
from cranfield.measures import parse_measures
from cranfield.simulate import Campaign
from cranfield.studies import evaluate, novelty
from tests.support.reference.novelty_definitions import dcg

# [Bigdeli] Table 1: three rankings of ten documents, of which A, E, F and J are relevant.
QRELS = {"1": {document: 4 * (document in "AEFJ") for document in "ABCDEFGHIJ"}}
RANKINGS = {"R1": "ABCDEFGHIJ", "R2": "EDCBAFGHIJ", "R3": "JIHGFEDCBA"}


def run(ranking: str) -> dict[str, dict[str, float]]:
    return {"1": {document: float(-place) for place, document in enumerate(ranking)}}


RUNS = {name: run(ranking) for name, ranking in RANKINGS.items()}


def entries(**columns: list[Any]) -> Any:
    return read_entries({"run": list(RANKINGS), **columns})


def relative(
    qrels: Any, runs: Any, measures: Any = "nDCG@10", *, only: Any = None, by: Any = None, **options: Any
) -> Study:
    """The study on values that are made for it."""
    asked = [*parse_measures(measures), *([] if by is None else parse_measures(by))]
    values = evaluate(qrels, runs, asked, only=only)
    if {"purpose", "rareness"} & set(options):
        options["runs"] = runs
    return novelty(values, measures=measures, by=by, **options)


def nrg(study: Study) -> dict[str, float]:
    return {row["run"]: row["nrg"] for row in study["novelty"].rows()}  # type: ignore[misc]


PAPER = 0.00005  # it gives four decimals


def test_table_1_of_the_paper() -> None:
    assert nrg(relative(QRELS, RUNS, prior="none")) == pytest.approx(dict.fromkeys(RUNS, 0.7933), abs=PAPER)
    found = nrg(relative(QRELS, RUNS, prior="others"))
    assert found == pytest.approx({"R1": 0.8417, "R2": 0.8316, "R3": 0.8681}, abs=PAPER)
    assert nrg(relative(QRELS, RUNS, prior=["R2"]))["R1"] == pytest.approx(0.7361, abs=PAPER)
    after_3 = nrg(relative(QRELS, RUNS, prior=["R3"]))
    assert [after_3["R1"], after_3["R2"]] == pytest.approx([0.8277, 0.7988], abs=PAPER)
    assert after_3["R3"] == pytest.approx(0.7933, abs=PAPER)  # it is not known before itself


def test_what_is_known_by_date() -> None:
    dated = entries(date=["2024-01-02", "2024-01-01", "2024-01-02"])
    study = relative(QRELS, RUNS, prior="chronological", entries=dated)
    rows = study["novelty"].rows()
    assert [(row["run"], row["date"], row["priors"]) for row in rows] == [
        ("R2", "2024-01-01", 0),
        ("R1", "2024-01-02", 1),  # the other run of that day is not known before it
        ("R3", "2024-01-02", 1),
    ]
    assert nrg(study)["R1"] == pytest.approx(0.7361, abs=PAPER)
    assert any("2 runs share their day" in note for note in study["novelty"].notes)
    assert study.sentence.startswith("From the earlier half of the runs to the later, the mean nDCG@10")
    assert study.charts[0] == "chronology"


def test_the_best_of_each_other_group_and_ties_by_name() -> None:
    grouped = entries(group=["x", "x", "y"])
    study = relative(QRELS, RUNS, prior="best-per-group", entries=grouped)
    found = nrg(study)
    # All three have the same nDCG@10: R1 stands for x, and is known before R3; R3 before both of x.
    assert found["R3"] == pytest.approx(0.8277, abs=PAPER)
    assert [found["R1"], found["R2"]] == pytest.approx([0.8277, 0.7988], abs=PAPER)
    best = {row["group"]: row for row in study["bests"].rows()}
    assert (best["x"]["run"], best["x"]["tied"], best["x"]["runs"]) == ("R1", "R2", 2)
    assert (best["y"]["run"], best["y"]["tied"]) == ("R3", None)
    assert any("smallest name" in note for note in study["novelty"].notes)


def test_the_best_of_a_group_by_another_measure() -> None:
    grouped = entries(group=["x", "x", "y"])
    runs = RUNS | {"R2": run("FEDCBAGHIJ")}
    study = relative(QRELS, runs, prior="best-per-group", entries=grouped, by="P@2")
    best = {row["group"]: row["run"] for row in study["bests"].rows()}
    assert best == {"x": "R2", "y": "R3"}  # P@2: R1 has A of A, B: 1/2; R2 has F and E: 1


def test_other_groups_are_all_of_them() -> None:
    study = relative(QRELS, RUNS, prior="other-groups", entries=entries(group=["x", "y", None]))
    assert nrg(study) == pytest.approx({"R1": 0.8417, "R2": 0.8316, "R3": 0.8681}, abs=PAPER)
    assert any("no group: R3" in note for note in study["novelty"].notes)


def test_a_run_that_is_only_known_before() -> None:
    study = relative(QRELS, {"R1": RUNS["R1"], "other": RUNS["R2"]}, prior=["other"], shown=["R1"])
    (row,) = study["novelty"].rows()
    assert row["run"] == "R1"
    assert row["nrg"] == pytest.approx(0.7361, abs=PAPER)


def test_unique_contributions_rareness_and_coverage_by_hand() -> None:
    qrels = {"1": {"a": 1, "b": 1, "c": 1}}
    runs = {"x": {"1": {"a": 3.0, "b": 2.0}}, "y": {"1": {"b": 3.0, "z": 2.0}}, "w": {"1": {"b": 3.0, "c": 2.0}}}
    study = relative(qrels, runs, "P@2", prior="others")
    rows = {row["run"]: row for row in study["novelty"].rows()}
    assert [rows[name]["unique"] for name in "xyw"] == [1, 0, 1]  # a; nothing; c
    assert [rows[name]["unique_total"] for name in "xyw"] == [1, 0, 1]
    # b is in all three runs, a and c in one each: (1 + (1 − 1/3) + 1 + (1 − 3/3)) / 2.
    assert rows["x"]["rareness"] == pytest.approx((1 + 2 / 3 + 1 + 0) / 2)
    assert rows["y"]["rareness"] == pytest.approx((1 + 0) / 2)
    # P@2 is 1, 1/2 and 1: (1 − the best of the others) · own, and with their mean.
    assert [rows[name]["tasc"] for name in "xyw"] == pytest.approx([0, 0, 0])
    assert rows["x"]["tasc_mean"] == pytest.approx((1 - (1 / 2 + 1) / 2) * 1)
    assert rows["y"]["tasc_mean"] == pytest.approx((1 - 1) * 1 / 2)


def test_rareness_as_the_authors_script_counts() -> None:
    # a is in both topics of x; their script counts it twice: 2 of 2 runs.
    qrels = {"1": {"a": 1}, "2": {"b": 1}}
    runs = {"x": {"1": {"a": 1.0}, "2": {"a": 2.0, "b": 1.0}}, "y": {"1": {"z": 1.0}, "2": {"b": 1.0}}}
    ours, theirs = (
        {row["run"]: row["rareness"] for row in relative(qrels, runs, "P@2", rareness=way)["novelty"].rows()}
        for way in ("topic", "authors")
    )
    assert ours["x"] == pytest.approx(((1 + 1 / 2) / 2 + (1 + 0) / 2) / 2)
    assert theirs["x"] == pytest.approx(((1 + 0) / 2 + (1 + 0) / 2) / 2)


def test_topics_where_nothing_is_left_are_counted_and_named() -> None:
    qrels = {"1": {"a": 1}, "2": {"b": 1, "c": 1}, "3": {"d": 0}}
    runs = {"x": {"1": {"a": 1.0}, "2": {"b": 1.0}}, "y": {"1": {"a": 1.0}, "2": {"z": 2.0, "b": 1.0}}}
    study = relative(qrels, runs, "nDCG@10")
    assert {row["run"]: row["seen_out"] for row in study["novelty"].rows()} == {"x": 1, "y": 1}
    assert [(row["run"], row["topic"]) for row in study["seen_out"].rows()] == [("x", "1"), ("y", "1")]


def test_one_relevant_document_a_topic_is_a_case_for_rr() -> None:
    qrels = {"1": {"a": 1}, "2": {"b": 1}}
    runs = {"x": {"1": {"a": 1.0}}, "y": {"2": {"b": 1.0}}}
    assert any("RR says more" in note for note in relative(qrels, runs, "nDCG@10")["novelty"].notes)
    assert not any("RR says more" in note for note in relative(qrels, runs, "RR@10")["novelty"].notes)


def test_it_is_the_value_that_evaluate_gives() -> None:
    values = evaluate(QRELS, RUNS, "NRG(nDCG@10)")
    found = nrg(relative(QRELS, RUNS))
    assert dict(zip(values.runs, values.aggregate()[:, 0].tolist(), strict=True)) == found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("campaign") / "c"
    Campaign(topics=12, groups=3, runs=7, depth=50).write(place)
    return place


def test_several_measures_and_topics(folder: Path) -> None:
    study = relative(folder / "qrels.txt", folder / "runs", ["nDCG@10", "RR"], per_topic=True)
    rows: list[dict[str, Any]] = study["novelty"].rows()
    assert [row["measure"] for row in rows] == ["nDCG@10"] * 7 + ["RR"] * 7
    topics: list[dict[str, Any]] = [row for row in study["per_topic"].rows() if row["measure"] == "RR"]
    some = sorted({row["topic"] for row in topics})[:3]
    of_some = relative(folder / "qrels.txt", folder / "runs", "RR", only=some)["novelty"].rows()
    for chosen, counted in ((rows[7:], None), (of_some, some)):
        for row in chosen:
            own = [
                one["nrg"] for one in topics if one["run"] == row["run"] and one["topic"] in (counted or one["topic"])
            ]
            assert sum(own) / len(own) == pytest.approx(row["nrg"])


def test_chosen_on_some_topics_and_shown_on_the_others(folder: Path) -> None:
    study = relative(folder / "qrels.txt", folder / "runs", "nDCG@10", purpose="ensemble", steps=2)
    values = evaluate(folder / "qrels.txt", folder / "runs", "nDCG@10")
    matrix = values.matrix()
    halves = [matrix[0::2], matrix[1::2]]
    best = [int(half.mean(axis=0).argmax()) for half in halves]  # on one half, shown on the other
    expected = (halves[1][:, best[0]].sum() + halves[0][:, best[1]].sum()) / len(matrix)
    first, second = study["ensemble"].rows()
    assert first["held_out"] == first["by_value_held_out"] == pytest.approx(expected)
    assert first["fused"] == pytest.approx(matrix.mean(axis=0).max())
    assert second["held_out"] is not None
    rows: list[dict[str, Any]] = study["ensemble"].rows()
    top, other = (max(rows, key=lambda row: row[name]) for name in ("fused", "by_value"))
    held = f"as many reach {top['held_out']:.4f} on the other half, by value {other['by_value_held_out']:.4f}."
    assert study.sentence.endswith(held)


def test_which_runs_to_fuse_by_hand() -> None:
    # x finds a first; y the same and c; w finds b. After x, w adds b, and y no more than c at rank 2.
    qrels = {"1": {"a": 2, "b": 2, "c": 1}}
    runs = {
        "x": {"1": {"a": 9.0, "p": 8.0}},
        "y": {"1": {"a": 9.0, "c": 8.0}},
        "w": {"1": {"b": 9.0, "q": 8.0}},
    }
    study = relative(qrels, runs, "DCG@2", purpose="ensemble")
    rows = study["ensemble"].rows()
    assert [row["run"] for row in rows] == ["y", "w", "x"]
    assert rows[0]["value"] == pytest.approx(2 + 1 / log2(3))
    assert [row["nrg"] for row in rows] == pytest.approx([2 + 1 / log2(3), 2, 0])
    # Reciprocal ranks of y and w: a and b have 1/61, c and q 1/62; by id b stands above a.
    assert rows[1]["fused"] == pytest.approx(2 + 2 / log2(3))
    assert [row["by_value_run"] for row in rows] == ["y", "x", "w"]  # x and w are equal: the first one
    assert {row["best"] for row in rows} == {rows[0]["value"]}
    assert rows[0]["held_out"] is None  # one topic cannot be parted
    assert "ensemble" in study.charts
    assert "3 runs" in study.sentence or "2 runs" in study.sentence


def test_which_runs_to_pool_is_set_arithmetic(folder: Path) -> None:
    depth = 5
    study = relative(folder / "qrels.txt", folder / "runs", "P@5", purpose="pool", steps=4)
    first = {path.stem: _first(path, depth) for path in (folder / "runs").iterdir()}
    lines = [line.split() for line in (folder / "qrels.txt").read_text().splitlines()]
    relevant = {(topic, document) for topic, _, document, grade in lines if int(grade) >= 1}
    topics = {topic for topic, *_ in lines}
    every = set.union(*first.values()) & relevant
    found: set[tuple[str, str]] = set()
    pooled: set[tuple[str, str]] = set()
    for row in study["pool_runs"].rows():
        gains = {name: len((documents & relevant) - found) for name, documents in first.items()}
        assert row["new"] == max(gains.values()) == gains[str(row["run"])]
        found |= first[str(row["run"])] & relevant
        pooled |= {pair for pair in first[str(row["run"])] if pair[0] in topics}
        assert (row["found"], row["documents"]) == (len(found), len(pooled))
        assert row["share"] == pytest.approx(len(found) / len(every))
    assert "pool-runs" in study.charts
    assert f"{len(found) / len(every):.0%} of the relevant documents" in study.sentence


def _first(path: Path, depth: int) -> set[tuple[str, str]]:
    """The first documents of a run for every topic, by score and then by id, descending."""
    ranked: dict[str, list[tuple[float, str]]] = {}
    for line in path.read_text().splitlines():
        topic, _, document, _, score, _ = line.split()
        ranked.setdefault(topic, []).append((float(score), document))
    return {(topic, document) for topic, rows in ranked.items() for _, document in sorted(rows, reverse=True)[:depth]}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measures": "AP"}, "AP has no NRG"),
        ({"prior": "earlier"}, "the prior cannot be 'earlier'"),
        ({"prior": ["earlier"]}, "no run named earlier"),
        ({"prior": "chronological"}, "no run has a date"),
        ({"prior": "best-per-group"}, "no run has a group"),
        ({"prior": []}, "the prior lists no run"),
        ({"rareness": "nobody"}, "rareness cannot be counted by 'nobody'"),
        ({"shown": ["nobody"]}, "there is no run named nobody"),
        ({"purpose": "soup"}, "novelty is not for 'soup'"),
        ({"level": 2}, "level"),
        ({"alpha": -1.0}, "alpha"),
    ],
)
def test_what_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        relative(QRELS, RUNS, **options)


def test_what_needs_more_than_values() -> None:
    values = evaluate(QRELS, RUNS, "nDCG@10")
    for options in ({"purpose": "pool"}, {"rareness": "authors"}):
        with pytest.raises(ParameterError, match="the runs themselves are needed"):
            novelty(values, **options)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="there is no run named R3 among them"):
        novelty(values, purpose="pool", runs={name: RUNS[name] for name in ("R1", "R2")})
    with pytest.raises(ParameterError, match="there are no values of RR"):
        novelty(values, measures="RR")
    scores = read_scores({"topic": ["1"], "x": [0.5], "y": [0.2]})
    with pytest.raises(ParameterError, match="does not say what runs found"):
        novelty(scores)


def test_some_runs_have_no_date() -> None:
    with pytest.raises(ParameterError, match="there is no date of R3"):
        relative(QRELS, RUNS, prior="chronological", entries=entries(date=["2024-01-02", "2024-01-01", None]))


@pytest.mark.shared
def test_the_runs_of_a_real_campaign_against_the_best_of_each_other_team(shared_data: Path) -> None:
    covid = shared_data / "trec-covid"
    qrels, runs, board = covid / "qrels-rnd1.txt", covid / "runs", covid / "leaderboard-round1.csv"
    study = relative(qrels, runs, prior="best-per-group", entries=board, per_topic=True)
    grades: dict[str, dict[str, int]] = {}
    for line in qrels.read_text().splitlines():
        topic, _, document, grade = line.split()
        grades.setdefault(topic, {})[document] = int(grade)
    ranked = {path.name.removesuffix(".gz"): _ranked(path) for path in runs.iterdir()}
    told: list[dict[str, Any]] = study["novelty"].rows()
    bests: list[dict[str, Any]] = study["bests"].rows()
    by_topic: list[dict[str, Any]] = study["per_topic"].rows()
    team = {row["run"]: row["group"] for row in told}
    mean = {row["run"]: row["value"] for row in told}
    best = {row["group"]: row["run"] for row in bests}
    for group, chosen in best.items():
        assert mean[chosen] == max(mean[run] for run, of in team.items() if of == group)
    measure = dcg(10, ideal=True)
    assert len(by_topic) == 22 * 30
    for row in by_topic:
        run, topic = row["run"], row["topic"]
        priors = [ranked[other].get(topic, []) for group, other in best.items() if group != team[run]]
        relevant = {document: grade for document, grade in grades[topic].items() if grade > 0}
        assert row["nrg"] == pytest.approx(measure.nrg(ranked[run].get(topic, []), relevant, priors), abs=1e-12)


def _ranked(path: Path) -> dict[str, list[str]]:
    """The first ten documents of each topic, by score and then by id, descending."""
    rows: dict[str, list[tuple[float, str]]] = {}
    with gzip.open(path, "rt") as file:
        for line in file:
            topic, _, document, _, score, _ = line.split()
            rows.setdefault(topic, []).append((float(score), document))
    return {topic: [document for _, document in sorted(of, reverse=True)[:10]] for topic, of in rows.items()}
