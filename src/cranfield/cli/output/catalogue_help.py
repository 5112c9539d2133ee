"""Catalogues of methods formatted for the help text of a command."""

import textwrap
from collections.abc import Callable
from typing import TypeVar

from cranfield.core import Catalogue, parameters

T = TypeVar("T")

WIDE = 76  # columns of help


def list_methods(catalogue: Catalogue[T], words: Callable[[type[T]], str]) -> str:
    """Each method with its settings, and below it in words."""
    lines = []
    for name in catalogue.names():
        method: type = catalogue[name]
        settings = ", ".join(f"{setting.name}={setting.default!r}" for setting in parameters(method))
        written = f"{name}({settings})" if settings else name
        lines += textwrap.wrap(written, WIDE, initial_indent="  ", subsequent_indent=" " * 4)
        lines += textwrap.wrap(words(method), WIDE, initial_indent=" " * 6, subsequent_indent=" " * 6)
    return "\n".join(lines)
