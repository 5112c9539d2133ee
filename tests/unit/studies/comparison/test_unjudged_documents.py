"""Unjudged documents: when a comparison warns of them, and what it says could change."""

import pytest

import cranfield as cf
from cranfield.data import Values, unjudged_notes
from cranfield.studies.comparison.text import PairNames
from cranfield.studies.comparison.unjudged_documents import unjudged_sentence

NAMES = PairNames("A", "B")
JUDGED = {f"d{i}": i % 2 for i in range(20)}


def values(unjudged_a: int, unjudged_b: int, measure: str = "P@10", topics: int = 4) -> Values:
    """Two runs of ten documents, so many of them unjudged at the end of each ranking."""

    def run(unjudged: int) -> dict[str, float]:
        documents = [f"d{i}" for i in range(10 - unjudged)] + [f"u{i}" for i in range(unjudged)]
        return {document: float(-i) for i, document in enumerate(documents)}

    qrels = {str(t): JUDGED for t in range(topics)}
    runs = {
        "A": {str(t): run(unjudged_a) for t in range(topics)},
        "B": {str(t): run(unjudged_b) for t in range(topics)},
    }
    return cf.evaluate(qrels, runs, measure)


@pytest.mark.parametrize(
    ("unjudged", "warns"),
    [
        ((0, 0), False),
        ((1, 1), False),
        ((2, 2), True),
        ((0, 1), True),
    ],  # 90% is enough; a difference of 10 points is not
)
def test_when_it_warns(unjudged: tuple[int, int], warns: bool) -> None:
    compared = values(*unjudged)
    assert bool(unjudged_sentence(compared, (0, 1), NAMES)) is warns
    assert bool(unjudged_notes(compared)) is warns


def test_sparse_labels_warn_of_a_difference_only() -> None:
    assert unjudged_sentence(values(9, 9), (0, 1), NAMES, sparse=True) == ""
    assert unjudged_sentence(values(9, 5), (0, 1), NAMES, sparse=True)


def test_the_bounds_of_a_measure_that_has_them() -> None:
    """P@10 of A: 4 of 8 judged documents are relevant, and 2 are open; of B: 2 of 5, and 5 are open."""
    sentence = unjudged_sentence(values(2, 5), (0, 1), NAMES)
    assert "[0.200, 0.700] for B" in sentence
    assert "[0.400, 0.600] for A" in sentence


def test_a_measure_after_the_first_is_checked_at_its_own_depth() -> None:
    """All of the first 5 documents are judged; of ten, 5 of B are not, and P@10 of B is 2 of 10 or up to 7."""
    assert unjudged_sentence(values(0, 5, "P@5"), (0, 1), NAMES) == ""
    sentence = unjudged_sentence(values(0, 5, "P@5 P@10"), (0, 1), NAMES)
    assert sentence.startswith("Judged@10 is 50% for B and 100% for A: ")
    assert "P@10 can lie in [0.200, 0.700] for B" in sentence


def test_a_measure_without_bounds_has_the_best_case() -> None:
    """Every document of the ideal ranking is relevant then, so nDCG@10 is below 1 for each irrelevant judged one."""
    sentence = unjudged_sentence(values(2, 5, "nDCG@10"), (0, 1), NAMES)
    assert "If all of them had the top grade, nDCG@10 would be" in sentence
    assert unjudged_sentence(values(2, 5, "AP"), (0, 1), NAMES).endswith("not relevant.")


@pytest.mark.parametrize(("measure", "depth"), [("Bpref", 100), ("P(judged_only=True)@10", 10)])
def test_measures_that_ignore_unjudged_documents_say_so(measure: str, depth: int) -> None:
    sentence = unjudged_sentence(values(2, 5, measure), (0, 1), NAMES)
    assert sentence.startswith(f"Judged@{depth} is 50% for B and 80% for A: unjudged documents are ignored.")


def test_scores_without_rankings_say_nothing() -> None:
    scores = cf.read_scores({"topic": ["1", "2"], "A": [0.1, 0.2], "B": [0.3, 0.1]})
    assert unjudged_sentence(scores, (0, 1), NAMES) == ""
