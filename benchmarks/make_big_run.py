"""Write a run and its qrels of the size that people complain about: 6,980 topics × 1,000 documents, 255 MB."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

Numbers = NDArray[np.int64]

RELEVANT_PER_TOPIC = 7437 / 6980  # as in the small development set of MS MARCO passages
FOUND = 0.85  # of the relevant documents, somewhere in the run
DOCUMENTS = 18_999_989  # prime: stepping through it by any stride repeats no document
FIRST_DOCUMENT = 1_000_000
TOPICS_AT_ONCE = 500


def write(path: Path, *, topics: int = 6980, depth: int = 1000, seed: int = 1) -> tuple[Path, Path]:
    """Write the run to ``path`` and the qrels beside it, as ``.qrels``; the same seed gives the same bytes.

    Scores fall strictly, so that peers that break ties differently still agree.
    """
    rng = np.random.default_rng(seed)
    names = rng.choice(np.arange(1, 1_200_000), size=topics, replace=False)
    start = rng.integers(DOCUMENTS, size=topics)
    stride = rng.integers(1, DOCUMENTS, size=topics)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        for first in range(0, topics, TOPICS_AT_ONCE):
            block = slice(first, first + TOPICS_AT_ONCE)
            millionths = _falling_scores(rng, names[block].size, depth)
            lines = {
                "topic": np.repeat(names[block], depth),
                "iteration": "Q0",
                "document": _documents(start[block, None], stride[block, None], np.arange(depth)).ravel(),
                "rank": np.tile(np.arange(1, depth + 1), names[block].size),
                "score": millionths.ravel() / 1e6,
                "tag": "big",
            }
            pl.DataFrame(lines).write_csv(
                file, include_header=False, separator=" ", float_precision=6, quote_style="never"
            )
    topic, position = _relevant(rng, topics, depth)
    qrels = path.with_suffix(".qrels")
    judged = {"topic": names[topic], "iteration": 0, "document": _documents(start[topic], stride[topic], position)}
    pl.DataFrame(judged | {"grade": 1}).write_csv(qrels, include_header=False, separator=" ", quote_style="never")
    return path, qrels


def _documents(start: Numbers, stride: Numbers, position: Numbers) -> Numbers:
    return FIRST_DOCUMENT + (start + stride * position) % DOCUMENTS


def _falling_scores(rng: np.random.Generator, topics: int, depth: int) -> Numbers:
    steps = 1 + rng.exponential(10_000_000 / depth, size=(topics, depth)).astype(np.int64)
    return rng.integers(30_000_000, 60_000_000, size=(topics, 1)) - steps.cumsum(axis=1)


def _relevant(rng: np.random.Generator, topics: int, depth: int) -> tuple[Numbers, Numbers]:
    """Topic and position of each relevant document; one per topic and a few more, some beyond the depth."""
    extra = rng.choice(topics, size=round(topics * RELEVANT_PER_TOPIC) - topics)
    topic = np.sort(np.concatenate([np.arange(topics), extra]))
    # Spread evenly over the logarithm: most are near the top, as systems hope.
    position = (depth ** rng.random(topic.size)).astype(np.int64) - 1
    position = np.where(rng.random(topic.size) < FOUND, position, position + depth)
    # A document drawn twice for its topic moves out of the run, where it stays unique.
    _, first = np.unique(topic * 2 * depth + position, return_index=True)
    again = np.setdiff1d(np.arange(topic.size), first)
    position[again] = 2 * depth + again
    return topic, position


def main() -> None:
    """Write the files that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path, help="the run; the qrels get the suffix .qrels")
    parser.add_argument("--topics", type=int, default=6980)
    parser.add_argument("--depth", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    write(chosen.path, topics=chosen.topics, depth=chosen.depth, seed=chosen.seed)


if __name__ == "__main__":
    main()
