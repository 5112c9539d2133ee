"""How far unjudged documents near the top of two runs could move a measure."""

import numpy as np

from cranfield.data import Values, is_worth_a_note, judged_depth, judged_shares
from cranfield.measures import Bpref, Measure, bounds, map_scenario

from .text import PairNames


def unjudged_sentence(values: Values, pair: tuple[int, int], names: PairNames, *, sparse: bool = False) -> str:
    """Return a warning where few documents of a run are judged or two runs differ in that; "" otherwise.

    Documents are checked down to the cutoff of every measure. With ``sparse`` labels few documents are judged by
    design, and only a difference is reported.
    """
    affected: dict[tuple[float, float], object] = {}  # proportions, and the first measure with them
    parts = []
    for measure in values.measures:
        depth = judged_depth(measure)
        shares = judged_shares(values, depth)
        if shares is None:
            continue
        a, b = (float(shares[run]) for run in pair)
        if (a, b) not in affected and is_worth_a_note((a, b), sparse=sparse):
            affected[a, b] = measure
            parts.append(f"Judged@{depth} is {b:.0%} for {names.b} and {a:.0%} for {names.a}")
    if not affected:
        return ""
    ignored = all(_ignores_unjudged(measure) for measure in affected.values())
    warning = f"{', '.join(parts)}: unjudged documents {'are ignored' if ignored else 'count as not relevant'}."
    possible = _possible_values(values, next(iter(affected.values())), pair, names)
    return f"{warning} {possible}" if possible else warning


def _ignores_unjudged(measure: object) -> bool:
    return getattr(measure, "judged_only", False) or isinstance(measure, Bpref)


def _possible_values(values: Values, measure: object, pair: tuple[int, int], names: PairNames) -> str:
    """Return between which values a measure may lie, or its values if all unjudged documents were of the top grade."""
    if values.assessed is None or not isinstance(measure, Measure):
        return ""
    runs = values.assessed.of_runs(list(pair))
    if measure.bounded:
        low, high = (np.nanmean(end[:, values.places], axis=1) for end in bounds(runs, measure))
        ends = [f"[{low[i]:.3f}, {high[i]:.3f}] for {name}" for i, name in ((1, names.b), (0, names.a))]
        return f"Once they are judged, {measure} can lie in {' and in '.join(ends)}."
    if getattr(measure, "k", None) is None or measure.asks_for:
        return ""
    best = np.nanmean(map_scenario(runs, [measure], "as_best")[:, values.places, 0], axis=1)
    both = f"{best[1]:.3f} for {names.b} and {best[0]:.3f} for {names.a}"
    return f"If all of them had the top grade, {measure} would be {both}."
