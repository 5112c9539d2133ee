"""Answers with their nuggets assigned, as nuggetizer writes them: the same for the peer and for us."""

from functools import cache
from random import Random
from typing import Any


@cache
def assigned() -> list[dict[str, Any]]:
    """One record per run and topic; one topic has no vital nugget, one has two nuggets of one text."""
    rng = Random(7)
    keys = {
        f"q{topic}": [
            {"text": f"fact {i}", "importance": "okay" if topic == 3 or rng.random() < 0.4 else "vital"}
            for i in range(1 + topic * 3)
        ]
        for topic in range(6)
    }
    keys["q5"][1] = dict(keys["q5"][0])
    words = ("support", "partial_support", "not_support")
    return [
        {
            "query": f"the question of {topic}",
            "qid": topic,
            "run_id": run,
            "response_length": 100,
            "nuggets": [{**nugget, "assignment": rng.choices(words, weights)[0]} for nugget in nuggets],
        }
        for run, weights in (("careful", (6, 2, 2)), ("vague", (2, 6, 2)), ("silent", (0, 0, 1)))
        for topic, nuggets in keys.items()
    ]
