"""Do these runs differ?"""

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
    Family,
    Interval,
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
    summary_table,
    swaps_table,
    tests_table,
)

USUAL = ("t", "sign")  # what readers expect, and what is safe on any scale


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
    aggregate: Aggregate = "mean",
    alternative: Alternative | None = None,
    draws: int | None = None,
    level: float = LEVEL,
    scale: Policy = "note",
    seed: int = SEED,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Study:
    """Tests of pairs of runs: all pairs, each run beside a ``baseline``, or the ``pairs`` given.

    ``values`` come from :func:`evaluate`, or are a table of scores: a file or a frame with topics as rows and runs as
    columns. The difference is b − a everywhere. P-values are corrected within a ``family``: the pairs of one test and
    one measure (``pairs``), those of all ``measures``, or ``all`` that are asked. ``interval`` gives every difference
    an interval (t, percentile, bca) where the test has none of its own. ``rope`` adds what to believe of each pair,
    differences up to it being as good as none; ``swaps`` how often other topics would turn the order of two runs round.
    ``norms`` are those that a standardising ``transform`` goes by, from a file or from other runs.
    """
    given = values if isinstance(values, Values) else read_scores(values)
    check_level(level)
    wanted = [adapt(one, alternative=alternative, draws=draws) for one in parse_tests(tests)]
    correction = parse_method(CORRECTIONS, correct)
    around = adapt(parse_method(INTERVALS, interval), draws=draws) if interval else None
    changed = parse_method(TRANSFORMS, transform) if transform else None
    chosen = choose_pairs(given, pairs, baseline)
    asked = Asked(level=level, seed=seed, threads=threads, progress=progress)
    needs = _needs(wanted, around, changed, aggregate)
    met = [(who, needed, measure) for measure in given.measures for who, needed in needs.items()]
    notes = weigh(met, scale, safe=_safe(aggregate))
    told: tuple[str, ...] = ()
    if changed:
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
    if rope is not None:
        tables["beliefs"] = beliefs_table(given, chosen, adapt(BayesSignedRank(rope=rope), draws=draws), asked)
    if swaps:
        tables["swaps"] = swaps_table(given, seed=seed, draws=draws)
    said = (*notes, *told, *_left_out(found), *_too_few(found, correction, level))
    tables["tests"] = replace(tests_table(found, given.runs, made_by=made_by), notes=said)
    verdict = {
        "pairs": len(chosen),
        "level": level,
        "significant": [int(one.significant(level).sum()) for one in found],
        "sentence": _sentence(found, tables["tests"], level),
    }
    return Study("test", tables, verdict, made_by, charts=("p-matrix",))


test.__test__ = False  # type: ignore[attr-defined]  # pytest takes functions of that name for tests


def _needs(
    tests: Sequence[PairTest], interval: Interval | None, transform: Transform | None, aggregate: str
) -> dict[str, Scale]:
    """What meets the numbers, and the scale it needs."""
    needs = {one.name: one.requires for one in (*tests, *filter(None, [interval, transform]))}
    return needs | {f"the {aggregate}": Scale.INTERVAL if aggregate == "mean" else Scale.ORDINAL}


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


def _too_few(found: Sequence[Tested], correction: Correction, level: float) -> list[str]:
    """A word where no p that draws can give would be significant after correction."""
    short = [one for one in found if not one.test.joint and one.out_of_reach(correction, level)]
    if not short:
        return []
    names = listed(list(dict.fromkeys(one.test.name for one in short)))
    return [f"{names}: too few draws for {correction.name} over so many pairs; raise --draws, or use max-t"]


def _sentence(found: Sequence[Tested], rows: Table, level: float) -> str:
    if len(rows) == 1:
        return _of_one(rows.rows()[0], found[0].test, level)
    if len(found[0].pairs) == 1 and len({one.measure for one in found}) == 1:
        return _of_pair(found, rows, level)
    said = []
    for one in found:
        count, size = int(one.significant(level).sum()), len(one.pairs)
        what = (
            f"{count:,} of {size:,} pairs differ"
            if size > 1
            else f"the pair {'differs' if count else 'does not differ'}"
        )
        said.append(f"{one.test} on {one.measure}: {what}")
    return f"At level {level:g}, {'; '.join(said)}."


def _of_pair(found: Sequence[Tested], rows: Table, level: float) -> str:
    """The sentence on several tests of the only pair."""
    first = rows.rows()[0]
    small = [bool(one.significant(level).any()) for one in found]
    sides = {
        "small": [str(one.test) for one, is_small in zip(found, small, strict=True) if is_small],
        "not": [str(one.test) for one, is_small in zip(found, small, strict=True) if not is_small],
    }
    said = (
        [f"{listed(sides['small'])} {'is' if len(sides['small']) == 1 else 'are'} significant"]
        if sides["small"]
        else []
    )
    said += [f"{listed(sides['not'])} {'is' if len(sides['not']) == 1 else 'are'} not"] if sides["not"] else []
    size = f"{first['b']} − {first['a']} = {first['difference']:+.4f} in {first['measure']}"
    return f"{size}; at level {level:g}, {' and '.join(said)}."


def _of_one(row: dict[str, Any], test: PairTest, level: float) -> str:
    """The sentence on the only test of the only pair."""
    p = row["p"] if row["p_adjusted"] is None else row["p_adjusted"]
    ends = f" [{row['low']:+.4f}, {row['high']:+.4f}]" if row["low"] is not None and row["high"] is not None else ""
    size = f"{row['b']} − {row['a']} = {row['difference']:+.4f}{ends} in {row['measure']}"
    if p is None:
        return f"{size}; {test} has no p-value here: {row['note']}."
    small = p <= level
    if test.equivalence:
        what = "the runs are equivalent within the margin" if small else "equivalence is not shown"
    else:
        what = "the runs differ" if small else "no difference is shown"
    return f"{size}; {what} at level {level:g} ({test}, p = {p:.3g})."
