"""Expected exposure of series of rankings beside expeval."""

from typing import Any

import pytest

import cranfield as cf
from tests.support.golden.golden_values import golden
from tests.support.golden.series_inputs import PATIENCE, drawn, judged

NAMES = {"EE_D": "disparity", "EE_R": "relevance", "EE_L": "difference"}


def rows() -> dict[str, list[Any]]:
    """The rankings as rows."""
    every = [
        (topic, sample, document, rank)
        for topic, samples in drawn().items()
        for sample, documents in samples.items()
        for rank, document in enumerate(documents, 1)
    ]
    return dict(zip(("topic", "sample", "document", "rank"), map(list, zip(*every, strict=True)), strict=True))


@pytest.mark.parametrize("p", PATIENCE)
def test_every_topic_has_what_expeval_says(p: float) -> None:
    qrels = {topic: {one: grade for one, (grade, _) in some.items()} for topic, some in judged().items()}
    asked = [f"{name}(p={p})" for name in NAMES]
    for topic, said in golden("expeval")[str(p)].items():
        # Groups are of documents everywhere, and here those of a topic are drawn apart: one topic at a time.
        groups = {one: str(group) for one, (_, group) in judged()[topic].items() if group >= 0}
        values = cf.series({topic: qrels[topic]}, {"drawn": rows()}, asked, attributes=groups, scale="ignore")
        for m, name in enumerate(NAMES.values()):
            assert values.cube[0, 0, m] == pytest.approx(said[name], abs=1e-12)
