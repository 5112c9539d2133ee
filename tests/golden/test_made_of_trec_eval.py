"""Measures that are made of others: the parts by trec_eval and ndeval, put together here as their papers say."""

from math import isnan
from typing import Any

import pytest

import cranfield as cf
from cranfield.data import Assessed, assess, read_qrels
from tests.support.golden import aspect_inputs, diversity_inputs
from tests.support.golden.golden_values import EXACT, golden, said
from tests.support.golden.ranking_inputs import graded
from tests.support.guarded_peers import pytrec_eval

CUTS = (1, 5, 10, 20)
Grades = dict[str, dict[str, int]]
Scores = dict[str, dict[str, float]]


def trec_eval(qrels: Grades, run: Scores, measure: str) -> dict[str, float]:
    """What trec_eval says, by topic."""
    found: dict[str, dict[str, float]] = pytrec_eval.RelevanceEvaluator(qrels, [measure]).evaluate(run)
    return {topic: values[measure] for topic, values in found.items()}


def ours(qrels: Any, run: Any, measure: str, **options: Any) -> dict[str, float]:
    values = cf.evaluate(qrels, run, measure, scale="ignore", **options)
    return dict(zip(values.topics, values.cube[0, :, 0].tolist(), strict=True))


@pytest.fixture(scope="module")
def diverse() -> tuple[Assessed, dict[str, Grades], Scores]:
    """The judgments by subtopic and the run of them: as we read them, and by topic and subtopic."""
    rows, lines = diversity_inputs.judgments(), diversity_inputs.run()
    columns = dict(zip(("topic", "subtopic", "document", "grade"), map(list, zip(*rows, strict=True)), strict=True))
    ranked = dict(zip(("topic", "document", "score"), map(list, zip(*lines, strict=True)), strict=True))
    subtopics: dict[str, Grades] = {}
    for topic, subtopic, document, grade in rows:
        subtopics.setdefault(topic, {}).setdefault(subtopic, {})[document] = grade
    run: Scores = {}
    for topic, document, score in lines:
        run.setdefault(topic, {})[document] = score
    return assess(read_qrels(columns, subtopics=True), {"run": ranked}), subtopics, run


def expected_grades(subtopics: dict[str, Grades]) -> Grades:
    """Subtopics are equally likely: what a grade may be expected to be is the sum over subtopics, but for a factor."""
    return {
        topic: {
            document: sum(grades.get(document, 0) for grades in some.values())
            for document in {document for grades in some.values() for document in grades}
        }
        for topic, some in subtopics.items()
    }


@pytest.mark.parametrize("k", CUTS)
def test_intent_aware_ndcg_is_the_mean_of_ndcg(k: int, diverse: tuple[Assessed, dict[str, Grades], Scores]) -> None:
    assessed, subtopics, run = diverse
    expected = dict.fromkeys(subtopics, 0.0)
    for topic, some in subtopics.items():
        meant = {subtopic: grades for subtopic, grades in some.items() if any(grade > 0 for grade in grades.values())}
        theirs = trec_eval(meant, dict.fromkeys(meant, run[topic]), f"ndcg_cut_{k}") if meant else {}
        expected[topic] = sum(theirs.values()) / max(len(theirs), 1)
    assert said(assessed, f"nDCG_IA@{k}") == pytest.approx(expected, rel=0, abs=EXACT)


@pytest.mark.parametrize("k", CUTS)
def test_d_ndcg_is_ndcg_of_expected_grades(k: int, diverse: tuple[Assessed, dict[str, Grades], Scores]) -> None:
    assessed, subtopics, run = diverse
    theirs = trec_eval(expected_grades(subtopics), run, f"ndcg_cut_{k}")
    assert said(assessed, f"D_nDCG@{k}") == pytest.approx(theirs, rel=0, abs=EXACT)
    recall = golden("pyndeval")[f"StRecall(rel=1)@{k}"]
    for gamma in (0.5, 0.3):
        both = {topic: gamma * recall[topic] + (1 - gamma) * value for topic, value in theirs.items()}
        assert said(assessed, f"DSharp_nDCG(gamma={gamma})@{k}") == pytest.approx(both, rel=0, abs=EXACT)


@pytest.mark.parametrize("beta", [0.5, 1, 2])
@pytest.mark.parametrize("k", [5, 20])
def test_e_is_made_of_precision_and_recall(k: int, beta: float) -> None:
    given = graded()
    p, r = (trec_eval(given.qrels, given.run, f"{name}_{k}") for name in ("P", "recall"))
    square = beta**2
    f = {t: (1 + square) * p[t] * r[t] / (square * p[t] + r[t]) if p[t] or r[t] else 0.0 for t in given.run}
    found = ours(given.qrels, given.run, f"E(beta={beta})@{k}")
    assert {t: found[t] for t in f} == pytest.approx({t: 1 - value for t, value in f.items()}, rel=0, abs=EXACT)


def test_the_search_length_is_one_divided_by_the_reciprocal_rank() -> None:
    given = graded()
    theirs = trec_eval(given.qrels, given.run, "recip_rank")
    found = ours(given.qrels, given.run, "ESL")
    assert any(theirs.values())
    for topic, value in theirs.items():
        assert found[topic] == pytest.approx(1 / value, abs=EXACT) if value else isnan(found[topic])


@pytest.mark.parametrize("k", [3, 10])
def test_several_labels_are_averaged(k: int) -> None:
    labelled, ranked = aspect_inputs.labelled(), aspect_inputs.ranked()
    grades, labels = (
        {topic: {one: told[which] for one, told in documents.items()} for topic, documents in labelled.items()}
        for which in (0, 1)
    )
    run = {topic: {one: -float(rank) for rank, one in enumerate(documents)} for topic, documents in ranked.items()}
    one, other = (trec_eval(told, run, f"ndcg_cut_{k}") for told in (grades, labels))
    aspects = {"understandability": labels}
    mean = {topic: 0.7 * one[topic] + 0.3 * other[topic] for topic in run}
    assert ours(grades, run, f"CAM(nDCG@{k},weight=0.7)", aspects=aspects) == pytest.approx(mean, rel=0, abs=EXACT)
    harmonic = {t: 2 / (1 / one[t] + 1 / other[t]) if one[t] and other[t] else 0.0 for t in run}
    assert ours(grades, run, f"MM(nDCG@{k})", aspects=aspects) == pytest.approx(harmonic, rel=0, abs=EXACT)
