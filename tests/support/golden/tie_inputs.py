"""Rankings with ties: the same for the peer and for us."""

from functools import cache
from random import Random

PERSISTENCE = (0.5, 0.9)


@cache
def tied() -> list[tuple[list[list[str]], list[list[str]]]]:
    """Pairs of rankings; documents that are tied stand in one list. The first pair has no ties."""
    found = []
    for seed, (length, other, chance) in enumerate(
        [(8, 8, 0.0), (8, 5, 0.3), (12, 12, 0.5), (6, 15, 0.5), (20, 9, 0.8), (7, 7, 1.0), (1, 6, 0.4), (30, 25, 0.2)]
    ):
        rng = Random(seed)
        sides = []
        for size in (length, other):
            ranking: list[list[str]] = []
            for document in rng.sample([f"d{i}" for i in range(max(length, other) + 5)], size):
                if ranking and rng.random() < chance:
                    ranking[-1].append(document)
                else:
                    ranking.append([document])
            sides.append(ranking)
        found.append((sides[0], sides[1]))
    return found
