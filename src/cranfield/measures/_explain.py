"""The catalogue in words, and as plain values for the documentation and the server."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from cranfield.core import Study, Table, definition, parameters
from cranfield.core.explain import explain_declared, settings_in_words
from cranfield.data import NEEDED, assess_grades

from ._base import MEASURES, Browsing, Cascade, Discounted, Measure, Reader
from ._claims import Example
from ._parse import parse_measure, parse_measures
from ._values import measure_all

FAMILIES = ("binary", "graded", "user model", "diversity", "fairness", "aspects", "relative", "interval", "count")
USERS = (Discounted, Cascade, Reader, Browsing)  # whose docstrings say who reads, the most special first
CUT = 10  # where a measure is cut off that needs it, and shows no example


def by_family() -> list[type[Measure]]:
    """The measures as people look for them: family by family, each by name."""
    known = (*FAMILIES, *(cls.family for cls in MEASURES))  # a measure from outside may bring its own
    return sorted(MEASURES, key=lambda cls: (known.index(cls.family), cls.name.casefold()))


def first_use(cls: type[Measure]) -> Measure:
    """The measure as one would first use it."""
    if cls.example:
        return parse_measure(cls.example.of)
    return cls(k=CUT) if cls.needs_cutoff else cls()


def catalogue(*names: str) -> Table:
    """One row per measure, or those named: its family, its scale, its source, its parameters, what it is."""
    return _table(
        "measures",
        [
            {
                "name": cls.name,
                "family": cls.family,
                "scale": str(first_use(cls).scale.own),
                "source": cls.cite,
                "direction": str(cls.direction),
                "parameters": ", ".join(f"{p.name}={p.default!r}" for p in parameters(cls)),
                "definition": definition(cls),
            }
            for cls in _asked(names)
        ],
    )


def explained(*names: str) -> Study:
    """The catalogue in full, or the measures named: formulas, parameters, worked examples, axioms that do not hold."""
    asked = _asked(names)
    tables = {
        "catalogue": catalogue(*names),
        "details": _table("what follows from the declarations", [_details(cls) for cls in asked]),
        "parameters": _table(
            "parameters",
            [
                {"measure": cls.name, "name": p.name, "type": p.type, "default": repr(p.default), "limits": p.limits}
                for cls in asked
                for p in parameters(cls)
            ],
        ),
        "examples": _table("worked by hand", [_example(cls, cls.example) for cls in asked if cls.example]),
        "gives_up": _table(
            "axioms that do not hold: the second ranking is better by the axiom, and has the worse value",
            [
                {
                    "measure": cls.name,
                    "axiom": lost.axiom,
                    "before": _grades(lost.before),
                    "after": _grades(lost.after),
                    "missed": _grades(lost.missed),
                    "beside": "; ".join(f"grade {grade}: {_grades(row)}" for grade, row in lost.beside),
                    "source": lost.cite,
                }
                for cls in asked
                for lost in first_use(cls).gives_up
            ],
        ),
    }
    return Study("measures", {title: table for title, table in tables.items() if len(table)})


def _asked(names: Sequence[str]) -> list[type[Measure]]:
    return [declared(name) for name in names] if names else by_family()


def declared(name: str) -> type[Measure]:
    """The measure that goes by a name, here or elsewhere, with or without parameters: ``MAP``, ``ndcg_cut_10``."""
    if name in MEASURES:
        return MEASURES[name]
    return type(parse_measures(name)[0])


def _table(caption: str, rows: list[dict[str, Any]]) -> Table:
    return Table.from_rows(rows, tuple(rows[0]) if rows else (), caption=caption)


def _details(cls: type[Measure]) -> dict[str, Any]:
    shown = first_use(cls)
    low, high = cls.range
    return {
        "name": cls.name,
        "aliases": ", ".join(cls.aliases),
        "write": str(shown),
        "formula": cls.formula,
        "user": _user(cls),
        "low": low if np.isfinite(low) else None,
        "high": high if np.isfinite(high) else None,
        "aggregate": cls.aggregate,
        "top_heavy": str(shown.scale.top_heavy),
        "axioms": ", ".join(sorted(shown.axioms)),
        "needs": cls.needs,
    }


def _example(cls: type[Measure], example: Example) -> dict[str, Any]:
    return {
        "measure": example.of,
        "ranking": _grades(example.ranking),
        "missed": _grades(example.missed),
        "beside": _rows(example.beside),
        "working": example.working,
        "value": worked(cls),
    }


def _user(cls: type[Measure]) -> str:
    """Who reads the ranking, in the words of the family."""
    return next((definition(base) for base in USERS if issubclass(cls, base)), "")


def worked(cls: type[Measure]) -> float:
    """The value of a measure's own example."""
    if not cls.example:
        return np.nan
    assessed = assess_grades(
        [cls.example.ranking], [cls.example.missed], beside={cls.needs: cls.example.beside} if cls.needs else None
    )
    return float(measure_all(assessed, cls.example.of).cube[0, 0, 0])


def explain(name: str) -> str:
    """A measure explained: what it is, its formula, an example, its parameters, its scale, where it comes from."""
    cls = declared(name)
    facts = _facts(cls)
    if cls.example:
        missed = f" ({_grades(cls.example.missed)} missed)" if cls.example.missed else ""
        beside = f", {cls.needs} {_rows(cls.example.beside)}" if cls.example.beside else ""
        shown = f"{cls.example.of} of grades {_grades(cls.example.ranking)}{missed}{beside}"
        facts = {"example": f"{shown}\n{cls.example.working} = {worked(cls):.4f}"} | facts
    if cls.formula:
        facts = {"formula": cls.formula} | facts
    return explain_declared(cls, facts | {"parameters": "\n".join(settings_in_words(cls))})


def _facts(cls: type[Measure]) -> dict[str, str]:
    """What follows from the declaration, in words."""
    shown = first_use(cls)
    low, high = (f"{end:g}".replace("inf", "∞") for end in cls.range)
    lost = sorted({f"{example.axiom} ({example.cite})" for example in shown.gives_up})
    trec = [name.format(k=shown.k or CUT) for name in cls.trec if name]
    written = [str(shown)] if shown.k is not None or cls.at != "k" else [str(shown), str(shown @ 20)]
    facts = {
        "user": _user(cls),
        "range": f"{low} to {high}, {cls.direction} is better; over topics: {cls.aggregate}",
        "scale": f"{shown.scale.own} within one topic ({shown.scale.cite}); "
        f"against an order that puts the first rank above all others: {shown.scale.top_heavy}",
        "axioms": ", ".join(sorted(shown.axioms)) or "none",
        "gives up": ", ".join(lost),
        "needs": cls.needs and f"{cls.needs}: {NEEDED[cls.needs]}",
        "source": cls.cite,
        "trec_eval": ", ".join(trec),
        "write": ", ".join(written),
    }
    return {label: text for label, text in facts.items() if text}


def _grades(grades: Sequence[float]) -> str:
    """Grades down a ranking; a question mark is a document that nobody judged."""
    return " ".join("?" if grade < 0 else f"{grade:g}" for grade in grades)


def _rows(beside: Sequence[Sequence[float]]) -> str:
    """What a side table says of each document of an example, one after the other."""
    return " / ".join(map(_grades, beside))
