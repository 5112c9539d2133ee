"""Proportions of judged documents, and every study that must speak of them."""

import re
from collections.abc import Callable
from typing import Any

import pytest

import cranfield as cf
from cranfield.data import Values, judged_depth, judged_shares, unjudged_notes

TOPICS = [str(t) for t in range(12)]
JUDGED = {f"d{i}": i % 2 for i in range(20)}
SPARSE = {"d0": 1, "d1": 0, "d2": 0, "d3": 0, "d4": 0, "d5": 0, "d6": 0, "d7": 0}
STUDIES: dict[str, Callable[[Values], Any]] = {
    "evaluate": lambda values: values.study(),
    "test": cf.test,
    "paper": lambda values: cf.paper_table(values).study,
    "paper with a baseline": lambda values: cf.paper_table(values, "A").study,
    "leaderboard": lambda values: cf.leaderboard(values, draws=100),
    "anova": cf.anova,
    "agreement": lambda values: cf.agreement(values, "t", splits=5),
    "novelty": cf.novelty,
    "compare": lambda values: cf.compare(values, pairs=[("A", "B"), ("A", "C")]),
}


def _run(unjudged: int) -> dict[str, float]:
    """Ten documents, so many of them unjudged at the end; two topics apart, the same in all."""
    documents = [f"d{i}" for i in range(10 - unjudged)] + [f"u{i}" for i in range(unjudged)]
    return {document: float(-i) for i, document in enumerate(documents)}


def _values(*unjudged: int, measure: str = "nDCG@10", judged: dict[str, int] = JUDGED) -> Values:
    """Runs A, B, …; in topic 0 every run finds nothing relevant, so that values vary over topics."""
    runs = {
        name: {topic: _run(count) if topic != "0" else {"d0": 1.0} for topic in TOPICS}
        for name, count in zip("ABCD", unjudged, strict=False)
    }
    return cf.evaluate(dict.fromkeys(TOPICS, judged), runs, measure)


def _notes(study: Any) -> list[str]:
    return [note for table in study.tables.values() for note in table.notes if note.startswith("Judged@")]


def test_proportions_are_means_over_topics() -> None:
    """Eleven topics with 8 and 5 of 10 judged, and one with 1 of 1."""
    shares = judged_shares(_values(2, 5), 10)
    assert shares is not None
    assert shares.tolist() == pytest.approx([(11 * 0.8 + 1) / 12, (11 * 0.5 + 1) / 12])


@pytest.mark.parametrize(("measure", "depth"), [("nDCG@10", 10), ("P@5", 5), ("AP", 100), ("R@1000", 100)])
def test_documents_are_checked_down_to_the_cutoff_of_the_first_measure(measure: str, depth: int) -> None:
    assert judged_depth(_values(0, 0, measure=measure)) == depth


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_that_compares_says_where_documents_are_unjudged(name: str) -> None:
    """B has 5 of 10 documents judged in eleven of twelve topics: 54.2%."""
    (note,) = set(_notes(STUDIES[name](_values(0, 5, 1))))
    assert re.match(r"Judged@10 is 54.2% \(B\) to 100.0% \(A\) over 3 runs: ", note)


@pytest.mark.parametrize("name", STUDIES)
def test_judged_runs_have_no_note(name: str) -> None:
    assert _notes(STUDIES[name](_values(0, 0, 0))) == []


def test_a_reproduction_is_compared_with_its_original() -> None:
    qrels = dict.fromkeys(TOPICS, JUDGED)
    one, other = ({"name": {topic: _run(n) for topic in TOPICS}} for n in (0, 5))
    study = cf.reproduce(qrels, {"new": other["name"]}, "P@10", originals={"old": one["name"]}, draws=50)
    assert _notes(study)
    assert "50.0% for new and 100.0% for old" in _notes(study)[0]


@pytest.mark.parametrize(("unjudged", "warns"), [((9, 9), False), ((8, 9), True)])
def test_sparse_labels_warn_of_a_difference_only(unjudged: tuple[int, int], warns: bool) -> None:
    """8 of 10 documents unjudged, 20% judged, and 9 of 10: ten points apart."""
    assert bool(unjudged_notes(_values(*unjudged, judged=SPARSE))) is warns


def test_one_run_and_scores_have_no_note() -> None:
    assert unjudged_notes(_values(5)) == []
    assert unjudged_notes(cf.read_scores({"topic": ["1", "2"], "A": [0.1, 0.2], "B": [0.3, 0.1]})) == []
