"""Format an error and its hint as sentences for a page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cranfield.core import CranfieldError

NAMED = re.compile(r"\S+\.\w+:")  # the name of a file, which is spelt as it is


def sentences(error: CranfieldError) -> str:
    """What is wrong, and what to do next, as sentences of a page."""
    told = [part for part in (error.problem, error.hint) if part]
    said = [part if NAMED.match(part) else part[0].upper() + part[1:] for part in told]
    return " ".join(part if part[-1] in ".?!…" else f"{part}." for part in said)
