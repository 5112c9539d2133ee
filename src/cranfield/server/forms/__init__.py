"""Forms: what people may write, and what is said of a wrong entry."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cranfield.core import CranfieldError


def sentences(error: CranfieldError) -> str:
    """What is wrong, and what to do next, as sentences of a page."""
    said = [part[0].upper() + part[1:] for part in (error.problem, error.hint) if part]
    return " ".join(part if part[-1] in ".?!…" else f"{part}." for part in said)
