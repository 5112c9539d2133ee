"""Variances of click model parameters from the observed information matrix."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .probability_estimates import Numbers

CELLS = 4_000_000  # of a matrix that is made at once: 32 MB


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """How fast the likelihood falls beside its top where shared chances are moved: minus its second derivatives."""

    shared: NDArray[np.float64]  # (shared, shared)
    cross: Any  # (document's, shared): a matrix, sparse or not


def variances(own: Numbers, shared: Shared) -> tuple[Numbers, Numbers]:
    """The variance of each chance, the others not being known: of documents, and of what they share.

    ``own`` is the information on each chance of a document, the others given. Documents tell nothing of each other but
    through what they share (or little, where users go down a page), so that all information is inverted in blocks.
    """
    from scipy.sparse import csr_array

    cross = csr_array(shared.cross)
    scaled = csr_array(cross.multiply(1 / own[:, np.newaxis]))
    covariance = np.linalg.inv(shared.shared - (cross.T @ scaled).toarray())
    rows, added = max(1, CELLS // len(covariance)), np.empty_like(own)
    for start in range(0, len(own), rows):
        part = scaled[start : start + rows].toarray()
        added[start : start + rows] = ((part @ covariance) * part).sum(axis=1)
    return 1 / own + added, covariance.diagonal()
