"""Other judgments, the same runs: the study against its parts, and on a real campaign."""

from pathlib import Path

import pytest
from scipy import stats

import cranfield as cf
from cranfield.charts import draw
from cranfield.data import read_qrels

BEFORE = {"1": {"a": 1, "b": 0, "c": 1}, "2": {"p": 1, "q": 0}}
AFTER = {"1": {"a": 0, "b": 1, "c": 1}, "2": {"p": 1, "q": 0, "r": 0}}
RUNS = {
    "x": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"p": 2.0, "q": 1.0}},
    "y": {"1": {"b": 3.0, "c": 2.0, "a": 1.0}, "2": {"q": 2.0, "p": 1.0}},
}
ENTRIES = {"run": ["x", "y"], "group": ["ours", "theirs"]}


def test_what_becomes_of_a_board() -> None:
    before, after = (cf.evaluate(qrels, RUNS, "RR") for qrels in (BEFORE, AFTER))
    study = cf.relabel(before, after, entries=ENTRIES)
    assert study.name == "relabel"
    assert list(study.tables) == ["moved", "order", "judgments", "changed"]
    assert study.charts == ("moved", "changes")
    # RR: x has 1, 1 and then 1/2, 1; y has 1/2, 1/2 and then 1, 1/2.
    assert [(row["run"], row["group"], row["before"], row["after"], row["move"]) for row in study["moved"].rows()] == [
        ("x", "ours", 1.0, 0.75, 0),
        ("y", "theirs", 0.5, 0.75, 1),
    ]
    assert study["moved"].cells("rank_after") == [1, 1]
    assert study["judgments"].cells("count") == [1, 0, 1, 1, 3]  # r; none; b; a; c, p and q
    assert study.verdict is not None
    assert dict(study.verdict) == {
        "runs": 2,
        "moved": 1,
        "largest_move": 1,
        "first_before": "x",
        "first_after": "x and y",
        "sentence": study.sentence,
    }
    assert study.sentence.startswith("1 of 2 runs changes rank; the largest move is 1 rank; the first is x and y,")
    assert {source.kind for source in study.made_by.inputs} == {"qrels", "run", "entries"}  # type: ignore[union-attr]
    for chart in study.charts:
        draw(study, chart)


def test_judgments_may_be_given_and_may_be_unknown() -> None:
    scores = [cf.read_scores({"x": [0.1, 0.4], "y": [0.3, 0.3]}), cf.read_scores({"x": [0.5, 0.4], "y": [0.3, 0.3]})]
    assert "judgments" not in cf.relabel(*scores).tables
    assert "judgments" not in cf.relabel(*scores, qrels_before=BEFORE).tables
    told = cf.relabel(*scores, qrels_before=BEFORE, qrels_after=read_qrels(AFTER), command="me")
    assert told["judgments"].cells("count") == [1, 0, 1, 1, 3]
    assert told.sentence.endswith("Judgments: 1 added, 1 raised, 1 lowered and 3 the same.")
    assert told.made_by is not None
    assert told.made_by.command == "me"


def test_one_run_is_no_pair() -> None:
    alone = cf.read_scores({"x": [0.1, 0.4]})
    study = cf.relabel(alone, alone)
    assert list(study.tables) == ["moved", "order"]
    assert study.charts == ("moved",)


def test_notes_on_scales_and_on_entries() -> None:
    before, after = (cf.evaluate(qrels, RUNS, "RR") for qrels in (BEFORE, AFTER))
    notes = cf.relabel(before, after, entries={"run": ["x", "old"], "group": ["g", "h"]})["moved"].notes
    assert any("RR is ordinal" in note for note in notes)
    assert any("old" in note and "left out" in note for note in notes)
    assert not any("RR" in note for note in cf.relabel(before, after, scale="ignore")["moved"].notes)
    with pytest.raises(cf.CranfieldError, match="RR is ordinal"):
        cf.relabel(before, after, scale="refuse")


def test_what_is_refused() -> None:
    values = cf.evaluate(BEFORE, RUNS, "RR")
    with pytest.raises(cf.ParameterError, match="pairs are told apart by one test"):
        cf.relabel(values, values, test="t sign")
    with pytest.raises(cf.ParameterError, match="tost looks for equality"):
        cf.relabel(values, values, test="tost")
    with pytest.raises(cf.ParameterError, match="there are no values of AP"):
        cf.relabel(values, values, measure="AP")
    with pytest.raises(cf.ParameterError, match="level"):
        cf.relabel(values, values, level=2)


@pytest.mark.shared
def test_a_real_campaign_without_every_third_judgment(shared_data: Path) -> None:
    qrels = shared_data / "trec-covid" / "qrels-rnd1.txt"
    whole = read_qrels(qrels)
    rows = whole.to_table().rows()
    kept: dict[str, dict[str, int]] = {}
    for i, row in enumerate(rows):
        if i % 3:
            kept.setdefault(str(row["topic"]), {})[str(row["document"])] = int(str(row["grade"]))
    before, after = (cf.evaluate(labels, shared_data / "trec-covid" / "runs", "AP nDCG@10") for labels in (qrels, kept))
    study = cf.relabel(before, after, measure="AP")
    count = dict(zip(study["judgments"].cells("what"), study["judgments"].cells("count"), strict=True))
    judged = [int(str(row["grade"])) >= 0 for row in rows]
    assert count["removed"] == sum(judged[::3])
    assert count["same"] == sum(judged) - sum(judged[::3])
    means = [values.aggregate()[:, values.index("AP")] for values in (before, after)]
    first = study["order"].rows()[0]
    assert first["measure"] == "AP"
    assert first["tau"] == pytest.approx(stats.kendalltau(*means).statistic)
    ranks = [stats.rankdata(-side, method="min") for side in means]
    moves = {run: int(a - b) for run, a, b in zip(before.runs, *ranks, strict=True)}
    assert dict(zip(study["moved"].cells("run"), study["moved"].cells("move"), strict=True)) == moves
    assert any(moves.values())
