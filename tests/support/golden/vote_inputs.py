"""Votes between two documents that R and we make strengths of, drawn by Python's own generator from fixed seeds."""

from math import exp
from random import Random

Pairs = list[tuple[int, int, int, int, int]]  # first, second, votes for the first, for neither, for the second


def drawn(seed: int, documents: int, share: float, votes: int) -> Pairs:
    """Some of all pairs, each with so many votes, but a chain that links all documents in any case."""
    random = Random(seed)
    strength = [random.gauss(0, 1.2) for _ in range(documents)]
    pairs = []
    for i in range(documents):
        for j in range(i + 1, documents):
            if j > i + 1 and random.random() > share:
                continue
            counts = [0, 0, 0]
            for _ in range(votes):
                better = random.random() < 1 / (1 + exp(strength[j] - strength[i]))
                counts[1 if random.random() < 0.2 else 0 if better else 2] += 1
            pairs.append((i, j, counts[0], counts[1], counts[2]))
    return pairs


def topics() -> dict[str, Pairs]:
    """Topics by name."""
    return {
        "few": drawn(1, 4, 1.0, 5),
        "sparse": drawn(2, 12, 0.2, 3),
        "many": drawn(3, 25, 0.5, 7),
        "always": [(0, 1, 6, 0, 0), (0, 2, 6, 0, 0), (1, 2, 6, 0, 0)],  # the first never lost, the last never won
        "ties alone": [(0, 1, 0, 4, 0), (1, 2, 0, 4, 0)],
        "one vote": [(0, 1, 1, 0, 0)],
    }
