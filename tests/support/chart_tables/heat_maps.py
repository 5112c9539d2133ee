"""Tables for the heat maps of topics and runs."""

import numpy as np

import cranfield as cf


def per_topic(runs: int, topics: int, measure: str = "AP", seed: int = 1) -> cf.Table:
    """Values that grow with the number of the run and of the topic."""
    noise = np.random.default_rng(seed).uniform(0, 0.1, (runs, topics))
    values = 0.45 * (np.arange(runs)[:, None] / runs + np.arange(topics) / topics) + noise
    return cf.Table(
        {
            "run": [f"run{r}" for r in range(runs) for _ in range(topics)],
            "topic": [f"t{t}" for _ in range(runs) for t in range(topics)],
            "measure": [measure] * runs * topics,
            "value": values.reshape(-1),
        },
        "values per topic",
    )


def moved(before: list[int], after: list[int]) -> cf.Table:
    """A board by ranks before and after."""
    old, new = np.array(before), np.array(after)
    return cf.Table(
        {
            "run": [f"system-{i + 1}" for i in range(len(before))],
            "group": ["g"] * len(before),
            "before": 1 - old / 200,
            "after": 1 - new / 200,
            "difference": (old - new) / 200,
            "rank_before": old,
            "rank_after": new,
            "move": old - new,
        },
        "AP before and after",
    )


TABLES = {"topics-runs": per_topic(6, 10), "moved": moved([1, 2, 3, 4], [1, 3, 2, 4])}

SAID = {
    "topics-runs": {"run0", "run5", "t0", "t9", "0.0", "1.0"},
    "moved": {"rank", "system-2", "2 → 3 · −.005", "climbs", "falls", "2 of 4 runs change rank; system-1 stays first"},
}
