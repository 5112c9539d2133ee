"""Catalogue and explanations of online measures, click models, interleavings and estimators."""

from typing import Any

from cranfield.core import Catalogue, Study, Table, UnknownName, definition, parameters
from cranfield.core.declaration_help import explain_declared, settings_in_words
from cranfield.online.behaviour.evaluation_criterion import FRAMEWORKS
from cranfield.online.behaviour.online_measures import ONLINE_MEASURES, OnlineMeasure
from cranfield.online.clicks.base import CLICK_MODELS
from cranfield.online.counterfactuals.row_estimators import ESTIMATORS
from cranfield.online.counterfactuals.slate_estimators import IN_WORDS, SLATE_ESTIMATORS
from cranfield.online.experiments.arm_assignment import ASSIGNMENTS
from cranfield.online.interleaved.base import INTERLEAVINGS

ONLINE_CATALOGUES: dict[str, Catalogue[Any]] = {
    "online measure": ONLINE_MEASURES,
    "click model": CLICK_MODELS,
    "interleaving": INTERLEAVINGS,
    "estimator": ESTIMATORS,
    "slate estimator": SLATE_ESTIMATORS,
    "assignment": ASSIGNMENTS,
}
ONLINE_FAMILIES = {
    "online measure": "what users do: cranfield clicks -m, ab -m, bridge --outcome",
    "click model": "how users come to click: cranfield clicks --model",
    "interleaving": "several runs on one page: cranfield interleave --method",
    "estimator": "what another policy would have earned: cranfield counterfactual --estimator",
    "slate estimator": "the same for pages of several documents: cranfield counterfactual --estimator",
    "assignment": "who is in which arm: cranfield ab --how",
}
COUNTS = {  # of a log, by what click models need
    "cells": "how often each document was shown at each rank, and clicked",
    "browsed": "how often each document was shown at each rank, and clicked, by the last click above",
    "pages": "whole pages, with all that was clicked on each",
}


def online_catalogue(*names: str) -> Table:
    """One row for each declaration, or for those named: family, unit, direction, what it needs, source, definition."""
    rows = [
        {
            "name": cls.name,
            "family": family,
            "unit": _unit(cls) if family == "online measure" else None,
            "direction": str(cls.direction) if hasattr(cls, "direction") else None,
            "needs": _needs(family, cls) or None,
            "source": cls.cite,
            "parameters": ", ".join(f"{p.name}={p.default!r}" for p in parameters(cls)),
            "definition": definition(cls),
        }
        for family, cls in _asked(names)
    ]
    return Table.from_rows(rows, tuple(rows[0]), caption="what live users can be asked by")


def online_explained(*names: str) -> Study:
    """The catalogue in full, or some of it: parameters with their limits, and the ready-made sets of measures."""
    settings = [
        {"of": cls.name, "family": family, "name": p.name, "type": p.type, "default": repr(p.default)}
        | {"limits": p.limits}
        for family, cls in _asked(names)
        for p in parameters(cls)
    ]
    tables = {"catalogue": online_catalogue(*names)}
    if settings:
        tables["parameters"] = Table.from_rows(settings, tuple(settings[0]), caption="parameters")
    if not names:
        sets = [
            {"set": one.name, "letter": letter, "measures": ", ".join(measures), "source": one.cite}
            for one in FRAMEWORKS.values()
            for letter, measures in one.letters
        ]
        tables["sets"] = Table.from_rows(sets, tuple(sets[0]), caption="ready-made sets: cranfield clicks --set")
    return Study("online", tables)


def explain_online(name: str) -> str:
    """All that goes by a name, explained: pbm is a click model and an estimator."""
    return "\n\n\n".join(
        explain_declared(
            cls,
            {"kind": ONLINE_FAMILIES[family]}
            | online_facts(family, cls)
            | {"source": cls.cite, "parameters": "\n".join(settings_in_words(cls))},
        )
        for family, cls in _declared(name)
    )


def online_facts(family: str, cls: Any) -> dict[str, str]:
    """What follows from a declaration, in words."""
    facts = {
        "unit": f"{_unit(cls)}; intervals are over users" if family == "online measure" else "",
        "direction": f"{cls.direction} is better" if hasattr(cls, "direction") else "",
        "formula": getattr(cls, "formula", ""),
        "needs": _needs(family, cls),
        "tells apart": "what is looked at from what attracts" if getattr(cls, "examines", False) else "",
    }
    return {label: text for label, text in facts.items() if text}


def _unit(cls: type[OnlineMeasure]) -> str:
    """What has a value."""
    return getattr(cls(), "per", cls.unit)


def _needs(family: str, cls: Any) -> str:
    """What a declaration needs beside what every log has."""
    if family == "online measure":
        return ", ".join(cls().needs)
    if family == "click model":
        return COUNTS[cls.needs]
    if family == "interleaving":
        return "two lists or more" if cls.several else "two lists"
    model = "a model of rewards" * getattr(cls, "modelled", False)
    if family == "estimator":
        weights = "propensities, and the chances of the policy" * cls.weighs
        return "; ".join(filter(None, (weights, model)))
    if family == "slate estimator":
        return "; ".join(filter(None, (IN_WORDS[cls.of], model)))
    return "to be stored: nobody can work it out again" * cls.stored


def _asked(names: tuple[str, ...]) -> list[tuple[str, Any]]:
    if names:
        return [one for name in names for one in _declared(name)]
    return [(family, cls) for family, catalogue in ONLINE_CATALOGUES.items() for cls in catalogue]


def _declared(name: str) -> list[tuple[str, Any]]:
    """All that goes by a name."""
    if found := [(family, catalogue[name]) for family, catalogue in ONLINE_CATALOGUES.items() if name in catalogue]:
        return found
    from difflib import get_close_matches

    words = {word.casefold(): word for _, cls in _asked(()) for word in (cls.name, *cls.aliases)}
    near = [words[word] for word in get_close_matches(name.casefold(), words, n=3, cutoff=0.5)]
    hint = f"did you mean {' or '.join(near)}?" if near else "`cranfield measures --online` lists them"
    raise UnknownName(f"nothing of live users is named {name!r}", hint=hint)
