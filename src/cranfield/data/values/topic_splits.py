"""Splits of topics into two sets, random or read from a file."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cranfield.core import SEED, ParameterError, generator
from cranfield.data.files.data_source import Source, digest
from cranfield.data.files.input_problems import problem
from cranfield.data.files.json_parsing import parse_json
from cranfield.data.topics.topic_order import natural_order

Half: TypeAlias = NDArray[np.int32]  # (topic,): positions of topics from 0, ascending

SPLITS = 100  # craswell2021msmarco §4.3
BLOCK = 64  # drawn from one stream: the first splits are the same however many there are
SHAPE = "a list of pairs of lists of topic positions, from 0: [[[0, 2], [1, 3]], …]"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Splits:
    """Pairs of halves: sets of topics without a common topic, as positions among so many ``topics``.

    The two need not be of one size, nor hold every topic.
    """

    topics: int
    halves: tuple[tuple[Half, Half], ...]
    source: Source | None = None  # None: drawn

    def __len__(self) -> int:
        return len(self.halves)

    def __repr__(self) -> str:
        return f"Splits({len(self)} of {self.topics} topics)"

    def sorted_by(self, names: Sequence[str]) -> "Splits":
        """Return the same splits of the topics in natural order; so far position ``i`` is that of ``names[i]``."""
        return self._moved(np.argsort(natural_order(names)))

    def _moved(self, positions: ArrayLike) -> "Splits":
        to = np.asarray(positions)
        return replace(self, halves=tuple(_both(to[first], to[second]) for first, second in self.halves))

    def members(self) -> NDArray[np.bool_]:
        """(half, topic): which topics are in it; the first half of every split, then the second of every split."""
        inside = np.zeros((2 * len(self), self.topics), dtype=bool)
        for split, pair in enumerate(self.halves):
            for side, half in enumerate(pair):
                inside[side * len(self) + split, half] = True
        return inside


def draw_splits(topics: int | Sequence[str], splits: int = SPLITS, *, seed: int = SEED) -> Splits:
    """Draw splits of all topics into two halves at random; an odd topic goes to the first half.

    ``topics`` is their number or their names. With names the same topics meet whatever the order of the names.
    """
    if not isinstance(topics, int):
        return draw_splits(len(topics), splits, seed=seed)._moved(natural_order(topics))
    if topics < 2:
        raise ParameterError(f"{topics} topic{'s' * (topics != 1)} cannot be split in two", hint="give two or more")
    if splits < 1:
        raise ParameterError(f"there cannot be {splits} splits", hint="give 1 or more; 100 are usual")
    size = (topics + 1) // 2
    halves: list[tuple[Half, Half]] = []
    for block in range(-(-splits // BLOCK)):
        shuffled = np.tile(np.arange(topics), (BLOCK, 1))
        drawn = generator(seed, "splits", block).permuted(shuffled, axis=1)[: splits - block * BLOCK]
        halves += [_both(row[:size], row[size:]) for row in drawn]
    return Splits(topics, tuple(halves))


def split_topics(topics: Sequence[str], share: float, *, seed: int = SEED) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Topics that everybody may see, and a ``share`` that is kept private, drawn at random; each in the order given.

    The draw depends on the names and the seed alone, and a larger share holds the topics of a smaller one.
    """
    if not 0 < share < 1:
        raise ParameterError(
            f"a share of {share:g} cannot be kept private", hint="give one between 0 and 1, such as 0.5"
        )
    if len(topics) < 2:
        raise ParameterError(f"{len(topics)} topic{'s' * (len(topics) != 1)} cannot be split", hint="give two or more")
    size = min(max(round(share * len(topics)), 1), len(topics) - 1)
    names = sorted(topics)
    drawn = {names[i] for i in generator(seed, "private topics").permutation(len(names))[:size]}
    return tuple(topic for topic in topics if topic not in drawn), tuple(topic for topic in topics if topic in drawn)


def _both(first: ArrayLike, second: ArrayLike) -> tuple[Half, Half]:
    return np.sort(np.asarray(first, dtype=np.int32)), np.sort(np.asarray(second, dtype=np.int32))


def read_splits(path: str | PathLike[str], topics: int) -> Splits:
    """Splits of so many topics from a JSON file: a list of pairs of lists of topic positions, from 0."""
    name = fspath(path)
    found = _json(Path(path), name)
    if not isinstance(found, list) or not found:
        what = "there is no split" if found == [] else "JSON of this shape holds no splits"
        raise problem(name, "E-SPLIT", what, f"expected {SHAPE}")
    halves = []
    for number, pair in enumerate(found, start=1):
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(half, list) for half in pair):
            raise problem(name, "E-SPLIT", f"split {number} is not a pair of lists", f"expected {SHAPE}")
        _check(pair, f"split {number}", topics, name)
        halves.append(_both(*pair))
    columns = [half for pair in halves for half in pair]
    return Splits(topics, tuple(halves), Source(name, digest(*columns), "splits"))


def _json(path: Path, name: str) -> Any:
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        raise problem(name, "E-MISSING", "there is no such file", "check the name of the file") from None
    except OSError as error:
        raise problem(name, "E-READ", f"reading failed: {error.strerror}", "name a file of splits") from None
    return parse_json(text, name, f"expected {SHAPE}")


def _check(pair: Sequence[Sequence[Any]], where: str, topics: int, name: str) -> None:
    """Refuse halves that are empty, share a topic, or hold what is no position of a topic."""
    seen: dict[int, str] = {}
    for half, which in zip(pair, ("first", "second"), strict=True):
        if not half:
            raise problem(name, "E-SPLIT", f"the {which} half of {where} is empty", "give every half a topic or more")
        for topic in half:
            if type(topic) is not int or not 0 <= topic < topics:  # True and 1.0 are none
                message = f"{json.dumps(topic)[:40]} in the {which} half of {where} is no topic position"
                hint = f"positions are whole numbers from 0 to {topics - 1}: there are {topics} topics"
                raise problem(name, "E-SPLIT", message, hint)
            if topic in seen:
                halves = "both halves" if seen[topic] != which else f"the {which} half"
                twice = "" if seen[topic] != which else " twice"
                message = f"topic position {topic} is in {halves} of {where}{twice}"
                raise problem(name, "E-SPLIT", message, "put every topic into one half, once")
            seen[topic] = which


def write_splits(splits: Splits, path: str | PathLike[str]) -> None:
    """Write splits as JSON, one on each line, as :func:`read_splits` reads them."""
    lines = ",\n".join(json.dumps([half.tolist() for half in pair]) for pair in splits.halves)
    Path(path).write_text(f"[{lines}]\n", encoding="utf-8")
