"""Print values under the names, in the order and in the format of trec_eval."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cranfield.core import CranfieldError
from cranfield.data import NOBODY, Assessed, Values
from cranfield.measures.base import MEASURES, Measure

from .parsing import parse_measure, read_labelled
from .trec_eval_names import NINE, TEN, order_of_label, trec_candidates

OFFICIAL = ("official",)  # what trec_eval prints when nothing is asked
GRADES_SHOWN = 10  # by relstring


@dataclass(frozen=True, slots=True)
class Line:
    """A line that the user asks for: the name that trec_eval prints, and the measure in our notation.

    A measure that is written in our notation has no label. ``runid`` and ``relstring`` are text and have no measure.
    """

    label: str
    measure: str = ""


def requested_lines(texts: Iterable[str], version: str = "") -> list[Line]:
    """Return the lines that trec_eval prints for ``-m`` of these texts."""
    read = [one for text in texts for one in read_labelled(text, version)]
    lines = [Line(one.label, str(one.expression) if one.expression else "") for one in read]
    return list(dict.fromkeys(lines))


def trec_name(measure: Measure, version: str = "") -> str:
    """Return trec_eval's name of a measure, or its notation where trec_eval, or this version, does not have it."""
    if measure.name not in MEASURES or type(measure) is not MEASURES[measure.name]:
        return str(measure)
    if version and getattr(measure, "rounding", version) not in ("exact", version):
        return str(measure)
    older = _as_in_9(measure)
    return next((name for name in trec_candidates(older) if name and _stands_for(name, older)), str(measure))


def _as_in_9(measure: Measure) -> Measure:
    later = getattr(measure, "rounding", "") == TEN  # trec_eval 10 prints the same name as 9
    return replace(measure, rounding=NINE) if later else measure  # type: ignore[call-arg]


def _stands_for(name: str, measure: Measure) -> bool:
    try:
        return parse_measure(name) == measure
    except CranfieldError:
        return False


@dataclass(frozen=True, slots=True)
class Column:
    """A printed measure: its name and its index in the cube, or none where it is text."""

    label: str
    place: int | None
    whole: bool = False  # a count
    summary: bool = False  # printed for all topics together only

    @property
    def order(self) -> tuple[int, float, int]:
        """trec_eval's order: by measure, then by number; other measures come last, as asked."""
        return *order_of_label(self.label), self.place or 0

    def line(self, topic: str, value: float) -> str:
        """Return the line of a number."""
        return _line(self.label, topic, f"{int(value)}" if self.whole else f"{value:6.4f}")


def trec_eval_text(
    values: Values,
    lines: Sequence[Line] | None = None,
    *,
    per_topic: bool = False,
    missing_topics: bool = False,
    name_run: bool = True,
    find: Callable[[str], Sequence[Measure]] = lambda text: [parse_measure(text)],
    version: str = "",
) -> str:
    """Return one line per measure, topic and run: topics first where they are asked for, then ``all``.

    Parameters
    ----------
    lines
        What to print. By default ``runid`` and all measures of the values, under the names that trec_eval has for them.
    per_topic
        Whether to print the lines of each topic.
    missing_topics
        Whether to print lines of topics that a run misses: trec_eval 10 does, trec_eval 9 does not.
    name_run
        Whether to print ``runid`` where no lines are asked for.
    find
        Return the measures of the values for the notation in a line.
    version
        The version of trec_eval whose names are printed. By default a name is that of either version.
    """
    columns = _all_columns(values, version) if lines is None else _columns(values, lines, find, version)
    name_run = name_run if lines is None else any(line.label == "runid" for line in lines)
    name_run |= len(values.runs) > 1
    # Topics come in the order of their bytes.
    order = sorted(range(len(values.topics)), key=lambda topic: values.topics[topic].encode())
    totals = _totals(values, order)
    out: list[str] = []
    for run, name in enumerate(values.runs):
        for topic in order if per_topic else ():
            if not values.missing[run, topic] or (missing_topics and values.counted[run, topic]):
                out += _of_topic(values, columns, run, topic)
        if name_run:
            out.append(_line("runid", "all", (values.tags[run] if values.tags else "") or name))
        out += [column.line("all", totals[run, column.place]) for column in columns if column.place is not None]
    return "".join(out)


