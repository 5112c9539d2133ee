"""How golden values are written: keys sorted, every digit, so that making them again gives the same bytes."""

import json
from pathlib import Path

FOLDER = Path(__file__).parents[1]


def written(values: object) -> str:
    """The text of a golden file."""
    return json.dumps(values, indent=0, sort_keys=True, ensure_ascii=False) + "\n"


def save(name: str, values: object) -> None:
    """Write a golden file."""
    (FOLDER / f"{name}.json").write_text(written(values), encoding="utf-8")
