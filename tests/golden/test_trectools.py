"""Understandability-biased bpref beside trectools."""

import pytest

import cranfield as cf

from .aspect_inputs import TOP, labelled, ranked
from .reading import golden


def test_every_topic_has_the_value_of_trectools() -> None:
    grades, easy = (
        {topic: {one: told[which] for one, told in documents.items()} for topic, documents in labelled().items()}
        for which in (0, 1)
    )
    run = {topic: {one: -float(rank) for rank, one in enumerate(documents)} for topic, documents in ranked().items()}
    values = cf.evaluate(grades, run, f"uBpref(top={TOP})", aspects={"understandability": easy}, scale="ignore")
    found = dict(zip(values.topics, values.cube[0, :, 0].tolist(), strict=True))
    assert found == pytest.approx(golden("trectools"), abs=1e-10)
