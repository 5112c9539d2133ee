"""Golden files, and our values beside them."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from cranfield.data import Values, assess
from cranfield.measures import measure_all

from .inputs import Input

FOLDER = Path(__file__).parent


def golden(name: str) -> Any:
    """The values of a golden file."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def values_of(given: Input, measures: Iterable[str], *, compat: str | None = None) -> Values:
    """What we say of an input."""
    return measure_all(assess(given.qrels, {"run": given.run}, compat=compat), list(measures))


def by_topic(values: Values, measure: object, run: int = 0) -> dict[str, float]:
    """The values of one measure and one run."""
    return dict(zip(values.topics, values.cube[run, :, values.index(measure)].tolist(), strict=True))
