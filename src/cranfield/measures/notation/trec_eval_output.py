"""Print values under the names and in the format of trec_eval 9."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cranfield.core import CranfieldError
from cranfield.data import Values
from cranfield.measures.base import MEASURES, Measure

from .aliases import NICKNAMES, ORDER, trec_candidates
from .parsing import parse_measure

OFFICIAL = ("official",)  # what trec_eval prints when nothing is asked
ROUNDED = "trec_eval-10"  # a way to round recall points; trec_eval 10 prints the same names as 9


def trec_name(measure: Measure) -> str:
    """What trec_eval calls a measure; its notation where trec_eval does not have it."""
    if measure.name not in MEASURES or type(measure) is not MEASURES[measure.name]:
        return str(measure)
    older = _as_in_9(measure)
    return next((name for name in trec_candidates(older) if name and _stands_for(name, older)), str(measure))


def _as_in_9(measure: Measure) -> Measure:
    later = getattr(measure, "rounding", "") == ROUNDED
    return replace(measure, rounding="trec_eval-9") if later else measure  # type: ignore[call-arg]


def _stands_for(name: str, measure: Measure) -> bool:
    try:
        return parse_measure(name) == measure
    except CranfieldError:
        return False


@dataclass(frozen=True, slots=True)
class Column:
    """A measure as it is printed: under what name, from which place of the cube."""

    label: str
    place: int
    whole: bool  # a count
    summary: bool  # printed for all topics together only

    @property
    def order(self) -> tuple[int, float, int]:
        """trec_eval's order: by measure, then by number; what it does not have comes last, as asked."""
        stems = [name for name in ORDER if self.label == name or self.label.startswith(f"{name}_")]
        if not stems:
            return len(ORDER), 0, self.place
        stem = max(stems, key=len)
        number = self.label[len(stem) + 1 :]
        return ORDER.index(stem), float(number) if number.replace(".", "", 1).isdigit() else 0, self.place


def names_the_run(asked: Iterable[object]) -> bool:
    """Whether trec_eval prints ``runid`` for what is asked: for nothing, and with its lists of measures."""
    words = [word for text in asked for word in str(text).casefold().replace(",", " ").split()]
    return not words or any(word in NICKNAMES for word in words)


def trec_eval_text(values: Values, *, per_topic: bool = False, tag: bool = True) -> str:
    """One line per measure, topic and run: topics first where they are asked, then ``all``."""
    columns = _columns(values)
    # Topics come in the order of their bytes.
    order = sorted(range(len(values.topics)), key=lambda topic: values.topics[topic].encode())
    totals = _totals(values, order)
    lines: list[str] = []
    for run, name in enumerate(values.runs):
        for topic in order if per_topic else ():
            if not values.missing[run, topic]:
                row = values.cube[run, topic]
                lines += [_line(c, values.topics[topic], row[c.place]) for c in columns if not c.summary]
        if tag:
            lines.append(f"{'runid':<22}\tall\t{(values.tags[run] if values.tags else '') or name}\n")
        lines += [_line(column, "all", totals[run, column.place]) for column in columns]
    return "".join(lines)


def _columns(values: Values) -> Sequence[Column]:
    columns = []
    for place, measure in enumerate(values.measures):
        if isinstance(measure, Measure):
            label = trec_name(measure)
            whole = measure.aggregate == "sum"
            columns.append(Column(label, place, whole, label == "num_q" or measure.aggregate == "gmean"))
    # R-precision is two of trec_eval's measures; the second is one of several, so it stands beside its kind.
    if any(column.label.startswith("Rprec_mult_") for column in columns):
        columns += [replace(column, label="Rprec_mult_1.00") for column in columns if column.label == "Rprec"]
    return sorted(columns, key=lambda column: column.order)


def _totals(values: Values, order: list[int]) -> NDArray[np.float64]:
    """(run, measure): means added up topic after topic, as trec_eval does.

    numpy adds in pairs. The last bit may differ, and with it a fourth decimal: the mean P_200 of 100 topics lies half
    way between two of them for every second run.
    """
    totals = values.aggregate()
    means = [i for i, measure in enumerate(values.measures) if measure.aggregate == "mean"]
    added, topics = np.zeros((len(values.runs), len(means))), np.zeros((len(values.runs), len(means)))
    for topic in order:
        there = values.counted[:, topic, None] & ~np.isnan(values.cube[:, topic, means])
        added += np.where(there, values.cube[:, topic, means], 0)
        topics += there
    totals[:, means] = np.divide(added, topics, out=totals[:, means], where=topics > 0)
    return totals


def _line(column: Column, topic: str, value: float) -> str:
    number = f"{int(value)}" if column.whole else f"{value:6.4f}"
    return f"{column.label:<22}\t{topic}\t{number}\n"
