"""Changes of significance under a mapped measure, another test, or the median."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cranfield.core import SEED, Table, listed
from cranfield.data import Values
from cranfield.stats import (
    CORRECTIONS,
    LEVEL,
    Aggregate,
    Asked,
    Correction,
    PairTest,
    Sign,
    Way,
    adapt,
    changes_between,
    check_level,
    choose_pairs,
    compare_pairs,
    looks_for_differences,
    parse_method,
    parse_tests,
)

USUAL = ("t", "sign", "signed-rank")  # the first is what the others are held against
CHANGED = ("from", "to", "pairs", "both", "gained", "lost", "neither", "reversed")
CHANGES = ("from", "to", "a", "b", "difference_from", "p_from", "difference_to", "p_to", "change")
CAPTION = "{}, significant at level {:g}"
DIFFERENCES = (
    "differences (b − a) are of means; of sign and rank tests, the share of topics or ranks in which b is ahead less "
    "that of a; of median, of the medians, with the p of the sign test"
)


def changed_tables(
    values: Values,
    measure: object = None,
    *,
    mapped: object = None,
    tests: str | PairTest | Iterable[str | PairTest] = USUAL,
    correct: str | Correction = "holm",
    level: float = LEVEL,
    draws: int | None = None,
    seed: int = SEED,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> tuple[Table, Table]:
    """How many pairs of runs become or cease to be significant, and which: the tables ``changed`` and ``changes``.

    The first of the ``tests`` is held against itself on ``mapped``, the mapped measure, where it has values too;
    against every other test; and against the median in place of the mean. A median is tested by signs, whose null
    hypothesis is that the median of the differences is 0; who is ahead is decided by the difference of the medians, as
    in craswell2021msmarco, Table 4. All pairs are tested, and p is corrected over them. Gained: significant only in
    the new way; lost: only in the old; reversed: in both, for another run; ``both`` counts these too. A pair without a
    p-value is not significant.
    """
    check_level(level)
    first, *others = [adapt(looks_for_differences(one), draws=draws) for one in parse_tests(tests)]
    correction = parse_method(CORRECTIONS, correct)
    asked = Asked(level=level, intervals=False, seed=seed, threads=threads, progress=progress)
    values = values.in_topic_order()
    one = _alone(values, measure)
    chosen = choose_pairs(one)

    def ways(given: Values, wanted: list[PairTest], aggregate: Aggregate = "mean") -> list[Way]:
        found = compare_pairs(given, wanted, chosen, correction=correction, aggregate=aggregate, asked=asked)
        return [Way.of(each, given.measures[0], level, median=aggregate == "median") for each in found]

    before, *after = ways(one, [first, *others])
    after = ([] if mapped is None else ways(_alone(values, mapped), [first])) + after + ways(one, [Sign()], "median")
    caption = CAPTION.format(correction.name, level)
    made_by = replace(values.made_by, seed=seed)
    counted = [_counted(before, way) for way in after]
    rows = [row for way in after for row in _changes(before, way, [(one.runs[a], one.runs[b]) for a, b in chosen])]
    notes = _without_p([before, *after])
    changed = Table.from_rows(
        counted, CHANGED, caption=f"how many pairs change; {caption}", made_by=made_by, notes=notes
    )
    told = (DIFFERENCES,) if rows else ()
    return changed, Table.from_rows(
        rows, CHANGES, caption=f"which pairs change; {caption}", made_by=made_by, notes=told
    )


def changed_sentence(changed: Table) -> str:
    """What the table ``changed`` says, in words; one sentence for each measure."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in changed.rows():
        groups.setdefault(str(row["from"]), []).append(row)
    return " ".join(_said(before, rows) for before, rows in groups.items())


def _said(before: str, rows: list[dict[str, Any]]) -> str:
    count, pairs = rows[0]["both"] + rows[0]["lost"], rows[0]["pairs"]
    told = f"{before} tells {count:,} of {pairs:,} pair{'s' * (pairs != 1)} of runs apart"
    return "; ".join([told, *(f"{row['to']} {_moved(row)}" for row in rows)]) + "."


def _moved(row: dict[str, Any]) -> str:
    words = {"gained": "gains", "lost": "loses", "reversed": "turns round"}
    moves = [f"{verb} {row[change]:,}" for change, verb in words.items() if row[change]]
    return listed(moves) if moves else "changes none"


def _alone(values: Values, measure: object) -> Values:
    """The values of one measure, the only one if none is named."""
    values.matrix(measure)  # refuses where there are several, or none of that name
    i = 0 if measure is None else values.index(measure)
    return replace(
        values,
        measures=(values.measures[i],),
        cube=values.cube[:, :, i : i + 1],
        without_relevant=values.without_relevant[i : i + 1],
        order=None if values.order is None else values.order[:, :, i : i + 1],
        low=None,
        high=None,
        curve=None,
    )


def _counted(before: Way, after: Way) -> dict[str, Any]:
    counts = {change: int(there.sum()) for change, there in changes_between(before, after).items()}
    return {"from": before.name, "to": after.name, "pairs": len(before.p)} | counts


def _changes(before: Way, after: Way, names: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    """One row for each pair that changes."""
    change = changes_between(before, after)
    rows = [(pair, kind) for kind in ("gained", "lost", "reversed") for pair in np.flatnonzero(change[kind]).tolist()]
    return [
        {
            "from": before.name,
            "to": after.name,
            "a": names[pair][0],
            "b": names[pair][1],
            "difference_from": before.difference[pair],
            "p_from": before.p[pair],
            "difference_to": after.difference[pair],
            "p_to": after.p[pair],
            "change": kind,
        }
        for pair, kind in sorted(rows)
    ]


def _without_p(ways: Sequence[Way]) -> tuple[str, ...]:
    """A word on pairs that have no p-value."""
    counts = {way.name: int(np.isnan(way.p).sum()) for way in ways}
    return tuple(f"{name}: {count:,} pairs have no p-value" for name, count in counts.items() if count)
