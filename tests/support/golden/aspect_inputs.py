"""Judgments, other labels of the same documents, and a run: the same for the peer and for us."""

from functools import cache
from random import Random

TOP = 2  # of the other labels


@cache
def labelled() -> dict[str, dict[str, tuple[int, int]]]:
    """For each topic its judged documents: the grade, and the other label. Topic 3 has few that are not relevant."""
    rng = Random(21)
    chances = {"1": 0.3, "2": 0.5, "3": 0.85}
    return {
        topic: {f"d{i:02}": (int(rng.random() < chance), rng.randrange(TOP + 1)) for i in range(20)}
        for topic, chance in chances.items()
    }


@cache
def ranked() -> dict[str, list[str]]:
    """For each topic a ranking of judged documents, with some that nobody judged among them."""
    rng = Random(22)
    return {
        topic: rng.sample([*documents, *(f"n{i}" for i in range(6))], 18) for topic, documents in labelled().items()
    }
