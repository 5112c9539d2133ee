"""Answers simulated from workers of known ability."""

from dataclasses import dataclass
from random import Random

import numpy as np
from numpy.typing import NDArray

from cranfield.data import Answers


@dataclass(frozen=True)
class Drawn:
    """Answers, and what they were drawn from."""

    answers: Answers
    truth: list[int]  # of each item
    knows: list[float]  # of each worker: how often

    @property
    def rows(self) -> list[tuple[int, int, int]]:
        """(item, worker, choice) of each answer."""
        columns = (self.answers.item.tolist(), self.answers.worker.tolist(), self.answers.choice.tolist())
        return list(zip(*columns, strict=True))


def answers_of(rows: list[tuple[int, int, int]], items: int, workers: int, choices: int) -> Answers:
    item, worker, choice = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    return Answers(item, worker, choice, items, workers, choices)


def drawn(seed: int, *, items: int = 40, workers: int = 9, choices: int = 3, each: int = 4) -> Drawn:
    """Workers know the answer, each with a chance of their own, or say what they like best.

    The last item has no answers, the last worker gives none, and the first worker answers for one item twice.
    """
    random = Random(seed)
    truth = [random.randrange(choices) for _ in range(items)]
    knows = [random.random() for _ in range(workers)]
    favourite = [random.randrange(choices) for _ in range(workers)]
    rows = []
    for item in range(items - 1):
        for worker in random.sample(range(workers - 1), each):
            habit = favourite[worker] if random.random() < 0.5 else random.randrange(choices)
            rows.append((item, worker, truth[item] if random.random() < knows[worker] else habit))
    rows += [(0, 0, 0), (0, 0, choices - 1)]
    return Drawn(answers_of(rows, items, workers, choices), truth, knows)


def some_gold(given: Drawn, every: int = 5) -> NDArray[np.int64]:
    """The truth of every fifth item."""
    return np.array([right if item % every == 0 else -1 for item, right in enumerate(given.truth)])
