"""Users of an experiment with heavy-tailed numbers of pages, and bots; and the check that should find the bots."""

from typing import Any

import numpy as np
import polars as pl

from cranfield.core import Study


def activity(kind: str, n: int, seed: int) -> Any:
    random = np.random.default_rng(seed)
    if kind == "lognormal":
        return np.ceil(random.lognormal(1.0, 1.5, n))
    return np.ceil(random.pareto(1.5, n) + 1) if kind == "pareto" else random.poisson(5, n) + 1.0


def users(kind: str = "lognormal", n: int = 600, seed: int = 0, bots: int = 0, bot_pages: int = 3000) -> pl.DataFrame:
    """Users in two arms, and bots without clicks in arm b."""
    random = np.random.default_rng([seed, 1])
    pages = activity(kind, n, seed)
    clicks = random.binomial(pages.astype(int), random.beta(2, 4, n))
    names = [f"u{i}" for i in range(n)] + [f"bot{i}" for i in range(bots)]
    return pl.DataFrame(
        {
            "user": names,
            "arm": ["a", "b"] * (n // 2) + ["b"] * bots,
            "pages": [*pages, *[float(bot_pages)] * bots],
            "clicks": [*clicks, *[0] * bots],
        }
    )


def concentration(study: Study) -> dict[str, Any]:
    (row,) = (row for row in study["checks"].rows() if row["check"] == "concentration of users")
    return dict(row)
