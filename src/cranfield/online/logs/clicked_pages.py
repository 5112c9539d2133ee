"""Training data of click models: distinct result pages with their clicks, and counts per rank."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import SEED, ParameterError, generator
from cranfield.online.clicks.probability_estimates import total

from .topic_documents import Pairs, number

ROW = "a row has an impression, a topic, a rank, a document, and whether it was clicked"


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """How often a document was shown at a rank, and clicked: one cell for each pair, rank and last click above."""

    pairs: Pairs
    pair: NDArray[np.int64]  # (cell,)
    rank: NDArray[np.int64]  # (cell,): from 1
    previous: NDArray[np.int64]  # (cell,): the rank of the last click above; 0: none, or it was not asked
    shown: NDArray[np.float64]  # (cell,)
    clicked: NDArray[np.float64]  # (cell,)
    after_click: bool  # whether cells tell the last click above
    length: NDArray[np.int64] | None = None  # (cell,): how many documents its pages have; None: it was not asked

    def __post_init__(self) -> None:
        length = self.rank if self.length is None else self.length
        shapes = {column.shape for column in (self.pair, self.rank, self.previous, self.shown, self.clicked, length)}
        if len(shapes) > 1 or self.pair.ndim != 1:
            raise ParameterError(f"columns of cells differ: {sorted(shapes)}", hint="give every column a row per cell")
        if not len(self.pair):
            raise ParameterError("there are no cells", hint="a log has at least one impression")
        if self.pair.min() < 0 or self.pair.max() >= len(self.pairs):
            message = f"a cell is of pair {self.pair.min()} or {self.pair.max()}"
            raise ParameterError(message, hint=f"there are {len(self.pairs)} pairs, numbered from 0")
        if self.rank.min() < 1 or (self.previous < 0).any() or (self.previous >= self.rank).any():
            raise ParameterError("a rank is below 1, or no click is above it", hint="ranks start at 1")
        if not ((self.clicked >= 0) & (self.clicked <= self.shown) & (self.shown < np.inf)).all():
            raise ParameterError("a cell has more clicks than impressions", hint="count each impression once")
        if (length < self.rank).any():
            raise ParameterError("a cell is below the end of its pages", hint="the length of a page is its last rank")

    @classmethod
    def from_rows(
        cls,
        topic: Sequence[str],
        document: Sequence[str],
        rank: Sequence[int],
        shown: Sequence[float],
        clicked: Sequence[float],
        previous: Sequence[int] | None = None,
    ) -> "Cells":
        """Cells from columns of counts, as a database makes them; ``previous`` is the rank of the last click above."""
        pairs, pair = Pairs.of(topic, document)
        place = _whole(rank, "rank")
        last = np.zeros_like(place) if previous is None else _whole(previous, "previous")
        often, clicks = (np.asarray(column, dtype=np.float64) for column in (shown, clicked))
        return cls(pairs, pair, place, last, often, clicks, after_click=previous is not None)

    def __len__(self) -> int:
        return len(self.pair)

    @property
    def impressions(self) -> float:
        """How many pages were shown: every page has a first rank."""
        return float(self.shown[self.rank == 1].sum())

    @property
    def depth(self) -> int:
        """The last rank there is."""
        return int(self.rank.max())

    @property
    def shown_by_pair(self) -> NDArray[np.float64]:
        """(pair,): how often it was shown."""
        return total(self.pair, self.shown, len(self.pairs))

    def counted(self, shown: NDArray[np.float64], clicked: NDArray[np.float64]) -> "Cells":
        """The same cells with other counts (cell,); those without impressions are left out."""
        kept = shown > 0
        places = {name: getattr(self, name)[kept] for name in ("pair", "rank", "previous")}
        length = None if self.length is None else self.length[kept]
        return replace(self, **places, shown=shown[kept], clicked=clicked[kept], length=length)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Pages:
    """Result pages with the clicks on them, each page with each pattern of clicks once, and how often it was seen."""

    pairs: Pairs
    pair: NDArray[np.int64]  # (page, rank): −1 below the end of a page
    clicked: NDArray[np.bool_]  # (page, rank)
    count: NDArray[np.float64]  # (page,): impressions

    def __post_init__(self) -> None:
        if self.pair.ndim != 2 or self.pair.shape != self.clicked.shape or self.pair.shape[:1] != self.count.shape:
            message = f"pages {self.pair.shape}, clicks {self.clicked.shape} and counts {self.count.shape} do not fit"
            raise ParameterError(message, hint="give (page, rank), (page, rank) and (page,)")
        if not self.pair.size:
            raise ParameterError("there is no result page", hint=ROW)
        shown = self.pair >= 0
        if not shown[:, 0].all() or (shown[:, 1:] & ~shown[:, :-1]).any():
            raise ParameterError(
                "a result page has a gap", hint="fill ranks from 1 on; only below the end of a page: -1"
            )
        if self.pair.max() >= len(self.pairs) or (self.clicked & ~shown).any():
            message = "a click is below the end of its page, or a pair is not known"
            raise ParameterError(message, hint=f"there are {len(self.pairs)} pairs, numbered from 0")
        if not ((self.count > 0) & (self.count < np.inf)).all():
            raise ParameterError("a page was seen by nobody", hint="leave out pages without impressions")
        deep = shown.any(axis=0).sum()  # ranks that no page has are cut off
        for name, matrix in (("pair", self.pair), ("clicked", self.clicked)):
            object.__setattr__(self, name, matrix[:, :deep])

    def __len__(self) -> int:
        return len(self.count)

    def __repr__(self) -> str:
        return f"Pages({len(self)} distinct of {self.impressions:.0f} impressions)"

    @classmethod
    def from_rows(
        cls,
        impression: Sequence[Any],
        topic: Sequence[str],
        rank: Sequence[int],
        document: Sequence[str],
        clicked: Sequence[bool],
        count: Sequence[float] | None = None,
    ) -> "Pages":
        """The pages of a log with one row for each document shown; rows may come in any order.

        Where one impression stands for many that are alike, ``count`` says in each of its rows for how many.
        """
        often = np.ones(len(impression)) if count is None else np.asarray(count, dtype=np.float64)
        sizes = {*map(len, (impression, topic, rank, document, clicked)), len(often)}
        if len(sizes) > 1 or not len(impression):
            raise ParameterError(f"the columns of the log have {sorted(sizes)} rows", hint=ROW)
        names, page = number(impression)
        place, click = _whole(rank, "rank"), _whole(clicked, "clicked")
        if not np.isin(click, (0, 1)).all():
            raise ParameterError("clicked is neither 0 nor 1", hint="1: it was clicked, once or more; 0: it was not")
        size = np.bincount(page)
        wrong = (place < 1) | (place > size[page])
        order = np.lexsort((place, page))
        twice = np.flatnonzero((np.diff(page[order]) == 0) & (np.diff(place[order]) == 0))
        if wrong.any() or len(twice):
            row = order[twice[0]] if len(twice) else np.argmax(wrong)
            what = "twice" if len(twice) else f"but {size[page[row]]} documents"
            message = f"impression {names[page[row]]} has rank {place[row]} {what}"
            raise ParameterError(message, hint="give the ranks of a page from 1 on, each once")
        pairs, pair = Pairs.of(topic, document)
        shape = len(names), int(size.max())
        pages, clicks = np.full(shape, -1), np.zeros(shape, dtype=np.bool_)
        pages[page, place - 1], clicks[page, place - 1] = pair, click == 1
        other = pairs.topic[pair] != pairs.topic[pages[page, 0]]
        if other.any():
            message = f"impression {names[page[np.argmax(other)]]} has two topics"
            raise ParameterError(message, hint="a result page answers one topic")
        times = np.zeros(len(names))
        times[page] = often
        if (times[page] != often).any():
            raise ParameterError("an impression is counted in two ways", hint="give all its rows the same count")
        return cls(pairs, pages, clicks, times).distinct()

    @property
    def shown(self) -> NDArray[np.bool_]:
        """(page, rank): whether there is a document."""
        return self.pair >= 0

    @property
    def rank(self) -> NDArray[np.int64]:
        """(page, rank): from 1."""
        return np.broadcast_to(np.arange(1, self.depth + 1), self.pair.shape)

    @property
    def depth(self) -> int:
        """The last rank there is."""
        return self.pair.shape[1]

    @property
    def shown_by_pair(self) -> NDArray[np.float64]:
        """(pair,): how often it was shown."""
        return total(self.pair[self.shown], np.repeat(self.count, self.shown.sum(axis=1)), len(self.pairs))

    @property
    def impressions(self) -> float:
        """How many pages were shown."""
        return float(self.count.sum())

    @property
    def last(self) -> NDArray[np.int64]:
        """(page,): the rank of the last click; 0: none."""
        return (self.clicked * np.arange(1, self.depth + 1)).max(axis=1)

    def distinct(self) -> "Pages":
        """The same, with each page and pattern once."""
        first, row = distinct_rows(2 * self.pair + self.clicked)
        count = total(row, self.count, 0)
        return replace(self, pair=self.pair[first], clicked=self.clicked[first], count=count)

    def row_level(self) -> "Pages":
        """Every impression as a page of its own."""
        times = self.count.astype(np.int64)
        if (times != self.count).any():
            raise ParameterError("pages are counted in fractions", hint="give whole counts of impressions")
        pair, clicked = np.repeat(self.pair, times, axis=0), np.repeat(self.clicked, times, axis=0)
        return replace(self, pair=pair, clicked=clicked, count=np.ones(len(pair)))

    def kept(self, kept: NDArray[np.bool_]) -> "Pages":
        """Some of the pages (page,)."""
        return replace(self, pair=self.pair[kept], clicked=self.clicked[kept], count=self.count[kept])

    def counted(self, count: NDArray[np.float64]) -> "Pages":
        """The same pages with other counts (page,); those without impressions are left out."""
        kept = count > 0
        return replace(self, pair=self.pair[kept], clicked=self.clicked[kept], count=count[kept])

    def split(self, share: float, *, seed: int = SEED) -> tuple["Pages", "Pages"]:
        """Two parts, to learn from and to test on: each impression falls into the first with a chance of ``share``."""
        if not 0 < share < 1:
            raise ParameterError(f"a share of {share} leaves one part empty", hint="give a share between 0 and 1")
        drawn = generator(seed, "split").binomial(self.count.astype(np.int64), share).astype(np.float64)
        return self.counted(drawn), self.counted(self.count - drawn)

    def grouped(self, group: NDArray[np.int64], names: Sequence[str]) -> "Pages":
        """The same pages with groups (pair,) instead of documents, whatever the topic: grades, for example."""
        if group.shape != (len(self.pairs),) or group.min() < 0 or group.max() >= len(names):
            message = f"groups {group.shape} do not fit {len(self.pairs)} pairs and {len(names)} names"
            raise ParameterError(message, hint="give every pair the number of its group, from 0")
        pair = np.where(self.shown, group[self.pair], -1)
        return replace(self, pairs=Pairs.groups(names), pair=pair).distinct()

    def by_rank(self) -> "Pages":
        """Return the same pages with ranks instead of documents, whatever the topic."""
        names = [str(rank) for rank in range(1, self.depth + 1)]
        pair = np.where(self.shown, np.arange(self.depth), -1)
        return replace(self, pairs=Pairs.groups(names), pair=pair).distinct()

    def cells(self, *, after_click: bool = False) -> Cells:
        """Counts for each pair and rank, and where asked for each last click above."""
        rank = np.arange(1, self.depth + 1)
        previous = np.zeros_like(self.pair)
        if after_click:
            previous[:, 1:] = np.maximum.accumulate(self.clicked * rank, axis=1)[:, :-1]
        key = ((self.pair * self.depth + rank - 1) * self.depth + previous)[self.shown]
        cell, row = np.unique(key, return_inverse=True)
        shown = np.broadcast_to(self.count[:, np.newaxis], self.pair.shape)[self.shown]
        pair, place = np.divmod(cell, self.depth**2)
        above, before = np.divmod(place, self.depth)
        clicked = total(row, shown * self.clicked[self.shown], 0)
        return Cells(self.pairs, pair, above + 1, before, total(row, shown, 0), clicked, after_click)


def distinct_rows(table: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where each distinct row of a table is first, and which of them each row is; far faster than sorting rows."""
    row = np.zeros(len(table), dtype=np.int64)
    first = row[:1]
    for column in table.T:
        low = int(column.min())
        key = row * (int(column.max()) - low + 1) + (column - low)
        _, first, row = np.unique(key, return_index=True, return_inverse=True)
    return first, row


def _whole(column: Sequence[Any], name: str) -> NDArray[np.int64]:
    """A column of whole numbers."""
    try:
        number = np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"{name} is not a number in every row", hint=ROW) from None
    if not (np.isfinite(number) & (number == np.floor(number))).all():
        raise ParameterError(f"{name} is not a whole number in every row", hint=ROW)
    return number.astype(np.int64)
