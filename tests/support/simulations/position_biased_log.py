"""A click log simulated from a known position-based model."""

from __future__ import annotations

import random
from typing import Any

EXAMINED = (1.0, 0.7, 0.5, 0.3, 0.2)  # by rank
ATTRACTS = {"a": 0.8, "b": 0.5, "c": 0.45, "d": 0.2, "e": 0.1}
GRADES = {"a": 2, "b": 1, "c": 1, "d": 0, "e": 0}
TOPICS = ("301", "302")
NAMES = ("impression", "user", "time", "topic", "rank", "document", "clicked", "click_time")
START = 1_714_557_600
QRELS = {topic: {f"{topic}-{letter}": grade for letter, grade in GRADES.items()} for topic in TOPICS}


def columns(pages: int, *, seed: int = 1) -> dict[str, list[Any]]:
    """The columns of a log: documents in random order, clicks from the top down, one after another."""
    draw = random.Random(seed)
    rows = []
    for page in range(pages):
        topic, at = draw.choice(TOPICS), START + 600 * page
        letters = draw.sample(sorted(ATTRACTS), len(ATTRACTS))
        for rank, letter in enumerate(letters, 1):
            clicked = draw.random() < EXAMINED[rank - 1] * ATTRACTS[letter]
            then = at + 10 * rank if clicked else None
            rows.append((f"i{page}", f"u{page % 40}", at, topic, rank, f"{topic}-{letter}", int(clicked), then))
    return dict(zip(NAMES, map(list, zip(*rows, strict=True)), strict=True))


def as_csv(log: dict[str, list[Any]]) -> str:
    """The same as a file."""
    lines = (",".join("" if cell is None else str(cell) for cell in row) for row in zip(*log.values(), strict=True))
    return "\n".join([",".join(log), *lines, ""])
