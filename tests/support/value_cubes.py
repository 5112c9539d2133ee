"""Values built from an array of runs, topics and measures."""

import numpy as np

import cranfield as cf
from cranfield.data import Given


def made(cube: object, *measures: Given, **more: object) -> cf.Values:
    """Values out of numbers: (run, topic, measure)."""
    numbers = np.array(cube, dtype=float)
    runs, topics, _ = numbers.shape
    everywhere = np.ones((runs, topics), dtype=bool)
    return cf.Values(
        runs=tuple("abcdef"[:runs]),
        topics=tuple(str(t + 1) for t in range(topics)),
        measures=measures or (Given("m"),),
        cube=numbers,
        counted=everywhere,
        missing=~everywhere,
        without_relevant=np.zeros((numbers.shape[2], topics), dtype=bool),
        **more,  # type: ignore[arg-type]
    )
