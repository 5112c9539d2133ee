"""The catalogue in words."""

import inspect
import textwrap

from cranfield.core import definition, parameters

from ._base import MEASURES, Measure

FAMILIES = ("binary", "graded", "user model", "count")


def catalogue(name: str | None = None) -> list[dict[str, str]]:
    """One row per measure (or only one): its name, family, scale, source, direction, parameters and definition."""
    return [_row(cls) for cls in ([MEASURES[name]] if name else by_family())]


def by_family() -> list[type[Measure]]:
    """The measures as people look for them: family by family, each by name."""
    known = (*FAMILIES, *(cls.family for cls in MEASURES))  # a measure from outside may bring its own
    return sorted(MEASURES, key=lambda cls: (known.index(cls.family), cls.name.casefold()))


def _example(cls: type[Measure]) -> Measure:
    """The measure as one would first use it."""
    return cls(k=10) if cls.name == "P" else cls()


def _row(cls: type[Measure]) -> dict[str, str]:
    settings = ", ".join(f"{p.name}={p.default!r}" for p in parameters(cls))
    return {
        "name": cls.name,
        "family": cls.family,
        "scale": str(_example(cls).scale.own),
        "source": cls.cite,
        "direction": str(cls.direction),
        "parameters": settings,
        "definition": definition(cls),
    }


def explain(name: str) -> str:
    """A measure explained: what it is, how it is written, its parameters, its scale, where it comes from."""
    cls = MEASURES[name]
    example = _example(cls)
    lines = [f"{cls.name}" + (f" (also {', '.join(cls.aliases)})" if cls.aliases else ""), ""]
    lines += textwrap.wrap(" ".join(inspect.cleandoc(cls.__doc__ or "").replace("``", "").split()), 88)
    lines += ["", "parameters"]
    lines += [f"  {p.name:<12} {p.type}, default {p.default!r}" for p in parameters(cls)]
    low, high = cls.range
    lines += [
        "",
        f"range        {low:g} to {high:g}, {cls.direction} is better",
        f"scale        {example.scale.own} ({example.scale.cite}); "
        f"against an order that puts the first rank above all others: {example.scale.top_heavy}",
        f"aggregate    {cls.aggregate} over topics",
        f"axioms       {', '.join(sorted(example.axioms)) or 'none'}",
        f"source       {cls.cite}",
        f"write        {example}, {example @ 20}" if example.k is None else f"write        {example}",
    ]
    return "\n".join(lines)
