"""A simulated search log of users in the arms of an experiment."""

from typing import Any

import numpy as np

DAYS = 10


def log_of(n: int = 60, *, seed: int = 3, arms: str = "ab", start: float = 1_700_000_000.0) -> list[dict[str, Any]]:
    """Pages of users, who like some documents and come on some days; each user has one arm."""
    random = np.random.default_rng(seed)
    made = []
    for who in range(n):
        liking = 0.2 + 0.5 * np.random.default_rng(who).random()  # a habit, the same at any time
        for page in range(random.integers(1, 5)):
            at = start + 86_400.0 * float(random.integers(DAYS)) + page
            for rank in (1, 2, 3):
                row = {"impression": f"{who}-{page}", "user": f"u{who}", "arm": arms[who % len(arms)], "time": at}
                row |= {"topic": "q", "rank": rank, "document": f"d{rank}", "clicked": bool(random.random() < liking)}
                made.append(row)
    return made
