"""Proportions of judged documents, and every study that must speak of them."""

import re
from collections.abc import Callable
from typing import Any

import pytest

import cranfield as cf
from cranfield.data import Values, judged_depths, judged_shares, unjudged_notes

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
    "topics": lambda values: cf.topics(None, values),
    "bridge": lambda values: cf.bridge(values, {"A": 0.3, "B": 0.1, "C": 0.2}, draws=50),
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


@pytest.mark.parametrize(
    ("measures", "depths"),
    [("nDCG@10", (10,)), ("P@5 nDCG@20 P@20", (5, 20)), ("AP", (100,)), ("R@1000 RR ERR@10", (100, 10))],
)
def test_documents_are_checked_down_to_the_cutoff_of_every_measure(measures: str, depths: tuple[int, ...]) -> None:
    assert judged_depths(_values(0, 0, measure=measures).measures) == depths


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_that_compares_says_where_documents_are_unjudged(name: str) -> None:
    """B has 5 of 10 documents judged in eleven of twelve topics: 54.2%."""
    (note,) = set(_notes(STUDIES[name](_values(0, 5, 1))))
    assert re.match(r"Judged@10 is 54.2% \(B\) to 100.0% \(A\) over 3 runs: ", note)


@pytest.mark.parametrize("name", sorted({*STUDIES} - {"anova", "agreement"}))
def test_measures_after_the_first_are_checked_at_their_own_depth(name: str) -> None:
    """All of the first 5 documents are judged, and 5 of 10: P@5 alone has nothing to report."""
    assert unjudged_notes(_values(0, 5, 1, measure="P@5")) == []
    (note,) = set(_notes(STUDIES[name](_values(0, 5, 1, measure="P@5 nDCG@10"))))
    assert re.match(r"Judged@10 is 54.2% \(B\) to 100.0% \(A\) over 3 runs: ", note)


def test_a_note_lists_every_depth_that_has_few_judged_documents() -> None:
    """A has 8 of 10 documents judged, B 3: all of A's first 5, and 3 of B's."""
    (note,) = unjudged_notes(_values(2, 7, measure="P@5 nDCG@10 P@3"))
    share = (11 * 0.6 + 1) / 12, (11 * 0.3 + 1) / 12, (11 * 0.8 + 1) / 12
    assert note.startswith("Judged@5 is {:.1%} for B and 100.0% for A, Judged@10 is {:.1%} for B and ".format(*share))
    assert f"and {share[2]:.1%} for A: " in note
    assert "Judged@3" not in note


def test_depths_below_the_end_of_every_ranking_are_one() -> None:
    """The rankings have ten documents: down to ranks 10, 20 and 100 these are the same."""
    (note,) = unjudged_notes(_values(0, 5, measure="P@20 nDCG@10 AP"))
    assert note.count("Judged@") == 1


@pytest.mark.parametrize("name", STUDIES)
def test_judged_runs_have_no_note(name: str) -> None:
    assert _notes(STUDIES[name](_values(0, 0, 0))) == []


def test_a_reproduction_is_compared_with_its_original() -> None:
    qrels = dict.fromkeys(TOPICS, JUDGED)
    one, other = ({"name": {topic: _run(n) for topic in TOPICS}} for n in (0, 5))
    study = cf.reproduce(qrels, {"new": other["name"]}, "P@10", originals={"old": one["name"]}, draws=50)
    assert _notes(study)
    assert "50.0% for new and 100.0% for old" in _notes(study)[0]


def test_both_sets_of_judgments_of_a_board_are_checked() -> None:
    """Afterwards the two documents of B that were unjudged are judged too."""
    (note,) = (note for note in cf.relabel(_values(0, 2), _values(0, 0))["moved"].notes if "Judged@" in note)
    assert note.startswith("before: Judged@10 is ")


def test_a_change_of_scale_is_a_comparison() -> None:
    qrels = dict.fromkeys(TOPICS, JUDGED)
    runs = {name: {topic: _run(n) for topic in TOPICS} for name, n in zip("AB", (0, 5), strict=True)}
    assert _notes(cf.scale("P@10", qrels=qrels, runs=runs))[0].startswith("Judged@10 is 50.0% for B and 100.0% for A")


@pytest.mark.parametrize(("unjudged", "warns"), [((9, 9), False), ((8, 9), True)])
def test_sparse_labels_warn_of_a_difference_only(unjudged: tuple[int, int], warns: bool) -> None:
    """8 of 10 documents unjudged, 20% judged, and 9 of 10: ten points apart."""
    assert bool(unjudged_notes(_values(*unjudged, judged=SPARSE))) is warns


def test_one_run_and_scores_have_no_note() -> None:
    assert unjudged_notes(_values(5)) == []
    assert unjudged_notes(cf.read_scores({"topic": ["1", "2"], "A": [0.1, 0.2], "B": [0.3, 0.1]})) == []
