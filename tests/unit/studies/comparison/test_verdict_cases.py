"""Comparisons whose verdict was wrong when topics answered and first relevant documents decided alone."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cranfield as cf
from cranfield.core import ParameterError, Study
from cranfield.data import Values

Ranking = list[str]


def study_of(
    rankings: Mapping[str, Sequence[Ranking]], relevant: Sequence[dict[str, int]], measures: str, **options: object
) -> Study:
    """Compare runs given as rankings, topic by topic."""
    qrels = {str(t): grades for t, grades in enumerate(relevant)}
    runs = {
        name: {str(t): {d: float(-i) for i, d in enumerate(ranking)} for t, ranking in enumerate(topics)}
        for name, topics in rankings.items()
    }
    return cf.compare(cf.evaluate(qrels, runs, measures), **options)  # type: ignore[arg-type]


def ruling(study: Study) -> bool | None:
    assert study.verdict is not None
    met: bool | None = study.verdict["met"]
    return met


def collapse(topics: int = 25, seed: int = 3) -> tuple[dict[str, list[Ranking]], list[dict[str, int]]]:
    """Run B keeps the first relevant document of run A, and moves all others behind 30 documents."""
    draws = np.random.default_rng(seed)
    relevant = [{f"r{i}": 1 for i in range(int(draws.integers(4, 9)))} for _ in range(topics)]
    a, b = [], []
    for grades in relevant:
        names = list(grades)
        start = [f"x{i}" for i in range(int(draws.integers(0, 3)))]
        rest = [f"y{i}" for i in range(30)]
        a.append([*start, *names, *rest])
        b.append([*start, names[0], *rest, *names[1:]])
    return {"A": a, "B": b}, relevant


def test_a_collapse_behind_the_first_relevant_documents_is_harm() -> None:
    study = study_of(*collapse(), "nDCG@10", require="no-harm")
    row = study["evidence"].rows()[0]
    assert float(str(row["value_a"])) > 2 * float(str(row["value_b"]))
    first = next(row for row in study["evidence"].rows() if row["line"] == "first relevant")
    assert (first["difference"], first["status"]) == (0, "inconclusive")  # the old rule saw nothing else
    assert study.verdict is not None
    assert study.verdict.kind == "worse"
    assert ruling(study) is False


def test_a_falling_measure_is_not_better_though_more_topics_are_answered() -> None:
    """B answers 9 topics more, each with one of ten relevant documents at rank 10; in 60 others its AP falls."""
    relevant = [{f"r{i}": 1 for i in range(10)} for _ in range(69)]
    good, late = [f"r{i}" for i in range(10)], [*[f"x{i}" for i in range(9)], "r0"]
    fallen = ["r0", *[f"x{i}" for i in range(9)], *good[1:]]
    study = study_of(
        {"A": [["x"]] * 9 + [good] * 60, "B": [late] * 9 + [fallen] * 60}, relevant, "AP", cutoff=10, require="better"
    )
    assert study.verdict is not None
    assert study.verdict.kind == "mixed"
    assert ruling(study) is False
    answered = next(row for row in study["evidence"].rows() if row["line"] == "answered")
    assert answered["status"] == "better"


def test_another_measure_does_not_change_the_status_of_the_first() -> None:
    draws = np.random.default_rng(8)
    relevant = [{f"d{i}": int(draws.integers(0, 3)) for i in range(20)} for _ in range(30)]
    documents = [f"d{i}" for i in range(40)]
    rankings = {
        f"run{r}": [
            sorted(documents, key=lambda d, t=t, r=r: -relevant[t].get(d, 0) * (r % 3) * 0.3 - draws.random())  # type: ignore[misc]
            for t in range(30)
        ]
        for r in range(6)
    }
    alone = study_of(rankings, relevant, "AP", correct="none")["verdicts"].rows()
    several = study_of(rankings, relevant, "AP nDCG@10 P@5", correct="none")["verdicts"].rows()
    assert len({row["verdict"] for row in alone}) > 1
    for one, more in zip(alone, several, strict=True):
        for name in ("measure", "difference", "low", "high", "p", "p_adjusted", "strict", "do_no_harm"):
            assert one[name] == more[name]
        assert one["verdict"] == more["verdict"] or more["verdict"] == "mixed"


def single(a: Sequence[int | None], b: Sequence[int | None], **options: object) -> Study:
    """Compare two runs with one relevant document per topic, at these ranks."""

    def ranking(place: int | None) -> Ranking:
        documents = [f"x{i}" for i in range(20)]
        return documents if place is None else [*documents[: place - 1], "r", *documents[place - 1 :]]

    rankings = {"A": [ranking(place) for place in a], "B": [ranking(place) for place in b]}
    return study_of(rankings, [{"r": 1}] * len(a), "RR@10", **options)


def test_requirements_by_outcomes_use_the_corrected_rule() -> None:
    """Six topics against none: p = 2/64 is below .05, and doubled by Holm it is above."""
    study = single([None] * 6 + [2] * 20, [1] * 6 + [2] * 20, by="outcomes", require="better")
    assert study.verdict is not None
    assert (study.verdict["do_no_harm"], study.verdict["do_no_harm_holm"]) == ("b", "neither")
    assert study.verdict.kind == "inconclusive"
    assert ruling(study) is None
    assert single([None] * 9 + [2] * 20, [1] * 9 + [2] * 20, by="outcomes").verdict.kind == "better"  # type: ignore[union-attr]


def test_by_outcomes_opposite_facets_are_mixed() -> None:
    study = single([None] * 12 + [1] * 20, [1] * 12 + [2] * 20, by="outcomes", require=["better", "no-harm"])
    assert study.verdict is not None
    assert study.verdict.kind == "mixed"
    assert [row["met"] for row in study["requirements"].rows()] == [False, False]


def contrary(**options: object) -> Study:
    """B answers 9 topics more, late; in 60 others it gains the first rank and loses all others, so none dominates."""
    relevant = [{f"r{i}": 1 for i in range(10)} for _ in range(69)]
    names, rest = list(relevant[0]), [f"x{i}" for i in range(30)]
    late, first = [*rest[:9], "r0"], ["r0", *rest, *names[1:]]
    rankings = {"A": [["x"]] * 9 + [["x", *names]] * 60, "B": [late] * 9 + [first] * 60}
    return study_of(rankings, relevant, "AP", cutoff=10, by="outcomes", **options)


def test_by_outcomes_a_measure_that_contradicts_the_verdict_is_named() -> None:
    study = contrary(require="better")
    assert study.verdict is not None
    assert study.verdict.kind == "better"
    assert study["evidence"].rows()[0]["status"] == "worse"
    assert "The measure contradicts this: B is worse on AP (" in study.sentence
    assert "where both answer, no significant difference in dominance" in study.sentence
    assert ruling(study) is True
    assert "AP" not in study.verdict["why"]  # the outcomes decide, so the reason names them
    assert "proportion answered +0.130" in study.verdict["why"]  # 9 of 69


def test_by_outcomes_a_falling_measure_is_still_harm() -> None:
    study = contrary(require="no-harm")
    assert ruling(study) is False
    assert study.verdict is not None
    assert "worse than A on AP" in study.verdict["why"]


def test_the_outcome_rule_names_what_decides_the_ranking() -> None:
    assert contrary().verdict["outcome_rule"] == "dominance none"  # type: ignore[index]
    assert single([1] * 9, [2] * 9).verdict["outcome_rule"] == "signed-rank none"  # type: ignore[index]


def test_scores_alone_have_a_verdict_and_no_outcomes() -> None:
    scores = {"topic": [str(t) for t in range(30)], "a": [0.2] * 30, "b": [0.3 + 0.01 * (t % 5) for t in range(30)]}
    study = cf.compare(scores)
    assert study.verdict is not None
    assert study.verdict.kind == "better"
    with pytest.raises(ParameterError, match="outcomes of topics are not known"):
        cf.compare(scores, by="outcomes")


def test_several_pairs_name_their_winners() -> None:
    """`b` is only the later file: the summary counts significant pairs and names who wins."""
    draws = np.random.default_rng(5)
    base = draws.random(50)
    scores: dict[str, Any] = {"topic": [str(t) for t in range(50)]}
    scores |= {
        name: base + gain + draws.normal(0, 0.02, 50) for name, gain in (("best", 0.3), ("mid", 0.1), ("low", 0))
    }
    study = cf.compare(scores)
    assert study.verdict is not None
    assert study.verdict["pairs"] == 3
    assert "3 of 3 pairs differ significantly" in study.sentence
    assert "best (2) and mid (1)" in study.sentence
    beside = cf.compare(scores, baseline="mid")
    assert "1 is better (best)" in beside.sentence
    assert "1 is worse (low)" in beside.sentence


def test_the_winner_is_the_same_whichever_file_comes_first() -> None:
    draws = np.random.default_rng(6)
    matrix = draws.random((40, 2)) + np.array([0.0, 0.2])
    words = {"better": "worse", "worse": "better", "inconclusive": "inconclusive", "mixed": "mixed"}
    names = {"topic": [str(t) for t in range(40)]}
    one = cf.compare(names | {"a": matrix[:, 0], "b": matrix[:, 1]})
    other = cf.compare(names | {"b": matrix[:, 1], "a": matrix[:, 0]})
    assert one.verdict is not None
    assert other.verdict is not None
    assert one.verdict.kind == words[str(other.verdict.kind)] == "better"


def covid(*runs: str, measures: str = "nDCG@10") -> Values:
    folder = Path(os.environ["CRANFIELD_DATA"]) / "trec-covid"
    return cf.evaluate(folder / "qrels-rnd1.txt", [folder / "runs" / f"{run}.gz" for run in runs], measures)


@pytest.mark.shared
def test_trec_covid_collapse() -> None:
    """nDCG@10 falls from .452 to .185 (t p = 1.2e-6 by scipy): worse, and no requirement is met."""
    values = covid("PS-r1-bm25all", "Meta-Conv-KNRM")
    study = cf.compare(values, require=["no-harm", "better", "not-worse"], margins={"nDCG@10": 0.02})
    from scipy import stats

    matrix = values.matrix()
    row = study["verdicts"].rows()[0]
    assert row["p"] == pytest.approx(stats.ttest_rel(matrix[:, 1], matrix[:, 0]).pvalue)
    assert (row["value_a"], row["value_b"]) == pytest.approx((0.452, 0.185), abs=5e-4)
    assert row["verdict"] == "worse"
    assert [ruled["met"] for ruled in study["requirements"].rows()] == [False, False, False]
    assert "Judged@10" in study.sentence  # 60% against 87%


@pytest.mark.shared
def test_trec_covid_runs_that_do_not_differ() -> None:
    study = cf.compare(covid("run1", "run2", measures="AP"), require=["no-harm", "better"])
    assert study.verdict is not None
    assert study.verdict.kind == "inconclusive"
    assert [ruled["met"] for ruled in study["requirements"].rows()] == [True, None]
