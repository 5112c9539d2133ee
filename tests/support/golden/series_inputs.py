"""Series of rankings, judgments and groups: the same for the peer and for us."""

from functools import cache
from random import Random

PATIENCE = (0.5, 0.8)


@cache
def judged() -> dict[str, dict[str, tuple[int, int]]]:
    """For each topic its documents: their grade, and the group, -1 for none; only relevant ones are in one."""
    rng = Random(11)
    found = {}
    for topic in ("1", "2", "3"):
        grades = [int(rng.random() < 0.5) for _ in range(12)]
        grades[0] = 1
        found[topic] = {f"d{i}": (grade, rng.randrange(3) if grade else -1) for i, grade in enumerate(grades)}
    return found


@cache
def drawn() -> dict[str, dict[str, list[str]]]:
    """For each topic its rankings by sample: five of topic 1, two of topic 2, none of topic 3."""
    rng = Random(12)
    return {
        topic: {str(sample): rng.sample(sorted(judged()[topic]), 8) for sample in range(samples)}
        for topic, samples in (("1", 5), ("2", 2))
    }
