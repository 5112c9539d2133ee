"""Intervals that match p-values corrected over a family of tests: their level and their name."""

from math import ceil, log10

from .corrections import BenjaminiHochberg, BenjaminiYekutieli, Correction, Uncorrected


def interval_level(level: float, size: int, correction: Correction) -> float:
    """Return the level of each interval in a family of so many tests.

    Without a correction it is ``level``. With any correction it is level / size (Bonferroni): all intervals of the
    family cover the true differences together with confidence 1 − level. An interval that excludes 0 then implies a
    significant p-value after Bonferroni, and so after Holm, Hochberg and Benjamini–Hochberg.

    Examples
    --------
    >>> from cranfield.stats import Holm
    >>> interval_level(0.05, 10, Holm())
    0.005
    """
    return level if isinstance(correction, Uncorrected) else level / max(size, 1)


def confidence_text(level: float) -> str:
    """Return the confidence 1 − level as a percentage, with two digits of the level.

    Examples
    --------
    >>> [confidence_text(level) for level in (0.05, 0.005, 0.05 / 780)]
    ['95%', '99.5%', '99.9936%']
    """
    decimals = max(0, ceil(-log10(100 * level)) + 1)
    text = f"{100 * (1 - level):.{decimals}f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text) + "%"


def family_confidence(level: float, size: int, correction: Correction) -> str:
    """Return how the intervals of a family are named, such as "99.5% CI (95% together, Bonferroni over 10 tests)"."""
    each = interval_level(level, size, correction)
    if each == level:
        return f"{confidence_text(level)} CI"
    return f"{confidence_text(each)} CI ({confidence_text(level)} together, Bonferroni over {size:,} tests)"


def interval_reason(correction: Correction) -> str:
    """Return why the intervals are Bonferroni's where the p-values are not, or an empty string."""
    if isinstance(correction, BenjaminiHochberg | BenjaminiYekutieli):
        return "a false discovery rate has no simultaneous interval of its own"
    return ""
