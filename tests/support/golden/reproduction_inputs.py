"""Runs that were made again, and scores of such: the same for the peer and for us."""

from functools import cache
from random import Random

P = 0.8  # of rank-biased overlap


@cache
def made_again() -> dict[str, tuple[list[str], list[str]]]:
    """An original and a run, documents from the top, for each way in which they differ."""
    found = {}
    for seed, (length, noise, new) in enumerate(
        [(2, 0.0, 0.0), (10, 0.0, 0.0), (10, 0.3, 0.0), (50, 0.1, 0.2), (50, 1.0, 0.5), (50, 0.0, 1.0), (50, 9.0, 0.1)]
    ):
        rng = Random(seed)
        original = [f"d{i:03}" for i in range(length)]
        place = {document: i + noise * length * (rng.random() - 0.5) for i, document in enumerate(original)}
        run = sorted(original, key=lambda document, place=place: place[document])  # type: ignore[misc]
        fresh = iter(f"n{i:03}" for i in range(length))
        run = [next(fresh) if rng.random() < new else document for document in run]
        found[f"{length} documents, noise {noise}, new {new}"] = (original, run)
    return found


@cache
def scores() -> dict[str, tuple[list[float], list[float], list[float], list[float]]]:
    """Baseline and advanced run as they were and as they are now, topic by topic."""
    found = {}
    for seed, (topics, again) in enumerate([(10, 10), (50, 50), (50, 30), (25, 40)]):
        rng = Random(100 + seed)
        base = [rng.random() * 0.6 for _ in range(topics)]
        advanced = [score + 0.3 * rng.random() for score in base]
        near = again == topics
        new_base = [base[i] + 0.1 * (rng.random() - 0.5) if near else rng.random() * 0.5 for i in range(again)]
        new_advanced = [score + 0.2 * rng.random() for score in new_base]
        found[f"{topics} topics, then {again}"] = (base, advanced, new_base, new_advanced)
    return found
