"""Explanations of the measures as text, and the catalogue as tables and plain values."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from cranfield.core import Study, Table, definition, parameters
from cranfield.core.declaration_help import explain_declared, settings_in_words
from cranfield.data import NEEDED, assess_grades
from cranfield.measures.base import MEASURES, Browsing, Cascade, Discounted, Measure, Reader
from cranfield.measures.declared_properties import Example
from cranfield.measures.evaluation import measure_all
from cranfield.measures.other.base import OtherExample, OtherMeasure
from cranfield.measures.other.kinds import NAME, OTHERS, kind_of, parse_named

from .parsing import parse_measure, parse_measures

FAMILIES = ("binary", "graded", "user model", "diversity", "fairness", "aspects", "relative", "interval", "count")
USERS = (Discounted, Cascade, Reader, Browsing)  # whose docstrings say who reads, the most special first
CUT = 10  # where a measure is cut off that needs it, and shows no example

AnyMeasure: TypeAlias = type[Measure] | type[OtherMeasure]


def by_family() -> list[type[Measure]]:
    """The measures as people look for them: family by family, each by name."""
    known = (*FAMILIES, *(cls.family for cls in MEASURES))  # a measure from outside may bring its own
    return sorted(MEASURES, key=lambda cls: (known.index(cls.family), cls.name.casefold()))


def others() -> list[type[OtherMeasure]]:
    """The measures of something else than one judged ranking: kind by kind, each by name."""
    return [cls for kind in OTHERS.values() for cls in sorted(kind.catalogue, key=lambda cls: cls.name.casefold())]


def first_use(cls: type[Measure]) -> Measure:
    """The measure as one would first use it."""
    if cls.example:
        return parse_measure(cls.example.of)
    return cls(k=CUT) if cls.needs_cutoff else cls()


def _first(cls: AnyMeasure) -> Any:
    """The same for a measure of anything."""
    if issubclass(cls, Measure):
        return first_use(cls)
    return parse_named(cls.example.of) if cls.example else cls()


def catalogue(*names: str, other: bool = False) -> Table:
    """One row per measure, or those named: its family, its scale, its source, its parameters, what it is.

    With ``other`` those of something else than one judged ranking, whose family is what they are of.
    """
    return _table(
        "measures of something else than one judged ranking" if other else "measures; scale: against their own order",
        [
            {
                "name": name,
                "family": cls.family if issubclass(cls, Measure) else kind_of(cls.name),
                "scale": str(shown.scale.own),
                "source": cls.cite,
                "direction": str(cls.direction or ""),
                "parameters": ", ".join(f"{p.name}={p.default!r}" for p in parameters(cls)),
                "definition": definition(cls),
            }
            for name, cls, shown in _asked(names, other=other)
        ],
    )


def explained(*names: str, other: bool = False) -> Study:
    """The catalogue in full, or the measures named: formulas, parameters, worked examples, axioms that do not hold."""
    asked = _asked(names, other=other)
    classes = list(dict.fromkeys(cls for _, cls, _ in asked))
    tables = {
        "catalogue": catalogue(*names, other=other),
        "details": _table("what follows from the declarations", [_details(*one) for one in asked]),
        "parameters": _table(
            "parameters",
            [
                {"measure": cls.name, "name": p.name, "type": p.type, "default": repr(p.default), "limits": p.limits}
                for cls in classes
                for p in parameters(cls)
            ],
        ),
        "examples": _table("worked by hand", [_example(cls.example, worked(cls)) for cls in classes if cls.example]),
        "gives_up": _table(
            "axioms that do not hold: the second ranking is better by the axiom, and has the worse value",
            [
                {
                    "measure": name,
                    "axiom": lost.axiom,
                    "before": _grades(lost.before),
                    "after": _grades(lost.after),
                    "missed": _grades(lost.missed),
                    "beside": "; ".join(f"grade {grade}: {_grades(row)}" for grade, row in lost.beside),
                    "source": lost.cite,
                }
                for name, cls, shown in asked
                if issubclass(cls, Measure)
                for lost in shown.gives_up
            ],
        ),
    }
    return Study("measures", {title: table for title, table in tables.items() if len(table)})


def _asked(names: Sequence[str], *, other: bool) -> list[tuple[str, AnyMeasure, Any]]:
    """Return the name, the class and an instance of each measure asked for, or of all."""
    if names:
        return [_as_written(name) for name in names]
    known: Sequence[AnyMeasure] = others() if other else by_family()
    return [(cls.name, cls, _first(cls)) for cls in known]


def _as_written(name: str) -> tuple[str, AnyMeasure, Any]:
    """Return a measure with the parameters that are written; with the name alone, as one would first use it."""
    cls = declared(name)
    if "(" in name or "@" in name:
        shown = parse_named(name)
        return str(shown), cls, shown
    if issubclass(cls, Measure) and name not in MEASURES:  # trec_eval and ranx write parameters after a dot
        written = parse_measures(name)
        if len(written) == 1 and str(written[0]) != cls.name:
            return str(written[0]), cls, written[0]
    return cls.name, cls, _first(cls)


def declared(name: str) -> AnyMeasure:
    """The measure that goes by a name, here or elsewhere, with or without parameters: ``MAP``, ``ndcg_cut_10``."""
    kind = kind_of(NAME.split(name)[0])
    if kind:
        return OTHERS[kind].catalogue[name] if name in OTHERS[kind].catalogue else type(OTHERS[kind].parse(name))
    if name in MEASURES:
        return MEASURES[name]
    return type(parse_measures(name)[0])


def _table(caption: str, rows: list[dict[str, Any]]) -> Table:
    return Table.from_rows(rows, tuple(rows[0]) if rows else (), caption=caption)


def _details(name: str, cls: AnyMeasure, shown: Any) -> dict[str, Any]:
    low, high = cls.range
    return {
        "name": name,
        "aliases": ", ".join(cls.aliases),
        "write": str(shown),
        "formula": cls.formula,
        "user": _user(cls),
        "low": low if np.isfinite(low) else None,
        "high": high if np.isfinite(high) else None,
        "aggregate": cls.aggregate,
        "top_heavy": str(shown.scale.top_heavy) if issubclass(cls, Measure) else "",
        "axioms": ", ".join(sorted(shown.axioms)) if issubclass(cls, Measure) else "",
        "needs": cls.needs,
    }


def _example(example: Example | OtherExample, value: float) -> dict[str, Any]:
    ranking, missed, beside = "", "", ""
    if isinstance(example, Example):
        ranking, missed, beside = _grades(example.ranking), _grades(example.missed), _rows(example.beside)
    else:
        beside = example.given()
    found = {"measure": example.of, "ranking": ranking, "missed": missed, "beside": beside}
    return found | {"working": example.working, "value": value}


def _user(cls: type) -> str:
    """Who reads the ranking, in the words of the family."""
    return next((definition(base) for base in USERS if issubclass(cls, base)), "")


def worked(cls: AnyMeasure) -> float:
    """The value of a measure's own example."""
    if not cls.example:
        return np.nan
    if not isinstance(cls.example, Example):
        return cls.example.worked()
    assessed = assess_grades(
        [cls.example.ranking], [cls.example.missed], beside={cls.needs: cls.example.beside} if cls.needs else None
    )
    return float(measure_all(assessed, cls.example.of).cube[0, 0, 0])


