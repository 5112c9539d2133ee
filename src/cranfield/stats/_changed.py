"""Values after a transform, and the norms that a standardisation goes by."""

from dataclasses import replace
from typing import Any

import numpy as np

from cranfield.data import Norms, Values, read_norms

from ._transforms import Standardised, Transform


def change(values: Values, transform: Transform, norms: Any = None) -> tuple[Values, tuple[str, ...]]:
    """The values after a transform, and what happened on the way.

    ``norms`` are a file, or those of the only measure; without them a standardisation goes by the runs at hand.
    """
    cube, notes = values.cube.copy(), []
    for i, measure in enumerate(values.measures):
        matrix = values.matrix(measure)
        known = norms if norms is None or isinstance(norms, Norms) else read_norms(norms, measure=str(measure))
        changed = transform.apply(matrix, norms=known, topics=values.topics, runs=values.runs)
        cube[:, :, i] = np.where(values.counted, changed.T, cube[:, :, i])
        told = transform.notes(matrix, norms=known, topics=values.topics)
        notes += [f"{transform} of {measure}: {text}" for text in told]
    shown = [f"values are {transform} of {', '.join(map(str, values.measures))}", *notes]
    return replace(values, cube=cube), tuple(shown)


def norms_of(values: Values) -> list[Norms]:
    """The norms of every measure: what other runs on the same topics can be standardised by."""
    return [Standardised.norms(values.matrix(m), values.topics, measure=str(m)) for m in values.measures]
