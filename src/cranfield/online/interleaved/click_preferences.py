"""Preferences between documents from clicks: skip-above votes and FairPairs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError, Provenance, Table

Numbers: TypeAlias = NDArray[np.int64]
WANTED = ("impression", "topic", "rank", "document", "clicked")
VOTES = ("topic", "a", "b", "worker", "vote")
DEEPEST = 1000  # rank of a log: every two ranks are looked at
COUNTS = ("topic", "a", "b", "wins_a", "wins_b", "share", "p")


@dataclass(frozen=True, slots=True)
class FairPairs:
    """A list whose neighbours are paired, each pair in either order by a coin: radlinski2006."""

    documents: tuple[str, ...]
    pair: tuple[int | None, ...]  # (document,): the number of its pair, from 1; None: it has none

    def rows(self, impression: str, **more: Any) -> list[dict[str, Any]]:
        """The list as rows for a log: impression, rank, document, pair, and ``more`` in every row."""
        return [
            {"impression": impression, "rank": rank, "document": document, "pair": pair} | more
            for rank, (document, pair) in enumerate(zip(self.documents, self.pair, strict=True), start=1)
        ]


def fair_pairs(documents: Sequence[str], rng: np.random.Generator) -> FairPairs:
    """A list to show, so that skips within a pair say nothing of ranks: each order was as likely.

    A coin says whether pairs begin at rank 1 or 2, then one for each pair whether it is turned round.
    """
    if len(set(documents)) != len(documents) or not documents:
        raise ParameterError("a list is empty, or holds a document twice", hint="give each document once")
    shown: list[str] = list(documents)
    pair: list[int | None] = [None] * len(shown)
    for number, upper in enumerate(range(int(rng.random() < 0.5), len(shown) - 1, 2), start=1):
        pair[upper] = pair[upper + 1] = number
        if rng.random() < 0.5:
            shown[upper], shown[upper + 1] = shown[upper + 1], shown[upper]
    return FairPairs(tuple(shown), tuple(pair))


def skip_above(log: Mapping[str, Any], *, made_by: Provenance | None = None) -> Table:
    """Votes between documents, as ``read_votes`` reads them: what is clicked beats what is skipped above it.

    The log has columns impression, topic, rank, document, clicked, and user if known: she is the worker of the vote,
    else the impression is. Where it has a column ``pair`` (of ``fair_pairs``), only documents of one pair are compared:
    elsewhere what stands lower is favoured, because only a click below a skip speaks. Pairs are written with the
    document first that sorts first.
    """
    page = _Pages.of(log)
    topics, above, below, workers = ([np.empty(0, dtype=np.int64)] for _ in range(4))
    for upper, lower in combinations(range(page.document.shape[1]), 2):
        speaks = page.clicked[:, lower] & ~page.clicked[:, upper] & (page.document[:, upper] >= 0)
        speaks &= (page.pair[:, upper] == page.pair[:, lower]) & (page.document[:, upper] != page.document[:, lower])
        topics.append(page.topic[speaks])
        above.append(page.document[speaks, upper])
        below.append(page.document[speaks, lower])
        workers.append(page.worker[speaks])
    topic, skipped, clicked, worker = (np.concatenate(parts) for parts in (topics, above, below, workers))
    first, second = np.minimum(skipped, clicked), np.maximum(skipped, clicked)
    order = np.lexsort((worker, second, first, topic))
    columns = (page.topics[topic], page.documents[first], page.documents[second], page.workers[worker])
    data: dict[str, Any] = {name: tuple(column[order].tolist()) for name, column in zip(VOTES, columns, strict=False)}
    data["vote"] = tuple(np.where(clicked == first, "a", "b")[order].tolist())
    return Table(data, "Clicked documents over skipped ones", made_by)


def preferences_table(votes: Table, *, made_by: Provenance | None = None) -> Table:
    """How often each document of a pair was preferred, with the exact sign test of the two."""
    from .tables import sign_p

    counts: dict[tuple[Any, ...], list[int]] = {}
    for topic, a, b, vote in zip(*(votes.cells(name) for name in ("topic", "a", "b", "vote")), strict=True):
        counts.setdefault((topic, a, b), [0, 0])[vote == "b"] += 1
    rows = [
        dict(zip(COUNTS, (*pair, one, other, one / (one + other), sign_p(one, other)), strict=True))
        for pair, (one, other) in counts.items()
    ]
    return Table.from_rows(rows, COUNTS, caption="How often documents are preferred", made_by=made_by)


@dataclass(frozen=True, slots=True, eq=False)
class _Pages:
    """A log as rectangles: (impression, rank); −1 where there is no document."""

    topics: NDArray[Any]
    documents: NDArray[Any]
    workers: NDArray[Any]
    topic: Numbers  # (impression,)
    worker: Numbers
    document: Numbers  # (impression, rank)
    clicked: NDArray[np.bool_]
    pair: NDArray[np.float64]  # NaN: compared with none

    @classmethod
    def of(cls, log: Mapping[str, Any]) -> "_Pages":
        """Those of the columns of a log, whatever the order of its rows."""
        missing = [name for name in WANTED if name not in log]
        if missing:
            raise ParameterError(f"there is no column {missing[0]!r}", hint=f"a log has {', '.join(WANTED)}")
        if len({len(log[name]) for name in (*WANTED, *({"user", "pair"} & set(log)))}) > 1:
            raise ParameterError("columns differ in length", hint="give one row for each document shown")
        place = _places(np.asarray(log["rank"]))
        impressions, row = _coded(log["impression"])
        shape = (len(impressions), int(place.max(initial=-1)) + 1)
        if len(np.unique(row * DEEPEST + place)) < len(row):
            raise ParameterError("an impression has two documents at one rank", hint="give every rank once")
        topics, topic = _coded(log["topic"])
        documents, document = _coded(log["document"])
        workers, worker = _coded(log.get("user", log["impression"]))
        start = np.unique(row, return_index=True)[1]
        if (topic != topic[start][row]).any():
            raise ParameterError("an impression has two topics", hint="give every impression a name of its own")
        shown, clicked = np.full(shape, -1), np.zeros(shape, dtype=np.bool_)
        pair = np.zeros(shape)
        shown[row, place] = document
        clicked[row, place] = np.asarray(log["clicked"]).astype(np.bool_)
        if "pair" in log:
            pair[row, place] = np.asarray(log["pair"], dtype=float)
        return cls(topics, documents, workers, topic[start], worker[start], shown, clicked, pair)


def _coded(column: Any) -> tuple[NDArray[Any], Numbers]:
    """The different values of a column, and (row,): which of them stands there."""
    values, which = np.unique(np.asarray(column), return_inverse=True)
    return values, which.ravel()


def _places(rank: NDArray[Any]) -> Numbers:
    """Ranks counted from 0."""
    found = rank.astype(np.int64)
    if (found != rank).any() or (found < 1).any() or (found > DEEPEST).any():
        raise ParameterError(f"a rank is no whole number from 1 to {DEEPEST}", hint="count ranks from 1")
    return found - 1
