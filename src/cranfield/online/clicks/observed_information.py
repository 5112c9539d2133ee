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


def shared_covariance(own: Numbers, shared: Shared) -> NDArray[np.float64]:
    """Return the covariance (shared, shared) of shared parameters, those of documents not being known.

    ``own`` is the information on each document's parameter, the others given. Documents depend on each other only
    through what they share (or little, where users go down a page), so that all information is inverted in blocks.
    """
    from scipy.sparse import csr_array

    cross = csr_array(shared.cross)
    scaled = csr_array(cross.multiply(1 / own[:, np.newaxis]))
    return np.linalg.inv(shared.shared - (cross.T @ scaled).toarray())


def own_variances(own: Numbers, cross: Any, covariance: NDArray[np.float64]) -> Numbers:
    """Return the variance of each document's parameter, the shared ones having this covariance."""
    from scipy.sparse import csr_array

    scaled = csr_array(csr_array(cross).multiply(1 / own[:, np.newaxis]))
    rows, added = max(1, CELLS // len(covariance)), np.empty_like(own)
    for start in range(0, len(own), rows):
        part = scaled[start : start + rows].toarray()
        added[start : start + rows] = ((part @ covariance) * part).sum(axis=1)
    return 1 / own + added
