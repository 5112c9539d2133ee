"""Prior and posterior probabilities of the choices of each item."""

import numpy as np
from numpy.typing import NDArray

from cranfield.data import Answers

from .base import clamp


def before(answers: Answers, gold: NDArray[np.int64] | None) -> NDArray[np.float64]:
    """(item, choice): the logarithm of how likely a choice is before anybody answers: all alike, but gold for sure."""
    alike = np.full((answers.items, answers.choices), 1 / answers.choices)
    with np.errstate(divide="ignore"):  # what gold rules out has a logarithm of −∞, and is meant to
        return np.log(clamp(alike, gold))


def after(logs: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """(item, choice): shares from logarithms of chances, and the logarithm of the chance of all that was said."""
    top = logs.max(axis=1, keepdims=True)
    share = np.exp(logs - top)
    total = share.sum(axis=1, keepdims=True)
    return share / total, float((np.log(total) + top).sum())
