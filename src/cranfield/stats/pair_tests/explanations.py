"""Descriptions of all statistical methods, as tables, text and plain values."""

from typing import Any

from cranfield.core import Catalogue, Study, Table, UnknownName, definition, parameters
from cranfield.core.declaration_help import explain_declared, settings_in_words
from cranfield.stats.estimates.confidence_intervals import INTERVALS
from cranfield.stats.estimates.effect_sizes import EFFECTS
from cranfield.stats.estimates.power import DESIGNS
from cranfield.stats.estimates.value_transforms import TRANSFORMS
from cranfield.stats.multiple.corrections import CORRECTIONS
from cranfield.stats.multiple.omnibus_base import OMNIBUS

from .base import TESTS, Method
from .bayesian import BELIEFS

CATALOGUES: tuple[Catalogue[Any], ...] = (
    *(TESTS, OMNIBUS, CORRECTIONS, EFFECTS, INTERVALS),
    *(BELIEFS, TRANSFORMS, DESIGNS),
)
FAMILIES_IN_WORDS = {
    "pair": "tests of pairs: cranfield test -t",
    "all pairs": "all pairs at once, corrected by themselves: cranfield test -t, cranfield anova --after",
    "omnibus": "all runs together: cranfield anova",
    "correction": "for many questions: cranfield test --correct",
    "effect": "how large a difference is",
    "interval": "how well a difference is known: cranfield test --interval",
    "belief": "what to believe of a pair: cranfield test --rope",
    "transform": "other numbers for the same values: --transform",
    "power": "how many topics: cranfield power --design",
}


def by_family() -> list[type[Method]]:
    """Every method, family by family, in the order of their declaration."""
    every: list[type[Method]] = [cls for catalogue in CATALOGUES for cls in catalogue]
    known = list(FAMILIES_IN_WORDS)
    return sorted(every, key=lambda cls: known.index(cls.family) if cls.family in known else len(known))


def declared(name: str) -> list[type[Method]]:
    """The methods that go by a name: t is a test, an interval and a design."""
    if found := [catalogue[name] for catalogue in CATALOGUES if name in catalogue]:
        return found
    from difflib import get_close_matches

    words = {word.casefold(): word for cls in by_family() for word in (cls.name, *cls.aliases)}
    near = [words[word] for word in get_close_matches(name.casefold(), words, n=3, cutoff=0.5)]
    hint = f"did you mean {' or '.join(near)}?" if near else "`cranfield tests` lists them"
    raise UnknownName(f"there is no test named {name!r}", hint=hint)


def methods(*names: str) -> Table:
    """One row per method, or those named: its family, the scale it needs, its source, its parameters, what it is."""
    asked = [cls for name in names for cls in declared(name)] if names else by_family()
    rows = [
        {
            "name": cls.name,
            "family": cls.family,
            "scale": str(cls.requires),
            "source": cls.cite,
            "direction": None,
            "parameters": ", ".join(f"{p.name}={p.default!r}" for p in parameters(cls)),
            "definition": definition(cls),
        }
        for cls in asked
    ]
    return Table.from_rows(rows, tuple(rows[0]), caption="tests")


def methods_explained(*names: str) -> Study:
    """The methods in full: what they assume, when to use them, their parameters."""
    asked = [cls for name in names for cls in declared(name)] if names else by_family()
    details = [
        {
            "name": cls.name,
            "aliases": ", ".join(cls.aliases),
            "formula": cls.formula,
            "assumes": cls.assumes,
            "use": cls.use,
            "effect": getattr(cls, "effect", None),
        }
        for cls in asked
    ]
    settings = [
        {"test": cls.name, "name": p.name, "type": p.type, "default": repr(p.default), "limits": p.limits}
        for cls in asked
        for p in parameters(cls)
    ]
    tables = {
        "catalogue": methods(*names),
        "details": Table.from_rows(details, tuple(details[0]), caption="what they assume, and when to use them"),
    }
    if settings:
        tables["parameters"] = Table.from_rows(settings, tuple(settings[0]), caption="parameters")
    return Study("tests", tables)


def explain_method(name: str) -> str:
    """A method explained: what it is, what it assumes, which scale it needs, when to use it, where it comes from."""
    return "\n\n".join(map(_explained, declared(name)))


def _explained(cls: type[Method]) -> str:
    facts = {
        "kind": FAMILIES_IN_WORDS.get(cls.family, cls.family),
        "formula": cls.formula,
        "assumes": cls.assumes,
        "use it": cls.use,
        "needs": f"{cls.requires} numbers",
        "effect": getattr(cls, "effect", ""),
        "source": cls.cite,
        "parameters": "\n".join(settings_in_words(cls)),
    }
    return explain_declared(cls, facts)
