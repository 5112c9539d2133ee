"""Apply a transform to the values of all measures, and compute norms for standardisation."""

from dataclasses import replace
from typing import Any

import numpy as np

from cranfield.core import ParameterError
from cranfield.data import Norms, Values, read_norms

from .value_transforms import Standardised, Transform


def change(values: Values, transform: Transform | None, norms: Any = None) -> tuple[Values, tuple[str, ...]]:
    """The values after a transform, and what happened on the way; without one they are as they were.

    ``norms`` are a file, or those of the only measure; without them a standardisation goes by the runs at hand.
    """
    if transform is None:
        if norms is not None:
            hint = "choose one: --transform z-score, webber, sakai or urbano"
            raise ParameterError("there are norms, but no transform that goes by them", hint=hint)
        return values, ()
    cube, notes, inputs = values.cube.copy(), [], []
    for i, measure in enumerate(values.measures):
        matrix = values.matrix(measure)
        known = norms if norms is None or isinstance(norms, Norms) else read_norms(norms, measure=str(measure))
        inputs += [] if known is None else [known.as_input()]
        changed = transform.apply(matrix, norms=known, topics=values.topics, runs=values.runs)
        cube[:, :, i] = np.where(values.counted, changed.T, cube[:, :, i])
        told = transform.notes(matrix, norms=known, topics=values.topics)
        notes += [f"{transform} of {measure}: {text}" for text in told]
    shown = [f"values are {transform} of {', '.join(map(str, values.measures))}", *notes]
    made_by = replace(values.made_by, inputs=(*values.made_by.inputs, *inputs))
    return replace(values, cube=cube, made_by=made_by), tuple(shown)


def norms_of(values: Values) -> list[Norms]:
    """The norms of every measure: what other runs on the same topics can be standardised by."""
    return [Standardised.norms(values.matrix(m), values.topics, measure=str(m)) for m in values.measures]
