"""Upper tails of F and χ² and their logarithms, also for p-values too small for a float."""

from math import exp, inf, log, log1p

LOG10 = log(10.0)
SMALL = 1e-290  # below it a continued fraction gives the logarithm: floats end at 1e-308, scipy's tails at times sooner
TERMS = 1000  # of the fraction, read from its far end; a few dozen would do so far out


def f_tail(statistic: float, df: float, df2: float) -> tuple[float, float]:
    """The chance of an F as large as this one, and its decimal logarithm."""
    from scipy.special import fdtrc

    p = 1.0 if statistic <= 0 else float(fdtrc(df, df2, statistic))
    natural = log(p) if p > SMALL else _log_f(statistic, df, df2)
    return (p if p > SMALL else exp(natural)), natural / LOG10


def chi2_tail(statistic: float, df: float) -> tuple[float, float]:
    """The chance of a χ² as large as this one, and its decimal logarithm."""
    from scipy.special import chdtrc

    p = 1.0 if statistic <= 0 else float(chdtrc(df, statistic))
    natural = log(p) if p > SMALL else _log_chi2(statistic, df)
    return (p if p > SMALL else exp(natural)), natural / LOG10


def _log_f(statistic: float, df: float, df2: float) -> float:
    """The tail is I_x(a, b), x = df2 / (df2 + df F), a = df2/2, b = df/2: its fraction is DLMF 8.17.22."""
    from scipy.special import betaln

    if statistic == inf:
        return -inf
    a, b, ratio = df2 / 2, df / 2, df * statistic / df2
    x = 1 / (1 + ratio)
    rest = 0.0
    for m in range(TERMS, -1, -1):
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        rest = odd / (1 + rest)
        if m:
            rest = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)) / (1 + rest)
    return -a * log1p(ratio) - b * log1p(1 / ratio) - log(a) - float(betaln(a, b)) - log1p(rest)


def _log_chi2(statistic: float, df: float) -> float:
    """The tail is Q(a, x), a = df/2, x = χ²/2: its fraction is DLMF 8.9.2 contracted to every second term."""
    from scipy.special import gammaln

    if statistic == inf:
        return -inf
    a, x = df / 2, statistic / 2
    rest = 0.0
    for n in range(TERMS, 0, -1):
        rest = n * (n - a) / (x + 2 * n + 1 - a - rest)
    return a * log(x) - x - float(gammaln(a)) - log(x + 1 - a - rest)
