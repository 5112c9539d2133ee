"""Do these runs differ significantly?"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from cranfield.core import SEED, Policy, Scale, Study, Table, listed, weigh
from cranfield.data import Values, read_scores
from cranfield.stats import (
    CORRECTIONS,
    INTERVALS,
    LEVEL,
    TRANSFORMS,
    Aggregate,
    Alternative,
    Asked,
    BayesSignedRank,
    Correction,
    Elsewhere,
    Family,
    Interval,
    Method,
    PairTest,
    Tested,
    Transform,
    adapt,
    beliefs_table,
    change,
    check_level,
    choose_pairs,
    compare_pairs,
    effects_table,
    parse_method,
    parse_tests,
    risk_table,
    summary_table,
    swaps_table,
    tests_table,
)

USUAL = ("t", "sign")  # what readers expect, and what is safe on any scale
SMALLEST = 1e-10  # a p-value below it is not told


def test(
    values: Any,
    tests: str | PairTest | Iterable[str | PairTest] = USUAL,
    *,
    pairs: Sequence[tuple[str, str]] = (),
    baseline: str | None = None,
    correct: str | Correction = "holm",
    family: Family = "pairs",
    interval: str | Interval | None = None,
    transform: str | Transform | None = None,
    norms: Any = None,
    rope: float | None = None,
    swaps: bool = False,
    risk: float | None = None,
    aggregate: Aggregate = "mean",
    alternative: Alternative | None = None,
    draws: int | None = None,
    level: float = LEVEL,
    scale: Policy = "note",
    seed: int = SEED,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    elsewhere: Elsewhere | None = None,
) -> Study:
    """Tests of pairs of runs: all pairs, each run beside a ``baseline``, or the ``pairs`` given.

    ``values`` come from :func:`evaluate`, or are a table of scores: a file or a frame with topics as rows and runs as
    columns. The difference is b − a everywhere. P-values are corrected within a ``family``: the pairs of one test and
    one measure (``pairs``), those of all ``measures``, or ``all`` that are asked. An ``interval`` (t, percentile, bca)
    takes the place of the one that a test has of its own; medians have none. ``rope`` adds what to believe of each
    pair, differences up to it being as good as none; ``swaps`` how often other topics would turn the order of two runs
    round. ``risk`` adds what runs lose, counted 1 + ``risk`` times what they gain: against the ``baseline`` if there is
    one (URisk, TRisk), and against what all runs let one expect (GeoRisk). ``norms`` are those that a standardising
    ``transform`` goes by, from a file or from other runs. ``elsewhere`` makes blocks of draws on other
    machines, as ``cranfield.integrations.spark`` does; the answer is the same.
    """
    given = values if isinstance(values, Values) else read_scores(values)
    check_level(level)
    wanted = [adapt(one, alternative=alternative, draws=draws) for one in parse_tests(tests)]
    correction = parse_method(CORRECTIONS, correct)
    around = None if interval is None else adapt(parse_method(INTERVALS, interval), draws=draws)
    changed = None if transform is None else parse_method(TRANSFORMS, transform)
    chosen = choose_pairs(given, pairs, baseline)
    asked = Asked(level=level, seed=seed, threads=threads, progress=progress, elsewhere=elsewhere)
    belief = None if rope is None else adapt(BayesSignedRank(rope=rope), draws=draws)
    needs = _needs([*wanted, *filter(None, [around, changed, belief])], aggregate, swaps=swaps, risk=risk is not None)
    met = [(who, needed, measure) for measure in given.measures for who, needed in needs.items()]
    notes = weigh(met, scale, safe=_safe(aggregate))
    given, told = change(given, changed, norms)
    found = compare_pairs(
        given,
        wanted,
        chosen,
        correction=correction,
        family=family,
        aggregate=aggregate,
        interval=around,
        asked=asked,
    )
    made_by = replace(given.made_by, seed=seed)
    tables = {"summary": summary_table(found, level=level, made_by=made_by), "effects": effects_table(given, chosen)}
    if belief is not None:
        tables["beliefs"] = beliefs_table(given, chosen, belief, asked)
    if risk is not None:
        tables["risk"] = risk_table(given, baseline=baseline, alpha=risk, made_by=made_by)
    if swaps:
        tables["swaps"] = swaps_table(given, seed=seed, draws=draws)
    said = (*notes, *told, *_left_out(found), *_without_p(found), *_too_few(found, correction, level))
    tables["tests"] = replace(tests_table(found, given.runs, made_by=made_by), notes=said)
    verdict = {
        "pairs": len(chosen),
        "level": level,
        "sentence": _sentence(found, tables["tests"], level),
    }
    return Study("test", tables, verdict, made_by, charts=("p-matrix",))


test.__test__ = False  # type: ignore[attr-defined]  # pytest takes functions of that name for tests


def _needs(methods: Sequence[Method], aggregate: str, *, swaps: bool, risk: bool) -> dict[str, Scale]:
    """What meets the numbers, and the scale it needs."""
    needs = {one.name: one.requires for one in methods}
    needs |= {f"{one.name} with a margin": Scale.INTERVAL for one in methods if _has_margin(one)}
    needs |= {"the swap rate": Scale.INTERVAL} if swaps else {}
    needs |= {"risk": Scale.INTERVAL} if risk else {}
    return needs | {f"the {aggregate}": Scale.INTERVAL if aggregate == "mean" else Scale.ORDINAL}


def _has_margin(test: Method) -> bool:
    """Whether it looks at how far apart values are, though the test without a margin does not."""
    return test.requires < Scale.INTERVAL and getattr(test, "margin", 0) > 0


def _safe(aggregate: str) -> str:
    return "the sign test is safe" + (", and the median (--aggregate median)" if aggregate == "mean" else "")


def _left_out(found: Sequence[Tested]) -> list[str]:
    """A word on topics that some run lacks."""
    short = {one.measure for one in found if not one.pairs.whole}
    if not short:
        return []
    return [
        f"{listed(sorted(short))}: not every run has a value in every topic; a pair is compared where both have one"
    ]


def _without_p(found: Sequence[Tested]) -> list[str]:
    """A word on pairs that have no p-value, and why."""
    told = []
    for one in found:
        if why := one.without_p():
            count = f"{len(why):,} of {len(one.pairs):,} pairs have"
            told.append(f"{one.test} on {one.measure}: {count} no p-value ({', '.join(dict.fromkeys(why))})")
    return told


def _too_few(found: Sequence[Tested], correction: Correction, level: float) -> list[str]:
    """A word where no p that draws can give would be significant after correction."""
    short = [one for one in found if one.out_of_reach(correction, level)]
    told = []
    for joint, why in (
        (False, f"{correction.name} over so many pairs; raise --draws, or use max-t"),
        (True, f"a level of {level:g}; raise --draws"),
    ):
        if names := list(dict.fromkeys(one.test.name for one in short if one.test.joint is joint)):
            told.append(f"{listed(names)}: too few draws for {why}")
    return told


def _sentence(found: Sequence[Tested], rows: Table, level: float) -> str:
    if len(rows) == 1:
        return _of_one(rows.rows()[0], found[0].test, level)
    if len(found[0].pairs) == 1 and len({one.measure for one in found}) == 1:
        return _of_pair(found, rows, level)
    said = [f"{one.test} on {one.measure}: {_counted(one, level)}" for one in found]
    return f"At level {level:g}, {'; '.join(said)}."


def _counted(one: Tested, level: float) -> str:
    count, size = int(one.significant(level).sum()), len(one.pairs)
    if size > 1:
        return f"{count:,} of {size:,} pairs {'are equivalent' if one.test.equivalence else 'differ'}"
    return _shown(one.test, small=count > 0)


def _shown(test: PairTest, *, small: bool) -> str:
    """What a p-value says of a pair."""
    if test.equivalence:
        return "the runs are equivalent within the margin" if small else "equivalence is not shown"
    return "the runs differ" if small else "no difference is shown"


def _of_pair(found: Sequence[Tested], rows: Table, level: float) -> str:
    """The sentence on several tests of the only pair."""
    sides: dict[str, list[str]] = {"significant": [], "not significant": [], "without a p-value": []}
    for one in found:
        small = "significant" if one.significant(level).any() else "not significant"
        sides["without a p-value" if one.without_p() else small].append(str(one.test))
    said = [f"{listed(tests)} {'is' if len(tests) == 1 else 'are'} {what}" for what, tests in sides.items() if tests]
    return f"{_difference(rows.rows()[0])}; at level {level:g}, {', '.join(said)}."


def _of_one(row: dict[str, Any], test: PairTest, level: float) -> str:
    """The sentence on the only test of the only pair."""
    p = row["p"] if row["p_adjusted"] is None else row["p_adjusted"]
    ends = f" [{row['low']:+.4f}, {row['high']:+.4f}]" if row["low"] is not None and row["high"] is not None else ""
    if p is None:
        return f"{_difference(row)}; {test} has no p-value here."
    chance = f"p = {p:.3g}" if p >= SMALLEST else f"p < {SMALLEST:g}"
    return f"{_difference(row, ends)}; {_shown(test, small=p <= level)} at level {level:g} ({test}, {chance})."


def _difference(row: dict[str, Any], ends: str = "") -> str:
    if row["difference"] is None:
        return f"{row['a']} and {row['b']} have no value of {row['measure']} in the same topic"
    return f"{row['b']} − {row['a']} = {row['difference']:+.4f}{ends} in {row['measure']}"
