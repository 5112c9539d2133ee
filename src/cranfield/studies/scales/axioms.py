"""Table of the axioms that each measure satisfies, with counterexamples."""

from collections.abc import Iterable, Sequence
from typing import Any

from cranfield.core import Direction, Provenance, Table
from cranfield.measures import MEASURES, Counterexample, Measure, by_family, first_use, parse_measures

AXIOMS = {"swap": "swap", "replacement": "replacement", "ideal_best": "ideal-best"}  # column: what it is called


def axioms_table(
    measures: str | Measure | Iterable[str | Measure] | None = None, *, made_by: Provenance | None = None
) -> Table:
    """One row for each measure, or those named: which axioms it keeps, and rankings that show what it gives up.

    Swap: a better document that moves up never hurts. Replacement: a better document in the place of another never
    does. Ideal-best: no ranking is above the perfect one.
    """
    rows = [_row(measure) for measure in _asked(measures)]
    caption = "axioms; where one is given up: a ranking, and one that should be as good or better"
    return Table.from_rows(rows, ("measure", *AXIOMS, "counterexample"), caption=caption, made_by=made_by)


def _asked(measures: str | Measure | Iterable[str | Measure] | None) -> list[Measure]:
    """The measures; a name alone is the measure as one would first use it."""
    if measures is None:
        return [first_use(cls) for cls in by_family()]
    several = [measures] if isinstance(measures, str | Measure) else measures
    found = [
        [first_use(MEASURES[one])] if isinstance(one, str) and one in MEASURES else parse_measures(one)
        for one in several
    ]
    return list(dict.fromkeys(measure for some in found for measure in some))


def _row(measure: Measure) -> dict[str, Any]:
    kept: dict[str, Any] = {column: axiom in measure.axioms for column, axiom in AXIOMS.items()}
    lost = "; ".join(_lost(measure, example) for example in measure.gives_up)
    return {"measure": str(measure)} | kept | {"counterexample": lost or None}


def _lost(measure: Measure, example: Counterexample) -> str:
    """``swap: 1 2 3 → 1 3 2 falls (trec_eval)``, with what else one has to know."""
    known = [example.of] if example.of and example.of != str(measure) else []
    known += [f"{_grades(example.missed)} not retrieved before"] if example.missed else []
    known += [f"{words:,.0f} words in a document of grade {grade}" for grade, words in example.lengths]
    known += [f"{measure.asks_for} {_grades(row)} of a document of grade {grade}" for grade, row in example.beside]
    moves = "rises" if measure.direction is Direction.LOWER else "falls"
    source = "; ".join([*known, example.cite])
    return f"{example.axiom}: {_grades(example.before)} → {_grades(example.after)} {moves} ({source})"


def _grades(grades: Sequence[float]) -> str:
    """Grades down a ranking; a question mark is a document that nobody judged."""
    return " ".join("?" if grade < 0 else f"{grade:g}" for grade in grades) or "nothing"
