"""Understandability-biased bpref and RBP beside trectools."""

import pytest

import cranfield as cf
from tests.support.golden.aspect_inputs import TOP, labelled, ranked
from tests.support.golden.golden_values import golden


def values(measure: str, aspect: str = "understandability") -> dict[str, float]:
    """Ours, by topic."""
    grades, labels = (
        {topic: {one: told[which] for one, told in documents.items()} for topic, documents in labelled().items()}
        for which in (0, 1)
    )
    run = {topic: {one: -float(rank) for rank, one in enumerate(documents)} for topic, documents in ranked().items()}
    found = cf.evaluate(grades, run, measure, aspects={aspect: labels}, scale="ignore")
    return dict(zip(found.topics, found.cube[0, :, 0].tolist(), strict=True))


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("uBpref", f"uBpref(top={TOP})"),
        ("uRBP", f"uRBP(top={TOP})"),
        ("uRBP(p=0.5)", f"uRBP(p=0.5,top={TOP})"),
        ("uRBP@5", f"uRBP(top={TOP})@5"),
    ],
)
def test_every_topic_has_the_value_of_trectools(theirs: str, ours: str) -> None:
    assert values(ours) == pytest.approx(golden("trectools")[theirs], abs=1e-10)


def test_credibility_is_another_label_of_the_same_measure() -> None:
    assert values(f"cRBP(top={TOP})", "credibility") == pytest.approx(golden("trectools")["uRBP"], abs=1e-10)
