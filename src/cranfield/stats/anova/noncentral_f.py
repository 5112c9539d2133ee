"""Power of an F test from the noncentral F distribution, and the noncentrality for a given power."""

import numpy as np

from cranfield.core.types import Rows

TERMS = 256  # of the mixture at most; it is then exact to about 1e-14
BLOCK = 64  # tails at once
LARGE = 1e6  # above it logarithms of factorials have too few digits for their differences
SURE = 1 - 1e-12  # nearer to 1 no power is told from 1


def beyond(above: Rows, below: Rows, shift: Rows, level: float) -> Rows:
    """The chance that a noncentral F exceeds the critical value that the central one exceeds with chance ``level``.

    ``above`` and ``below`` are its degrees of freedom, ``shift`` is the noncentrality. It is a mixture of central tails
    I_x(below/2, above/2 + j), j Poisson with mean shift/2: all terms are positive, so no digit is lost. The window
    reaches nine standard deviations; where that is wide, every s-th term stands for s of them.
    """
    from scipy.special import betainc, betaincinv

    a, b, mean = (np.ravel(part)[:, None] / 2 for part in np.broadcast_arrays(below, above, np.minimum(shift, 1e300)))
    reach = 9 * np.sqrt(mean) + 20
    first = np.floor(np.maximum(0.0, mean - reach))
    span = mean + reach - first
    found = np.empty(len(mean))
    order = np.argsort(span[:, 0])  # windows of similar width together
    for rows in np.array_split(order, range(BLOCK, len(order), BLOCK)):
        size = int(min(TERMS, span[rows].max(initial=0.0) + 1))
        j = first[rows] + np.ceil(span[rows] / size) * np.arange(size)
        weight = _poisson(j, mean[rows])
        tails = betainc(a[rows], b[rows] + j, betaincinv(a[rows], b[rows], level))
        found[rows] = (weight * tails).sum(axis=1) / weight.sum(axis=1)
    return found.reshape(np.shape(shift))


def _poisson(j: Rows, mean: Rows) -> Rows:
    """Weights in proportion to the chances of j."""
    from scipy.special import gammaln, xlogy

    few = np.minimum(mean, LARGE)
    exact = xlogy(j, few) - few - gammaln(j + 1)
    away = (j - mean) / np.maximum(mean, LARGE)
    stirling = -mean * ((1 + away) * np.log1p(away) - away) - np.log1p(away) / 2
    return np.exp(np.where(mean > LARGE, stirling, exact))


def shift_for(above: Rows, below: Rows, level: float, power: float) -> Rows:
    """The noncentrality at which the power is reached, by bisection."""
    low, high = np.zeros_like(above), np.ones_like(above)
    while not (reached := beyond(above, below, high, level) >= min(power, SURE)).all():
        high = np.where(reached, high, 4 * high)
    for _ in range(50):
        middle = (low + high) / 2
        reached = beyond(above, below, middle, level) >= power
        low, high = np.where(reached, low, middle), np.where(reached, middle, high)
    return high
