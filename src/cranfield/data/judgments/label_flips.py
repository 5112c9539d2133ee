"""Simulated label errors: judgments with a random proportion of their labels flipped."""

from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield.core import SEED, ParameterError, generator
from cranfield.data.assessed.assessed_runs import Assessed
from cranfield.data.topics.topic_order import natural_order

Labels: TypeAlias = NDArray[np.float64]  # (named,): grades; -inf where nobody judged
How: TypeAlias = Literal["binary", "graded"]
Side: TypeAlias = Literal["both", "relevant", "not relevant"]
HOWS: tuple[How, ...] = ("binary", "graded")
SIDES: tuple[Side, ...] = ("both", "relevant", "not relevant")


def flip_labels(
    grade: Labels,
    share: float,
    random: np.random.Generator,
    *,
    named: NDArray[np.int64],
    rel: float = 1,
    how: How = "binary",
    side: Side = "both",
) -> Labels:
    """The same grades, a share of the labels of each topic flipped; unjudged documents and grades below 0 stay.

    ``binary`` makes what is relevant 0, and anything else ``rel``; ``graded`` gives a label one of the other grades
    that occur in the judgments, each as likely. Which labels is drawn without replacement, share · n of the n labels
    of a topic: where that is no whole number it is rounded up as often as its fraction says, so that topics with few
    labels have their share of errors too. Another share with the same random numbers flips the same labels first.

    Most labels say not relevant, so most of the flipped ones do, and become false alarms: where 95 documents are not
    relevant and 5 are, a tenth makes 9.5 of the ones relevant on average, and hides half of one of the others. Real
    assessors rather disagree on what is relevant: with ``side`` the share is of the labels on one side alone.

    ``named`` is where the labels of each topic start, as in :class:`Assessed`.
    """
    _check(share, rel, how, side)
    chosen = {"both": grade >= 0, "relevant": grade >= rel, "not relevant": (grade >= 0) & (grade < rel)}
    place = np.flatnonzero(chosen[side])
    flipped = _drawn(place, share, random, named)
    new = grade.copy()
    if how == "binary":
        new[flipped] = np.where(grade[flipped] >= rel, 0.0, rel)
        return new
    known = np.unique(np.concatenate([grade[grade >= 0], [0.0, rel]]))  # 0 and rel, though nobody may have said them
    now = np.searchsorted(known, grade)
    # One draw for every named document, so that a label's new grade does not depend on how many others are flipped.
    other = random.integers(0, len(known) - 1, len(grade))
    new[flipped] = known[other + (other >= now)][flipped]
    return new


def _check(share: float, rel: float, how: str, side: str) -> None:
    if rel <= 0:
        raise ParameterError(f"labels cannot be flipped at grade {rel:g}", hint="a flipped label is 0: rel is above it")
    if not 0 <= share <= 1:
        raise ParameterError(
            f"the share of wrong labels cannot be {share:g}", hint="give a share from 0 to 1, such as .05"
        )
    for what, word, known in (("how", how, HOWS), ("side", side, SIDES)):
        if word not in known:
            raise ParameterError(f"{what} cannot be {word!r}", hint=f"choose one of: {', '.join(known)}")


def _drawn(
    place: NDArray[np.int64], share: float, random: np.random.Generator, named: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Those of some labels that are flipped, their share in each topic."""
    topics = len(named) - 1
    topic = np.searchsorted(named, place, side="right") - 1
    size = np.bincount(topic, minlength=topics)
    # ⌈share · n − u⌉ is share · n on average; nine decimals, because .1 · 30 is more than 3 in floats.
    count = np.ceil(np.round(share * size, 9) - random.random(topics))
    order = np.argsort(topic + random.random(len(place)))  # topic by topic, in random order
    turn = np.arange(len(place)) - np.repeat(np.cumsum(size) - size, size)
    return place[order[turn < count[topic[order]]]]


def flipped_grades(
    assessed: Assessed,
    shares: Sequence[float],
    draws: int,
    *,
    seed: int = SEED,
    rel: float = 1,
    how: How = "binary",
    side: Side = "both",
) -> Iterator[tuple[float, int, Labels]]:
    """(share, draw, grades): flipped labels of the same rankings, for ``assessed.with_grades``.

    All shares of a draw have the same random numbers: what is wrong at 5 % is wrong at 10 % too.
    """
    if draws < 1:
        raise ParameterError(f"there cannot be {draws} draws", hint="draw once or more")
    for share in shares:
        _check(share, rel, how, side)
    order, named = _by_name(assessed)
    for share in shares:
        for draw in range(draws):
            random = generator(seed, "flips", draw)
            grade = np.empty_like(assessed.grade)
            grade[order] = flip_labels(assessed.grade[order], share, random, named=named, rel=rel, how=how, side=side)
            yield share, draw, grade


def _by_name(assessed: Assessed) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return topics and documents sorted by name, so that the order of lines changes no draw.

    The first array has the positions of the named documents, the second says where those of each topic start.
    """
    documents = assessed.documents.take(np.arange(len(assessed.grade))).to_list()
    topics = natural_order(assessed.topics)
    start, end = assessed.named[:-1].tolist(), assessed.named[1:].tolist()
    order = [i for topic in topics for i in sorted(range(start[topic], end[topic]), key=documents.__getitem__)]
    sizes = np.diff(assessed.named)[topics]
    return np.array(order, dtype=np.int64), np.concatenate(([0], sizes.cumsum()))