def explain(name: str) -> str:
    """A measure explained: what it is, its formula, an example, its parameters, its scale, where it comes from."""
    written, cls, shown = _as_written(name)
    of = "" if written == cls.name else f"{written}: "
    facts = {"formula": cls.formula, "example": shown_example(cls)} | (
        _facts(cls, shown, of) if issubclass(cls, Measure) else other_facts(cls)
    )
    facts = {label: text for label, text in facts.items() if text}
    return explain_declared(cls, facts | {"parameters": "\n".join(settings_in_words(cls))})


def shown_example(cls: AnyMeasure) -> str:
    """What an example is of, and below it the arithmetic."""
    if not cls.example:
        return ""
    if isinstance(cls.example, Example):
        missed = f" ({_grades(cls.example.missed)} missed)" if cls.example.missed else ""
        beside = f", {cls.needs} {_rows(cls.example.beside)}" if cls.example.beside else ""
        given = f"grades {_grades(cls.example.ranking)}{missed}{beside}"
    else:
        given = cls.example.given()
    return f"{cls.example.of} of {given}\n{cls.example.working} = {worked(cls):.4f}"


def other_facts(cls: type[OtherMeasure]) -> dict[str, str]:
    """What follows from the declaration of a measure of something else than a ranking, in words."""
    kind = OTHERS[kind_of(cls.name) or ""]
    low, high = (f"{end:g}".replace("inf", "∞") for end in cls.range)
    claim = _first(cls).scale
    better = f", {cls.direction} is better" if cls.direction else ", neither end is better"
    return {
        "of": kind.title,
        "range": f"{low} to {high}{better}; over topics: {cls.aggregate}",
        "scale": f"{claim.own} within one topic ({claim.cite})",
        "needs": kind.needed.get(cls.needs, ""),
        "source": cls.cite,
        "write": ", ".join(dict.fromkeys((str(_first(cls)), *theirs_of(cls)))),
    }


def theirs_of(cls: type[OtherMeasure]) -> list[str]:
    """What other tools call a measure and its variants."""
    kind = OTHERS[kind_of(cls.name) or ""]
    return [*cls.aliases, *(word for word in kind.theirs if type(kind.parse(word)) is cls)]


def _facts(cls: type[Measure], shown: Measure, of: str) -> dict[str, str]:
    """Return what follows from the declaration, in words; ``of`` names what a claim is about."""
    low, high = (f"{end:g}".replace("inf", "∞") for end in cls.range)
    lost = sorted({f"{example.axiom} ({example.cite})" for example in shown.gives_up})
    trec = [name.format(k=shown.k or CUT) for name in cls.trec if name]
    written = [str(shown)] if shown.k is not None or cls.at != "k" else [str(shown), str(shown @ 20)]
    facts = {
        "user": _user(cls),
        "range": f"{low} to {high}, {cls.direction} is better; over topics: {cls.aggregate}",
        "scale": f"{of}{shown.scale.sentence}",
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
