"""Do these runs differ significantly?"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from cranfield.core import SEED, Direction, ParameterError, Policy, Scale, Study, listed, weigh
from cranfield.data import Values, read_scores, unjudged_notes, warning_notes
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
    check_interval,
    check_level,
    compare_pairs,
    effects_table,
    parse_method,
    parse_tests,
    risk_table,
    summary_table,
    swaps_table,
    tests_table,
)
from cranfield.studies.small_samples import few_topics_notes

from .baselines import choose_pairs_with, find_baselines
from .text import interval_name, significance_sentence

USUAL = ("t", "sign")  # what readers expect, and what is safe on any scale


def test(
    values: Any,
    tests: str | PairTest | Iterable[str | PairTest] | None = None,
    *,
    pairs: Sequence[tuple[str, str]] = (),
    baseline: str | Sequence[str] | None = None,
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
    """Test pairs of runs: all pairs, each run with one ``baseline`` or several, or the ``pairs`` given.

    ``values`` come from :func:`evaluate`, or are a table of scores: a file or a frame with topics as rows and runs as
    columns. The ``tests`` are t and sign, or those named. The difference is b − a everywhere, and ``estimate`` is what
    the interval of a test encloses: the mean difference, or that of the test itself (signed-rank, sign). P-values are
    corrected within a ``family``: the pairs of one test and one measure (``pairs``), those of all ``measures``, or
    ``all`` that are asked; intervals are Bonferroni intervals of the same family, unless nothing is corrected.
    ``interval`` chooses another interval for the test to which it belongs (percentile and bca for bootstrap, t for t),
    and that test where none is named. ``rope`` adds what to believe of each
    pair, differences up to it being as good as none; ``swaps`` how often other topics would turn the order of two runs
    round. ``risk`` adds what runs lose, counted 1 + ``risk`` times what they gain: against the ``baseline`` if there is
    one (URisk, TRisk), and against what all runs let one expect (GeoRisk). ``norms`` are those that a standardising
    ``transform`` goes by, from a file or from other runs. ``elsewhere`` makes blocks of draws on other
    machines, as ``cranfield.integrations.spark`` does; the answer is the same.
    """
    given = (values if isinstance(values, Values) else read_scores(values)).in_topic_order()
    check_level(level)
    correction = parse_method(CORRECTIONS, correct)
    around = None if interval is None else adapt(parse_method(INTERVALS, interval), draws=draws)
    if tests is None:
        tests = USUAL if around is None else around.test
    wanted = [adapt(one, alternative=alternative, draws=draws) for one in parse_tests(tests)]
    if around is not None:
        check_interval(around, wanted, aggregate)
    changed = None if transform is None else parse_method(TRANSFORMS, transform)
    baselines = find_baselines(given, baseline)
    if risk is not None and len(baselines) > 1:
        raise ParameterError(f"risk is relative to one baseline, not {len(baselines)}", hint="name one baseline")
    chosen = choose_pairs_with(given, pairs, baselines)
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
        tables["risk"] = risk_table(given, baseline=next(iter(baselines), None), alpha=risk, made_by=made_by)
    if swaps:
        tables["swaps"] = swaps_table(given, seed=seed, draws=draws)
    said = (
        *notes,
        *told,
        *warning_notes(given),
        *unjudged_notes(given, runs=sorted({run for pair in chosen for run in pair})),
        *few_topics_notes(max(int(one.pairs.topics.max()) for one in found), level),
        *_one_sided_notes(found, given),
        *_left_out(found),
        *_without_p(found),
        *_too_few(found, correction, level),
        *_wider(found),
    )
    tables["tests"] = replace(tests_table(found, given.runs, made_by=made_by), notes=said)
    verdict = {
        "pairs": len(chosen),
        "level": level,
        "sentence": significance_sentence(found, given, tables["tests"], level),
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


def _one_sided_notes(found: Sequence[Tested], values: Values) -> list[str]:
    """Return notes on one-sided tests of measures for which lower is better."""
    lower = {str(measure) for measure in values.measures if measure.direction is Direction.LOWER}
    sides = {"greater": "higher value, which is worse", "less": "lower value, which is better"}
    measures: dict[str, dict[str, None]] = {}
    for one in found:
        if one.measure in lower and one.test.alternative in sides:
            measures.setdefault(one.test.alternative, {})[one.measure] = None
    return [
        f"{listed(list(names))}: lower is better; alternative={side!r} tests whether b has the {sides[side]}"
        for side, names in measures.items()
    ]


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


def _wider(found: Sequence[Tested]) -> list[str]:
    """Return a note on intervals that are wider because many tests are corrected together."""
    notes: dict[str, dict[str, None]] = {}
    for one in found:
        if one.answer.low is not None and one.interval_level < one.level:
            reason = f", because {one.interval_reason}" if one.interval_reason else ""
            notes.setdefault(f"low and high are {interval_name(one)}{reason}", {})[one.test.name] = None
    told = [f"{listed(list(tests))}: {note}" for note, tests in notes.items()]
    for one in found:
        if count := int(one.only_p.sum()):
            pairs = "1 significant pair has" if count == 1 else f"{count:,} significant pairs have"
            told.append(f"{one.test} on {one.measure}: {pairs} an interval that contains 0 (see note in the table)")
    return told
