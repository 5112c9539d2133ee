"""On which scale are a measure's values, and which conclusions does the scale permit?"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from cranfield.core import SEED, ParameterError, Provenance, Study, Table, stack
from cranfield.data import unjudged_notes, warning_notes
from cranfield.measures import Interval, Measure, by_family, first_use, parse_measures
from cranfield.stats import LEVEL, check_level
from cranfield.studies.evaluation.study import evaluate
from cranfield.studies.small_samples import few_topics_notes

from .axioms import axioms_table
from .changed_conclusions import changed_sentence, changed_tables
from .order_scores import scores_table
from .permissible_statistics import permissible_table
from .ranking_spacings import spacings
from .solvability import solvability_table
from .tables import scales_table, values_table

Progress = Callable[[int, int], object]


def scale(
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    length: int | None = None,
    relevant: int | Sequence[int] | Mapping[float, int] | None = None,
    grades: int | None = None,
    qrels: Any = None,
    runs: Any = None,
    correct: str = "holm",
    level: float = LEVEL,
    seed: int = SEED,
    threads: int | None = None,
    progress: Progress | None = None,
    reading: Progress | None = None,
    command: str = "",
) -> Study:
    """The scale of measures: what is claimed of it, all values they can take, and what follows for a comparison.

    All rankings of ``length`` documents are gone through (the longest cut-off if no length is given), for a topic with
    ``relevant`` documents (as many as fit if nothing is said), with ``grades`` one number for each grade: the different
    values, how far they lie apart, which differences no two rankings have, and scores with more equal steps. Without
    measures: what the whole catalogue claims, and which axioms it keeps.

    With ``qrels`` and ``runs``: which pairs of runs become, or cease to be, significantly different when the measure is
    put on an interval scale, the mean becomes the median, or the t test the sign test.
    """
    check_level(level)
    if (qrels is None) != (runs is None):
        raise ParameterError("judgments and runs belong together", hint="give both, or none")
    wanted = None if measures is None else _parsed(measures, length)
    made_by = Provenance(command=command, measures=tuple(map(str, wanted or ())))
    if wanted is None:
        if qrels is not None:
            raise ParameterError("no measure is given", hint="for example: AP@10")
        return _catalogue(made_by)
    tables = _enumerated(wanted, length, relevant, grades, made_by, progress)
    said = [_spaced(tables["scales"])]
    if qrels is not None:
        changed, made_by = _changed(wanted, qrels, runs, made_by, correct, level, seed, threads, reading)
        tables = {name: changed[name] for name in ("changed", "changes")} | tables
        said = [changed_sentence(changed["changed"]), *said]
    tables = {name: replace(table, made_by=made_by) for name, table in tables.items()}
    charts = ("changes",) * (qrels is not None) + ("spacing",) * ("values" in tables)
    return Study("scale", tables, {"sentence": " ".join(filter(None, said))}, made_by, charts=charts)


def _parsed(measures: Any, length: int | None) -> list[Measure]:
    if length is not None:
        from .ranking_spacings import cut_off

        return cut_off(measures, length)
    return parse_measures(measures)


def _catalogue(made_by: Provenance) -> Study:
    """What every measure claims."""
    every = [first_use(cls) for cls in by_family() if cls.family != "count"]
    tables = {
        "scales": scales_table(every, made_by=made_by),
        "axioms": axioms_table(made_by=made_by),
        "permissible": permissible_table(made_by=made_by),
    }
    own = [row["scale"] for row in tables["scales"].rows()]
    many = own.count("interval") + own.count("ratio")
    sentence = f"{many} of {len(own)} measures claim equal steps within a topic, or more; the others an order."
    return Study("scale", tables, {"sentence": sentence}, made_by)


def _enumerated(
    measures: Sequence[Measure],
    length: int | None,
    relevant: Any,
    grades: int | None,
    made_by: Provenance,
    progress: Progress | None,
) -> dict[str, Table]:
    """What all rankings say, where it is known how long they are."""
    cuts = [measure.k for measure in measures if measure.k is not None]
    longest = length or max(cuts, default=None)
    if longest is None:
        if relevant is not None or grades is not None:
            raise ParameterError("how long are the rankings?", hint="give a length, or a cut-off: AP@10")
        note = "give a length (--length 5) or a cut-off (AP@5) to go through all rankings"
        told = scales_table(measures, made_by=made_by)
        tables = {"scales": replace(told, notes=(*told.notes, note))}
    else:
        counts: Any = (relevant,) if isinstance(relevant, int) else relevant or ()
        found = spacings(measures, length=longest, relevant=counts, grades=grades, progress=progress)
        tables = {
            "scales": scales_table(list(found), spacings=found, made_by=made_by),
            "values": values_table(found, made_by=made_by),
            "solvability": stack([solvability_table(measure, spacing) for measure, spacing in found.items()]),
            "scores": stack([scores_table(measure, spacing) for measure, spacing in found.items()]),
        }
    return tables | {
        "axioms": axioms_table(measures, made_by=made_by),
        "permissible": permissible_table(made_by=made_by),
    }


def _changed(
    measures: Sequence[Measure],
    qrels: Any,
    runs: Any,
    made_by: Provenance,
    correct: str,
    level: float,
    seed: int,
    threads: int | None,
    reading: Progress | None,
) -> tuple[dict[str, Table], Provenance]:
    """What becomes of the conclusions about runs."""
    plain = [measure for measure in measures if not isinstance(measure, Interval)]
    mapped = {measure: made for measure in plain if (made := _mapped(measure)) is not None}
    every = [*plain, *mapped.values()]
    values = evaluate(qrels, runs, every, scale="ignore", threads=threads, progress=reading, command=made_by.command)
    both = []
    for measure in plain:
        settled = values.measures[every.index(measure)]
        other = values.measures[every.index(mapped[measure])] if measure in mapped else None
        both.append(changed_tables(values, settled, mapped=other, level=level, correct=correct, seed=seed))
    changed, changes = (stack(list(tables)) for tables in zip(*both, strict=True))
    limits = (*warning_notes(values), *unjudged_notes(values), *few_topics_notes(len(values.topics), level))
    changed = replace(changed, notes=(*changed.notes, *limits))
    return {"changed": changed, "changes": changes}, replace(values.made_by, seed=seed)


def _mapped(measure: Measure) -> Measure | None:
    """The measure on an interval scale; None where that cannot be."""
    try:
        return Interval(of=measure)
    except ParameterError:
        return None


def _spaced(scales: Table) -> str:
    """Which measures have equal steps, in words."""
    even, uneven = (
        [str(row["measure"]) for row in scales.rows() if row["equispaced"] is spaced] for spaced in (True, False)
    )
    parts = []
    if even:
        parts.append(f"{', '.join(even)} {'has' if len(even) == 1 else 'have'} equal steps")
    if uneven:
        parts.append(f"{', '.join(uneven)} {'has' if len(uneven) == 1 else 'have'} not")
    if not even and uneven:
        parts = [f"{', '.join(uneven)} {'has' if len(uneven) == 1 else 'have'} no equal steps"]
    return f"{'; '.join(parts)}." if parts else ""
