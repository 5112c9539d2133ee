"""Sentences of the significance study."""

from collections.abc import Sequence
from math import isnan
from typing import Any

from cranfield.core import Direction, Table, listed
from cranfield.data import Values
from cranfield.stats import PairTest, Tested, confidence_text
from cranfield.studies.statistics_text import p_text, topics_text, usual_test_name


def significance_sentence(tested: Sequence[Tested], values: Values, rows: Table, level: float) -> str:
    """Return the result of all tests as a sentence."""
    if len(rows) == 1:
        return _one_test(tested[0], values, rows.rows()[0], level)
    if len(tested[0].pairs) == 1 and len({one.measure for one in tested}) == 1:
        return _one_pair(tested, rows, level)
    counts = [f"{one.test} on {one.measure}: {_counted(one, level)}" for one in tested]
    return f"At level {level:g}, {'; '.join(counts)}."


def interval_name(one: Tested) -> str:
    """Return what the interval of a test is called, such as "99.5% CI (95% together, Bonferroni over 10 tests)"."""
    name = f"{one.confidence} CI"
    if one.interval_level < one.level:
        together = confidence_text(one.level * (2 if one.test.equivalence else 1))
        name += f" ({together} together, Bonferroni over {one.size:,} tests)"
    return name


def _counted(one: Tested, level: float) -> str:
    count, size = int(one.significant(level).sum()), len(one.pairs)
    if size > 1:
        return f"{count:,} of {size:,} pairs {'are equivalent' if one.test.equivalence else 'differ'}"
    if one.test.equivalence:
        return "the runs are equivalent within the margin" if count else "equivalence is not shown"
    return "the runs differ" if count else "no difference is shown"


def _one_pair(tested: Sequence[Tested], rows: Table, level: float) -> str:
    """Return the sentence on several tests of the only pair."""
    sides: dict[str, list[str]] = {"significant": [], "not significant": [], "without a p-value": []}
    for one in tested:
        small = "significant" if one.significant(level).any() else "not significant"
        p = float(one.adjusted[0])
        name = str(one.test) if isnan(p) else f"{one.test} ({p_text(p)})"
        sides["without a p-value" if one.without_p() else small].append(name)
    parts = [f"{listed(tests)} {'is' if len(tests) == 1 else 'are'} {what}" for what, tests in sides.items() if tests]
    row = rows.rows()[0]
    if row["difference"] is None:
        difference = _no_difference(row)
    else:
        difference = f"{row['b']} − {row['a']} = {row['difference']:+.4f} in {row['measure']}"
    return f"{difference}; at level {level:g}, {', '.join(parts)}."


def _one_test(one: Tested, values: Values, row: dict[str, Any], level: float) -> str:
    """Return the sentence on the only test of the only pair."""
    p = row["p"] if row["p_adjusted"] is None else row["p_adjusted"]
    if row["difference"] is None:
        return f"{_no_difference(row)}; {one.test} has no p-value here."
    if p is None:
        return f"{one.test} has no p-value for {row['a']} and {row['b']} on {row['measure']}."
    parts = [f"{row['estimate']:+.4f}".replace("-", "−")]
    ends = [row["low"], row["high"]]
    if ends != [None, None]:
        low, high = ("∞" if end is None else f"{end:.4f}".replace("-", "−") for end in ends)
        parts.append(f"{interval_name(one)} [{'−' * (row['low'] is None)}{low}, {high}]")
    parts.append(p_text(p))
    parts += [usual_test_name(str(one.test)), topics_text(row["n"])]
    return f"{_claim(one, values, row, small=p <= level)} ({', '.join(parts)})."


def _no_difference(row: dict[str, Any]) -> str:
    return f"{row['a']} and {row['b']} have no value of {row['measure']} in the same topic"


def _claim(one: Tested, values: Values, row: dict[str, Any], *, small: bool) -> str:
    """Return what the p-value says of the two runs."""
    both = f"{row['a']} and {row['b']}"
    if one.test.equivalence:
        margin = f"on {row['measure']} within ±{one.test.margin:g}"  # type: ignore[attr-defined]  # of equivalence tests
        return f"{both} are equivalent {margin}" if small else f"{both} are not shown to be equivalent {margin}"
    if not small:
        return f"{both} do not differ significantly on {row['measure']}"
    (measure,) = (measure for measure in values.measures if str(measure) == row["measure"])
    words = {Direction.HIGHER: ("worse", "better"), Direction.LOWER: ("better", "worse"), None: ("lower", "higher")}
    return f"{row['b']} is {words[measure.direction][_favours_b(one.test, row)]} than {row['a']} on {row['measure']}"


def _favours_b(test: PairTest, row: dict[str, Any]) -> bool:
    """Return whether b has the larger values, as the test sees it."""
    if test.alternative != "two-sided":
        return test.alternative == "greater"
    has_interval = row["low"] is not None or row["high"] is not None
    return bool((row["estimate"] if has_interval or row["effect"] is None else row["effect"]) > 0)
