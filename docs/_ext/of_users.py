"""The page of all that live users are asked by."""

from typing import Any

from sections import cell, public_path, section

from cranfield.core import definition
from cranfield.online import (
    FRAMEWORKS,
    ONLINE_CATALOGUES,
    ONLINE_FAMILIES,
    ONLINE_MEASURES,
    Framework,
    Pages,
    online_catalogue,
    online_facts,
)


def live_users() -> str:
    """Tables of all that live users are asked by, family by family, then each in full."""
    known = {(row["family"], row["name"]): row for row in online_catalogue().rows()}
    told = ["## All of them"]
    for family, catalogue in ONLINE_CATALOGUES.items():
        measured = family == "online measure"
        rows = [f"| {family} | what it is | {'unit' if measured else 'needs'} |", "|---|---|---|"]
        rows += [
            f"| [{cls.name}](#{online_label(family, cls)}) | {cell(definition(cls))} "
            f"| {known[family, cls.name]['unit' if measured else 'needs'] or ''} |"
            for cls in catalogue
        ]
        told.append("\n".join(rows))
    for family, catalogue in ONLINE_CATALOGUES.items():
        heading, _, options = ONLINE_FAMILIES[family].partition(": ")
        told += [f"## {heading.capitalize()}", f"`{options}`", *(one_online(family, cls) for cls in catalogue)]
        if family == "online measure":
            told += ["## Ready-made sets", "`cranfield clicks --set`", *map(one_set, FRAMEWORKS.values())]
    return "\n\n".join(told)


def online_label(family: str, cls: Any) -> str:
    """Where a declaration is told: pbm is a click model and an estimator."""
    return f"{family}-{cls.name.lower()}".replace(" ", "-").replace("_", "-")


def one_online(family: str, cls: Any) -> str:
    """A section about something that live users are asked by."""
    facts = online_facts(family, cls)
    if "formula" in facts:
        facts["formula"] = f"`{facts['formula']}`"
    facts |= {
        "learns": learnt(cls) if family == "click model" else "",
        "write": ", ".join(f"`{name}`" for name in (cls.name, *cls.aliases)),
        "in Python": public_path(cls),
        "source": f"{{cite:p}}`{cls.cite.replace(' ', '')}`",
    }
    return section(cls, online_label(family, cls), facts)


TWO_PAGES = Pages.from_rows("aabb", "tttt", [1, 2, 1, 2], "xyyx", [True, False, True, True])


def learnt(cls: Any) -> str:
    """The chances that a click model learns, and what each of them is of."""
    return "; ".join(f"{name} {of_what(found.keys)}" for name, found in cls().fit(TWO_PAGES).estimates.items())


def of_what(keys: Any) -> str:
    """What there is a chance for: documents, ranks, or the keys as they are called."""
    if not isinstance(keys, tuple):
        return "of each document of a topic"
    if keys == ("any",):
        return "(one for all)"
    if " after " in keys[0]:
        return "of each rank, by the last click above"
    return "of each rank" if keys[0] == "1" else f"(after a {', a '.join(keys)})"


def one_set(framework: Framework) -> str:
    """A section about a ready-made set of measures."""
    rows = ["| | measures |", "|---|---|"]
    rows += [
        f"| {letter} | {', '.join(map(of_set, names)) or 'no log of pages says'} |"
        for letter, names in framework.letters
    ]
    return f"### {framework.name}\n\n{{cite:p}}`{framework.cite}`\n\n" + "\n".join(rows)


def of_set(name: str) -> str:
    """A measure of a set, with a link if it is in the catalogue."""
    if name not in ONLINE_MEASURES:
        return f"{name} (learnt from labelled sessions: `cranfield.online.SatisfactionModel`)"
    return f"[{name}](#{online_label('online measure', ONLINE_MEASURES[name])})"
