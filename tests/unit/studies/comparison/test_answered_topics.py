"""The study `answers`: every number counted by plain loops over the files."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import cranfield as cf
from cranfield.charts import draw
from cranfield.core import ParameterError, Study, Verdict
from cranfield.data import Values
from cranfield.measures import unjudged_share, unjudged_within
from cranfield.simulate import Campaign

QRELS = {
    "1": {"a": 2, "b": 1, "c": 0},
    "2": {"a": 1, "b": 0, "s": -2},
    "3": {"a": 0, "b": 0},
}
RUNS = {
    "good": {"1": ["a", "b", "x"], "2": ["x", "a"], "3": ["a", "x"]},
    "bad": {"1": ["c", "x", "a"], "2": ["b"], "3": ["b", "a"]},
    "odd": {"1": ["x", "y", "z", "b"], "2": ["s", "b"]},  # nothing for topic 3
}


def scored(run: dict[str, list[str]]) -> dict[str, dict[str, float]]:
    return {topic: {document: -float(i) for i, document in enumerate(found)} for topic, found in run.items()}


def evaluated(measures: str = "AP", **how: Any) -> Values:
    return cf.evaluate(QRELS, {name: scored(run) for name, run in RUNS.items()}, measures, **how)


def by_run(study: Study, table: str = "answers") -> dict[str, dict[str, Any]]:
    return {str(row["run"]): row for row in study[table].rows()}


def counts(study: Study) -> dict[str, Any]:
    return {r: (row["answered"], row["only_unjudged"], row["unanswered"]) for r, row in by_run(study).items()}


def test_three_runs_by_hand() -> None:
    study = cf.answers(evaluated(), cutoff=2)
    columns = "run topics answered only_unjudged unanswered share low high unjudged".split()
    assert list(study["answers"].columns) == columns
    # good: topic 1 at rank 1, 2 at rank 2; in 3 x is unjudged. bad: in 1 x is unjudged; in 2 and 3 all is judged and
    # nothing relevant. odd: 1 has two unjudged; in 2 grade −2 stands for no judgment, as in Judged; 3 has nothing.
    assert counts(study) == {"good": (2, 1, 0), "bad": (0, 1, 2), "odd": (0, 2, 1)}
    assert study["answers"].cells("run") == ["good", "odd", "bad"]
    # Shares of the first two that nobody judged: 0, ½, ½; ½, 0 (of one), 0; 1, ½, and no third topic.
    unjudged = {run: row["unjudged"] for run, row in by_run(study).items()}
    assert unjudged == pytest.approx({"good": 1 / 3, "bad": 1 / 6, "odd": 3 / 4})
    assert dict(study.verdict or Verdict()) == {
        "most": "good",
        "answered": 2,
        "topics": 3,
        "never": 1,
        "cutoff": 2,
        "level": 0.05,
        "sentence": "good answers the most topics, 2 of 3, in the first 2 documents; 1 topic is answered by no run. "
        "3 runs have topics that only unjudged documents could answer.",
    }
    for row in study["answers"].rows():
        ends = stats.binomtest(int(str(row["answered"])), 3).proportion_ci(0.95, method="wilson")
        assert (row["low"], row["high"]) == pytest.approx((ends.low, ends.high), abs=1e-12)


def test_cutoff_and_grade() -> None:
    assert counts(cf.answers(evaluated(), rel=2)) == {"good": (1, 2, 0), "bad": (1, 0, 2), "odd": (0, 2, 1)}
    assert counts(cf.answers(evaluated(), cutoff=4))["odd"] == (1, 1, 1)  # b at rank 4
    assert cf.answers(evaluated()).verdict["cutoff"] == 100  # type: ignore[index]
    assert cf.answers(evaluated("RR@5 P@3")).verdict["cutoff"] == 5  # type: ignore[index]
    assert cf.answers(evaluated("AP RR@5")).verdict["cutoff"] == 100  # type: ignore[index]


def test_of_the_first_ten_at_most_the_unjudged_are_counted() -> None:
    run = {"1": {f"x{i}": -float(i) for i in range(30)}}
    run["1"] |= {"a": 0.5, "c": -9.5}  # ranks 1 and 12
    values = cf.evaluate(QRELS, {"deep": run}, "AP", topics="both")
    for cutoff, share in ((5, 4 / 5), (10, 9 / 10), (30, 9 / 10)):
        assert by_run(cf.answers(values, cutoff=cutoff))["deep"]["unjudged"] == pytest.approx(share)


def test_topics_that_do_not_count_are_in_no_column() -> None:
    found = by_run(cf.answers(evaluated(topics="both"), cutoff=2))
    assert {run: row["topics"] for run, row in found.items()} == {"good": 3, "bad": 3, "odd": 2}
    assert (found["odd"]["unanswered"], found["odd"]["share"]) == (0, 0.0)
    some = cf.answers(evaluated().only(["3", "1"]), cutoff=2)
    assert counts(some) == {"good": (1, 1, 0), "bad": (0, 1, 1), "odd": (0, 1, 1)}


def test_against_a_baseline_by_hand() -> None:
    study = cf.answers(evaluated("AP ESL"), baseline="bad", cutoff=2)
    columns = "run baseline win tie loss dominates dominated equal incomparable p".split()
    assert list(study["against"].columns) == columns
    rows: list[Any] = [tuple(row.values()) for row in study["against"].rows()]
    # AP of good: 1, ½, 0; of bad: ⅓/2, 0, 0; of odd: ¼/2, 0, 0. Rankings: good is ahead in 1 and 2; odd has b at rank
    # 4 where bad has a, of a higher grade, at rank 3; no other topic has anything relevant.
    assert rows == [
        ("good", "bad", 2, 1, 0, 2, 0, 1, 0, pytest.approx(1)),  # 2 of 2: p = ½, twice ½ by Holm
        ("odd", "bad", 0, 2, 1, 0, 1, 2, 0, pytest.approx(1)),
    ]
    assert study["against"].notes == ("win, tie and loss by AP; p: sign test, after Holm over 2 runs",)
    assert study.sentence.endswith(
        "Beside bad, 0 of 2 other runs win significantly more topics of AP than they lose, 0 significantly fewer."
    )
    lower = by_run(cf.answers(evaluated("AP ESL"), baseline="bad", measure="ESL"), "against")["good"]
    assert (lower["win"], lower["tie"], lower["loss"]) == (1, 0, 0)  # 1 below 3 is better; elsewhere one has none


def test_rankings_that_cannot_be_compared() -> None:
    qrels = {"1": {"a": 2, "b": 1}}
    runs = {
        "x": scored({"1": ["b", "n", "a"]}),
        "y": scored({"1": ["n", "a", "b"]}),
        "z": scored({"1": ["b", "n", "a"]}),
    }
    found = by_run(cf.answers(cf.evaluate(qrels, runs, "AP"), baseline="x"), "against")
    words = ("dominates", "dominated", "equal", "incomparable")
    assert [found["y"][word] for word in words] == [0, 0, 0, 1]  # b sooner, but a later
    assert [found["z"][word] for word in words] == [0, 0, 1, 0]
    shallow = by_run(cf.answers(cf.evaluate(qrels, runs, "AP"), baseline="x", depth=1), "against")
    assert [shallow["y"][word] for word in words] == [0, 1, 0, 0]  # at rank 1 x has b, y nothing


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("campaign") / "c"
    Campaign(topics=25, groups=4, runs=9, depth=50, pool=8, spam=0.2, missing=0.4).write(place)
    return place


@pytest.fixture(scope="module")
def values(folder: Path) -> Values:
    return cf.evaluate(folder / "qrels.txt", folder / "runs", "AP nDCG@10")


def ranked(folder: Path) -> Iterator[tuple[str, dict[str, list[str]]]]:
    for path in sorted((folder / "runs").iterdir()):
        lines: dict[str, list[tuple[float, str]]] = {}
        for line in path.read_text().splitlines():
            topic, _, document, _, score, _ = line.split()
            lines.setdefault(topic, []).append((float(score), document))
        # Equal scores: the larger name first, as trec_eval has it.
        yield path.stem, {topic: [d for _, d in sorted(found, reverse=True)] for topic, found in lines.items()}


@pytest.mark.parametrize("cutoff", [1, 3, 10, 40])
@pytest.mark.parametrize("rel", [1, 2])
def test_a_campaign_counted_by_loops(folder: Path, values: Values, cutoff: int, rel: int) -> None:
    grades: dict[str, dict[str, int]] = {}
    for line in (folder / "qrels.txt").read_text().splitlines():
        topic, _, document, grade = line.split()
        grades.setdefault(topic, {})[document] = int(grade)
    found = by_run(cf.answers(values, cutoff=cutoff, rel=rel))
    kinds = [0, 0, 0]
    for run, topics in ranked(folder):
        expected, shares = [0, 0, 0], []
        for topic in values.topics:
            top = [grades[topic].get(document, -1) for document in topics.get(topic, [])[:cutoff]]
            kind = 0 if max(top, default=-1) >= rel else 1 if min(top, default=0) < 0 else 2
            expected[kind] += 1
            kinds[kind] += 1
            if top:
                shares.append(sum(grade < 0 for grade in top[:10]) / len(top[:10]))
        row = found[run]
        assert [row["answered"], row["only_unjudged"], row["unanswered"]] == expected
        assert row["unjudged"] == pytest.approx(sum(shares) / len(shares))
        assert row["share"] == pytest.approx(expected[0] / 25)
    assert min(kinds) > 0


def test_wins_and_dominance_agree_with_other_studies(values: Values) -> None:
    base = values.runs[3]
    found = by_run(cf.answers(values, baseline=base, measure="nDCG@10"), "against")
    compared = cf.compare(values, baseline=base, scale="ignore")
    for row in compared["dominance"].rows():
        if row["level"] == "all":
            word = {"a": "dominated", "b": "dominates"}.get(str(row["outcome"]), str(row["outcome"]))
            assert found[str(row["b"])][word] == row["topics"]
    tested = {row["b"]: row for row in cf.test(values, "sign", baseline=base).tables["tests"].rows()[8:]}
    matrix = values.matrix("nDCG@10")
    for run, row in found.items():
        ahead = np.sign(np.round(matrix[:, values.runs.index(run)] - matrix[:, 3], 12))
        assert [row["win"], row["tie"], row["loss"]] == [int((ahead == side).sum()) for side in (1, 0, -1)]
        assert tested[run]["measure"] == "nDCG@10"
        assert row["p"] == pytest.approx(tested[run]["p_adjusted"])
    gaps = [row["win"] - row["loss"] for row in found.values()]
    assert gaps == sorted(gaps, reverse=True)


def test_values_of_rr_alone() -> None:
    scores = cf.read_scores({"topic": ["1", "2", "3"], "x": [1.0, 0.5, 0.0], "y": [0.2, 0.0, 0.0]})
    scores = replace(scores, measures=(cf.RR(),))
    study = cf.answers(scores, cutoff=4, baseline="y")
    assert counts(study) == {"x": (2, None, 1), "y": (0, None, 3)}
    assert {row["unjudged"] for row in study["answers"].rows()} == {None}
    assert "who judged what is not known" in study["answers"].notes[0]
    (row,) = study["against"].rows()
    assert (row["win"], row["tie"], row["loss"], row["dominates"]) == (2, 1, 0, None)
    assert "of 1 other run wins" in study.sentence
    assert unjudged_within(scores, 4) is None
    assert unjudged_share(scores, 4) is None


def test_it_is_a_study(values: Values) -> None:
    study = cf.answers(values, baseline=values.runs[0])
    assert (study.name, study.charts) == ("answers", ("answers", "against"))
    assert cf.answers(values).charts == ("answers",)
    for name in study.charts:
        assert draw(study, name).to_dict()["title"]["text"]
    json.loads(study.to_json(), parse_constant=lambda word: pytest.fail(word))


def test_refusals(values: Values) -> None:
    scores = {"topic": ["1", "2"], "x": [0.1, 0.3], "y": [0.2, 0.3]}
    with pytest.raises(ParameterError, match="not known from these scores") as caught:
        cf.answers(scores)
    assert caught.value.hint == "evaluate judgments and runs, or give values of RR"
    asked: list[tuple[dict[str, Any], str]] = [
        ({"level": 1}, "level"),
        ({"cutoff": 0}, "the depth cannot be 0"),
        ({"baseline": "nobody"}, "there is no run named nobody"),
        ({"measure": "RR"}, "there are no values of RR"),
        ({"baseline": values.runs[0], "depth": 0}, "the depth cannot be 0"),
    ]
    for wrong, words in asked:
        with pytest.raises(ParameterError, match=words):
            cf.answers(values, **wrong)
    with pytest.raises(ParameterError, match="there is only one run"):
        cf.answers(values.of_runs([0]), baseline=values.runs[0])
    for cutoff in (0, -1):
        with pytest.raises(ParameterError, match="the depth cannot be"):
            unjudged_within(values, cutoff)
