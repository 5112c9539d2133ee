"""The amount of work that a test run does, chosen by CRANFIELD_SIZE."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Size:
    """How much work the tests do: ``small`` after every change, ``full`` for a soak."""

    name: str
    examples: int
    """Examples of one Hypothesis property."""
    draws: int
    """Draws of one simulation or calibration."""


SIZES = {
    size.name: size
    for size in (Size(name="small", examples=30, draws=400), Size(name="full", examples=500, draws=20_000))
}

SIZE = SIZES[os.environ.get("CRANFIELD_SIZE", "small")]
