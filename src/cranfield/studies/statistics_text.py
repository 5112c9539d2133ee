"""Numbers of statistics in sentences: differences, intervals, p-values and the names of tests."""

from math import isfinite

from cranfield.stats import confidence_text

MAX_DECIMALS = 6
PLAIN = (1e-5, 1e6)  # size of an interval from and below which its ends have decimals, not a power of ten
TEST_NAMES = {
    "t": "paired t-test",
    "signed-rank": "Wilcoxon signed-rank test",
    "sign": "sign test",
    "binomial": "exact binomial test",
    "randomisation": "randomisation test",
    "bootstrap": "paired bootstrap test",
    "rank-sum": "rank-sum test",
    "tukey": "Tukey's HSD",
    "tost": "two one-sided t-tests",
}
ESTIMATE_NAMES = {"signed-rank": "pseudo-median ", "sign": "proportion won less lost "}  # others: the mean difference


def estimate_text(test: str, estimate: float) -> str:
    """Return the estimate that belongs to a test, with its name where it is not the mean difference."""
    return ESTIMATE_NAMES.get(test.partition("(")[0], "") + signed(estimate)


def signed(number: float) -> str:
    """Return a difference with its sign: three decimals, or two significant digits where these would hide it."""
    if not isfinite(number):
        return "no estimate"
    text = f"{number:+.3f}" if 0.0095 <= abs(number) < PLAIN[1] or number == 0 else f"{number:+.2g}"
    return text.replace("-", "−") if number else text.lstrip("+")


def interval_text(low: float, high: float, *, confidence: float) -> str:
    """Return an interval such as "95% CI [0.012, 0.098]"; ``confidence`` is the level, such as .05."""
    decimals = 3
    while decimals < MAX_DECIMALS and any(end and abs(end) < 0.5 * 10**-decimals for end in (low, high)):
        decimals += 1  # an end near zero must show on which side of it it lies
    size = max(abs(low), abs(high))
    form = f".{decimals}f" if size == 0 or PLAIN[0] <= size < PLAIN[1] else ".3g"
    ends = ", ".join(f"{end:{form}}".replace("-", "−") for end in (low, high))
    return f"{confidence_text(confidence)} CI [{ends}]"


def p_text(p: float) -> str:
    """Return "p = 0.013" or "p < 0.001"."""
    if not isfinite(p):
        return "no p-value"
    if p < 0.001:
        return "p < 0.001"
    decimals = 4 if round(p, 3) == 0.05 and p != 0.05 else 3 if p < 0.0995 else 2  # on which side of .05 it lies
    return f"p = {p:.{decimals}f}"


def usual_test_name(test: str) -> str:
    """Return the usual name of a test, with its parameters where it has some."""
    name, bracket, rest = test.partition("(")
    return TEST_NAMES.get(name, f"{name} test") + (f" ({rest}" if bracket else "")


def topics_text(count: int) -> str:
    """Return "1 topic" or "50 topics"."""
    return f"{count:,} topic{'s' * (count != 1)}"
