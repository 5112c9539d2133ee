"""Values as trec_eval 9 prints them."""

import numpy as np
from numpy.typing import NDArray

from cranfield.data import Values

from ._base import MEASURES, Measure

# The order in which trec_eval 9 prints what we have, and what it prints when nothing is asked.
ORDER = (
    *("num_q", "num_ret", "num_rel", "num_rel_ret", "map", "Rprec", "recip_rank", "P", "recall"),
    *("ndcg", "ndcg_cut", "map_cut", "success"),
)
CUTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
OFFICIAL = ("NumQ", "NumRet", "NumRel", "NumRet(rel=1)", "AP", "Rprec", "RR", *(f"P@{k}" for k in CUTS))


def trec_name(measure: Measure) -> str:
    """What trec_eval calls a measure; its notation where trec_eval does not have it."""
    whole, cut = measure.trec
    if str(measure) == "NumRet(rel=1)":
        return "num_rel_ret"
    plain = type(measure) is MEASURES[measure.name] and measure == type(measure)(k=measure.k)
    name = (whole if measure.k is None else cut) if plain else ""
    return name.format(k=measure.k) or str(measure)


def trec_eval_text(values: Values, *, per_topic: bool = False, tag: bool = True) -> str:
    """One line per measure, topic and run: topics first where they are asked, then ``all``."""
    measures = [
        (trec_name(m), i, m.aggregate == "sum") for i, m in enumerate(values.measures) if isinstance(m, Measure)
    ]
    measures.sort(key=_place)
    order = sorted(range(len(values.topics)), key=lambda topic: values.topics[topic].encode())
    totals = _totals(values, order)
    lines: list[str] = []
    for run, name in enumerate(values.runs):
        # trec_eval prints topics in the order of their bytes, and counts topics only in the summary.
        for topic in order if per_topic else ():
            if not values.missing[run, topic]:
                cells = [(label, values.cube[run, topic, i], whole) for label, i, whole in measures if label != "num_q"]
                lines += [_line(label, values.topics[topic], value, whole) for label, value, whole in cells]
        if tag:
            lines.append(f"{'runid':<22}\tall\t{(values.tags[run] if values.tags else '') or name}\n")
        lines += [_line(label, "all", totals[run, i], whole) for label, i, whole in measures]
    return "".join(lines)


def _totals(values: Values, order: list[int]) -> NDArray[np.float64]:
    """(run, measure): means added up topic after topic, as trec_eval does.

    numpy adds in pairs. The last bit may differ, and with it a fourth decimal: the mean P_200 of 100 topics lies half
    way between two of them for every second run.
    """
    totals = values.aggregate()
    for i, measure in enumerate(values.measures):
        if measure.aggregate == "mean":
            column = values.matrix(measure)[order]
            there = ~np.isnan(column)
            added = np.where(there, column, 0).cumsum(axis=0)[-1]
            totals[:, i] = np.divide(added, there.sum(axis=0), out=totals[:, i].copy(), where=there.any(axis=0))
    return totals


def _place(entry: tuple[str, int, bool]) -> tuple[int, int, int]:
    """trec_eval's order: by measure, then by cut-off; what it does not have comes last, as asked."""
    stem, _, cut = entry[0].rpartition("_")
    if cut.isdigit() and stem in ORDER:
        return ORDER.index(stem), int(cut), 0
    return (ORDER.index(entry[0]), 0, 0) if entry[0] in ORDER else (len(ORDER), 0, entry[1])


def _line(label: str, topic: str, value: float, whole: bool) -> str:  # noqa: FBT001  one line, two callers
    number = f"{int(value)}" if whole else f"{value:6.4f}"
    return f"{label:<22}\t{topic}\t{number}\n"
