"""Simulated click logs, and click models with known parameters."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from cranfield.online import ClickModel, Fitted, Pages, Pairs


def written(*lines: str) -> Pages:
    """Pages of one topic from lines such as ``3 a B c``: seen three times, B clicked, the others not."""
    rows: list[tuple[object, ...]] = []
    for line in lines:
        times, *documents = line.split()
        for _ in range(int(times)):
            impression = len(rows)
            rows += [(impression, "t", rank, name.lower(), name.isupper()) for rank, name in enumerate(documents, 1)]
    columns: list[Sequence[object]] = list(zip(*rows, strict=True))
    return Pages.from_rows(*columns)  # type: ignore[arg-type]


def shown(*, topics: int = 2, documents: int = 6, depth: int = 4, each: int = 1000, seed: int = 0) -> Pages:
    """Pages in random order without clicks; every document of a topic is on ``each`` pages or so."""
    stream = np.random.default_rng(seed)
    pairs = Pairs(
        tuple(f"t{topic}" for topic in range(topics)),
        tuple(f"d{document}" for document in range(documents)),
        *np.divmod(np.arange(topics * documents), documents),
    )
    count = topics * documents * each // depth
    topic = np.arange(count) % topics
    order = np.argsort(stream.random((count, documents)), axis=1)[:, :depth]
    pair = order + (topic * documents)[:, np.newaxis]
    return Pages(pairs, pair, np.zeros(pair.shape, dtype=np.bool_), np.ones(count))


def drawn(*, depth: int = 4, count: int = 60, documents: int = 6, seed: int = 0) -> Pages:
    """Pages of various lengths with clicks that follow no model."""
    stream = np.random.default_rng(seed)
    pairs = Pairs(("t",), tuple("abcdefghij"[:documents]), np.zeros(documents, dtype=np.int64), np.arange(documents))
    pair = np.argsort(stream.random((count, documents)), axis=1)[:, :depth]
    pair[np.arange(depth) >= stream.integers(1, depth + 1, count)[:, np.newaxis]] = -1
    clicked = (stream.random(pair.shape) < 0.35) & (pair >= 0)
    return Pages(pairs, pair, clicked, np.ones(count)).distinct()


def known(model: ClickModel, pages: Pages, *, seed: int = 0, **chances: Sequence[float]) -> Fitted:
    """A model with chances between .2 and .8 that are made up, or given."""
    stream = np.random.default_rng(seed)
    found = model.fit(pages)
    made = {}
    for name, estimate in found.estimates.items():
        value = chances.get(name, stream.uniform(0.2, 0.8, len(estimate)).tolist())
        made[name] = replace(estimate, value=np.array(value, dtype=np.float64))
    return replace(found, estimates=made)
