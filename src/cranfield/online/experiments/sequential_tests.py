"""Confidence sequences and always-valid p-values for repeated interim analyses."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cranfield.core import ParameterError
from cranfield.stats import LEVEL, check_level

PLANNED = 5000  # observations at which an interval is tightest, where nobody says how many are planned


def confidence_sequence(
    mean: ArrayLike, error: ArrayLike, n: ArrayLike, *, level: float = LEVEL, planned: float = PLANNED
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The ends of an interval for a mean that holds at every look at once: an asymptotic confidence sequence.

    ``error`` is the standard deviation of one observation, ``n`` how many there are, ``planned`` the number at which
    the interval is to be tightest, fixed before the first look. The arrays broadcast. Where the deviation is 0 nothing
    is known of chance, and the interval is the whole line. The difference of two arms is a mean of all their
    observations, with ``error = √(n (s_a²/n_a + s_b²/n_b))`` and ``n = n_a + n_b``.
    """
    mean, error, n, rho2 = _asked(mean, error, n, level, planned)
    grown = n * rho2 + 1
    half = error * np.sqrt(2 * grown / (n**2 * rho2) * np.log(np.sqrt(grown) / level))  # waudbysmith2024 eq. 9
    half = np.where(error > 0, half, np.inf)
    return mean - half, mean + half


def always_valid_p(
    mean: ArrayLike, error: ArrayLike, n: ArrayLike, *, level: float = LEVEL, planned: float = PLANNED
) -> NDArray[np.float64]:
    """The p-value of a mean of 0 that may be looked at whenever one likes; it fits ``confidence_sequence``.

    It is at most the level exactly where the interval of that level leaves 0 out.
    """
    mean, error, n, rho2 = _asked(mean, error, n, level, planned)
    grown = n * rho2 + 1
    z2 = np.divide(mean, error, out=np.zeros_like(mean), where=error > 0) ** 2 * n
    return np.minimum(1.0, np.exp(np.log(grown) / 2 - n * rho2 * z2 / (2 * grown)))


def mixture_p(difference: ArrayLike, variance: ArrayLike, *, tau: float) -> NDArray[np.float64]:
    """Always-valid p-values of a stream of looks, along the last axis: the mixture sequential probability ratio test.

    ``variance`` is that of the difference at each look (s_a²/n_a + s_b²/n_b), ``tau`` the standard deviation of the
    effects that one expects. A p-value never rises: what was once shown stays shown.
    """
    if not 0 < tau < np.inf:
        raise ParameterError(f"tau cannot be {tau}", hint="give the size of an effect that one expects, above 0")
    difference, variance = np.broadcast_arrays(np.asarray(difference, float), np.asarray(variance, float))
    _refuse(difference, variance, "variance")
    known = np.where(variance > 0, variance, 1.0)
    evidence = (np.log(known / (known + tau**2)) + tau**2 * difference**2 / (known * (known + tau**2))) / 2
    evidence = np.where(variance > 0, evidence, 0.0)  # johari2022: the logarithm of the mixture ratio
    return np.minimum(1.0, np.exp(-np.maximum.accumulate(evidence, axis=-1) if evidence.ndim else -evidence))


def _asked(
    mean: ArrayLike, error: ArrayLike, n: ArrayLike, level: float, planned: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], float]:
    """What is asked as arrays of one shape, and ρ²: the interval of this level is tightest at ``planned``."""
    check_level(level)
    if not 0 < planned < np.inf:
        raise ParameterError(f"planned cannot be {planned}", hint="give how many observations are planned, above 0")
    mean, error, n = np.broadcast_arrays(*(np.asarray(one, dtype=float) for one in (mean, error, n)))
    _refuse(mean, error, "error")
    if not (n > 0).all():
        raise ParameterError("there are looks without observations", hint="begin at the first observation: n from 1 up")
    return mean, error, n, (-2 * np.log(level) + np.log(1 - 2 * np.log(level))) / planned


def _refuse(mean: NDArray[np.float64], spread: NDArray[np.float64], name: str) -> None:
    """Refuse numbers that are none, and a spread below 0."""
    if not (np.isfinite(mean).all() and np.isfinite(spread).all()):
        raise ParameterError("a look holds a number that is not finite", hint="leave out looks without observations")
    if (spread < 0).any():
        raise ParameterError(f"{name} is below 0", hint="a standard deviation or variance is 0 or more")
