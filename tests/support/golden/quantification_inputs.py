"""Probabilities of groups for documents, as a classifier might say them, and the shares of groups it learned from."""

from random import Random

SEED = 7


def samples() -> dict[str, tuple[list[float], list[list[float]]]]:
    """By name: the shares of groups before, and for each document the probability of each group.

    A document shows its own group by a sign that is right in 7 of 10, more or less; what is likely follows by Bayes.
    """
    draw, found = Random(SEED), {}
    for groups, documents in [(2, 40), (2, 200), (3, 60), (5, 300), (4, 12)]:
        before, now = ([draw.randint(1, 9) for _ in range(groups)] for _ in range(2))
        rows = []
        for of in draw.choices(range(groups), now, k=documents):
            sign = of if draw.random() < 0.7 else draw.randrange(groups)
            right = draw.uniform(0.6, 0.8)
            some = [b * (right if g == sign else (1 - right) / (groups - 1)) for g, b in enumerate(before)]
            rows.append([one / sum(some) for one in some])
        found[f"{groups} groups, {documents} documents"] = ([b / sum(before) for b in before], rows)
    return found
