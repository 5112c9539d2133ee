"""Labels of workers made from a table of answers."""

import numpy as np
from numpy.typing import NDArray

from cranfield.data import Answers, Labels, Source, Strings


def labels_of(given: Answers, grades: NDArray[np.float64] | None = None) -> Labels:
    """Return labels of one topic with these answers; grades are 0, 1, 2, … unless given."""
    return Labels(
        ("1",),
        np.zeros(given.items, dtype=np.int64),
        Strings([f"d{i}" for i in range(given.items)]),
        tuple(f"w{i}" for i in range(given.workers)),
        np.zeros(given.workers, dtype=bool),
        np.arange(given.choices, dtype=float) if grades is None else grades,
        given,
        None,
        Source("labels", "", "labels"),
    )
