"""Judged documents in groups, and a ranking of each topic: the same for the peer and for us."""

from functools import cache
from random import Random

PATIENCE = (0.5, 0.85)
GROUPS = ("many", "few", "nobody knows")


@cache
def grouped() -> dict[str, dict[str, tuple[int, str]]]:
    """For each topic its documents: their grade, and the group; the first of the two real ones is the larger."""
    rng = Random(31)
    found = {}
    for topic in ("1", "2", "3", "4"):
        drawn = [(int(rng.random() < 0.5), rng.choices(GROUPS, (5, 3, 2))[0]) for _ in range(18)]
        fixed = [(1, GROUPS[0]), (1, GROUPS[1])]  # something is due to both
        found[topic] = {f"t{topic}d{i}": one for i, one in enumerate([*fixed, *drawn])}
    return found


@cache
def ranked() -> dict[str, list[str]]:
    """For each topic some of its documents, in an order."""
    rng = Random(32)
    return {topic: rng.sample(sorted(documents), 14) for topic, documents in grouped().items()}