def _of_topic(values: Values, columns: Sequence[Column], run: int, topic: int) -> list[str]:
    """Return the lines of one topic."""
    lines = []
    for column in columns:
        if column.place is not None and not column.summary:
            lines.append(column.line(values.topics[topic], values.cube[run, topic, column.place]))
        elif column.place is None and values.assessed is not None:
            shown = int(column.label.partition("_")[2] or GRADES_SHOWN)
            grades = grade_string(values.assessed, values.runs[run], values.topics[topic], shown)
            lines.append(_line(column.label, values.topics[topic], f"'{grades}'"))
    return lines


def grade_string(assessed: Assessed, run: str, topic: str, shown: int) -> str:
    """Return trec_eval's relstring: the grades of the first documents, ``-`` unjudged, ``.`` a grade below 0."""
    row = assessed.runs.index(run) * len(assessed.topics) + assessed.topics.index(topic)
    signs = ["-"] * min(shown, int(assessed.retrieved[row]))
    entries = slice(assessed.starts[row], assessed.starts[row + 1])
    for rank, grade in zip(assessed.rank[entries], assessed.grade[assessed.document[entries]], strict=True):
        if rank <= len(signs) and grade > NOBODY:
            signs[rank - 1] = "." if grade < 0 else ">" if grade > 9 else str(int(grade))
    return "".join(signs)


def _columns(
    values: Values, lines: Sequence[Line], find: Callable[[str], Sequence[Measure]], version: str
) -> list[Column]:
    columns, requested = [], set()
    for line in lines:
        measures = find(line.measure) if line.measure else []
        for measure in measures:
            # Several levels of relevance would print one name for several measures.
            label = (line.label or _name_in_trec_eval(line.measure, version)) if len(measures) == 1 else ""
            columns.append(_column(values, label, values.measures.index(measure), version))
            if line.label:
                requested.add(columns[-1])
        if not line.measure and line.label != "runid":
            columns.append(Column(line.label, None))
    return sorted(dict.fromkeys(_with_distinct_labels(values, columns, requested)), key=lambda column: column.order)


def _with_distinct_labels(values: Values, columns: Sequence[Column], requested: set[Column]) -> list[Column]:
    """Write a measure in our notation where another one has its name in trec_eval.

    Versions 9 and 10 print one name for two roundings of a recall. Columns that the user requested under the names of
    trec_eval keep them: it prints one name for recalls of 0 and 0.001.
    """
    first = {column.label: column for column in requested}
    return [
        column
        if column.place is None or column in requested or first.setdefault(column.label, column).place == column.place
        else replace(column, label=str(values.measures[column.place]))
        for column in columns
    ]


def _name_in_trec_eval(text: str, version: str) -> str:
    """Return trec_eval's name of a measure in our notation; nothing where it has none."""
    measure = parse_measure(text)
    name = trec_name(measure, version)
    return "" if name == str(measure) else name


def _all_columns(values: Values, version: str) -> list[Column]:
    columns = [_column(values, "", i, version) for i in range(len(values.measures))]
    # R-precision is two of trec_eval's measures; the second is one of several and stands next to them.
    if any(column.label.startswith("Rprec_mult_") for column in columns):
        columns += [replace(column, label="Rprec_mult_1.00") for column in columns if column.label == "Rprec"]
    return sorted(_with_distinct_labels(values, columns, set()), key=lambda column: column.order)


def _column(values: Values, label: str, place: int, version: str) -> Column:
    measure = values.measures[place]
    if not label:
        label = trec_name(measure, version) if isinstance(measure, Measure) else _name_of_preferences(str(measure))
    return Column(label, place, measure.aggregate == "sum", label == "num_q" or measure.aggregate == "gmean")


def _name_of_preferences(measure: str) -> str:
    """Return trec_eval's name of a measure of preferences, or its notation where trec_eval does not have it."""
    from cranfield.measures.other.preferences import TREC_PREFS, parse_preference_measure  # few values are of these

    names = {str(parse_preference_measure(ours)): name for name, ours in TREC_PREFS.items()}
    return names.get(measure, measure)


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


def _line(label: str, topic: str, text: str) -> str:
    return f"{label:<22}\t{topic}\t{text}\n"
