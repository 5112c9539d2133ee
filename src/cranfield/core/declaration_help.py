"""Help text for a declaration in the terminal: its name, definition, facts and parameters."""

import inspect
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from .catalogue import parameters

WIDE = 88
LABEL = 11  # letters of the longest label


def explain_declared(cls: Any, facts: Mapping[str, str]) -> str:
    """What is declared: its name, its docstring, and the facts about it that are not empty, each with its label."""
    lines = [f"{cls.name}" + (f" (also {', '.join(cls.aliases)})" if cls.aliases else ""), ""]
    for paragraph in inspect.cleandoc(cls.__doc__ or "").replace("``", "").split("\n\n"):
        lines += [*textwrap.wrap(" ".join(paragraph.split()), WIDE), ""]
    for label, text in facts.items():
        pieces = [piece for line in text.splitlines() for piece in textwrap.wrap(line, WIDE - LABEL - 1) or [""]]
        lines += [f"{(label if place == 0 else ''):<{LABEL}} {piece}" for place, piece in enumerate(pieces)]
    return "\n".join(lines)


def settings_in_words(cls: type) -> Sequence[str]:
    """A line for each parameter: its name, its default, what it may be."""
    settings = parameters(cls)
    width = max((len(p.name) for p in settings), default=0)
    return [f"{p.name.ljust(width)}  {p.default!r:<8}  {p.type}{', ' * bool(p.limits)}{p.limits}" for p in settings]
