"""Sections of pages that are made from the code: one for each thing that is declared."""

import inspect
import sys
from typing import Any

import cranfield as cf
from cranfield import stats
from cranfield.core import parameters

EVERYWHERE = (*parameters(cf.Measure), *parameters(stats.PairTest))  # the pages say them once


def section(cls: type[Any], label: str, facts: dict[str, str]) -> str:
    """What is declared: its docstring, the facts about it, its parameters."""
    text = inspect.cleandoc(cls.__doc__ or "")
    table = ["| | |", "|---|---|", *(f"| {key} | {cell(fact)} |" for key, fact in facts.items() if fact)]
    own = [p for p in parameters(cls) if p not in EVERYWHERE]
    settings = ["| parameter | type | default | |", "|---|---|---|---|"]
    settings += [f"| `{p.name}` | `{cell(p.type)}` | `{cell(repr(p.default))}` | {p.limits} |" for p in own]
    parts = [f"({label})=\n### {cls.name}", text, "\n".join(table), "\n".join(settings) * bool(own)]
    return "\n\n".join(filter(None, parts))


def cell(text: str) -> str:
    """Text that stands in one cell of a table."""
    return text.replace("|", "\\|")


def public_path(cls: Any) -> str:
    """Return the name under which a user imports a class, or nothing if its package does not export it."""
    package = ".".join(cls.__module__.split(".")[:2])
    return f"`{package}.{cls.__name__}`" * (getattr(sys.modules[package], cls.__name__, None) is cls)
