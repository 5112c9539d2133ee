"""Orders of tied documents: enumerate all distinct ones, or sample them at random."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, combinations, pairwise
from math import comb

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError
from cranfield.core.seed import generator
from cranfield.core.types import Matrix, Rows
from cranfield.data import Assessed, Block, strata_of
from cranfield.measures.base import Measure
from cranfield.measures.classic.sampled_pools import Sampled
from cranfield.measures.user_models.time_based import Timed

from .tie_groups import by_row, rows_that_matter

LISTED = 100_000  # up to so many orders are gone through one by one
DRAWN = 10_000  # otherwise so many are drawn
AT_ONCE = 500  # orders are looked at together; drawn ones come from one stream of random numbers
ENTRIES = 1 << 20  # documents of all the orders that are looked at together
JUDGED = -0.5  # the kind of a document of which a measure sees no more than that it was judged
POOLED = -1.5  # and those of which it sees no more than that they are in the judgments

Ints = NDArray[np.int64]
Kinds = NDArray[np.float64]  # (named,): documents of one number are the same; NaN: like those that nobody named
Order = tuple[Ints, Ints]  # (order, place) twice: ranks from the top, and which document stands there


@dataclass(frozen=True, slots=True)
class Tied:
    """The documents of one score, of which some can be told from others."""

    first: int  # rank
    size: int  # ranks
    begin: int  # where its documents begin in the ranking
    documents: Ints  # (document,): which of the ranking, those of one kind side by side
    counts: tuple[int, ...]  # how many there are of each kind

    @property
    def orders(self) -> int:
        """How many orders can be told apart."""
        left, orders = self.size, 1
        for count in self.counts:
            orders *= comb(left, count)
            left -= count
        return orders


@dataclass(frozen=True, slots=True)
class Ranking:
    """One ranking with ties, and the orders it can be in."""

    words: tuple[str, str]  # run and topic: they name its random numbers
    row: int
    start: int  # of its entries
    rank: Ints  # (document,): as it stands
    ties: tuple[Tied, ...]
    count: int  # orders to be looked at
    drawn: bool  # whether those are some of many

    def orders(self, part: int, many: int, seed: int) -> Order:
        """So many of its orders; listed ones start again from the first where they end."""
        rank = np.tile(self.rank, (many, 1))
        entry = np.tile(self.start + np.arange(len(self.rank)), (many, 1))
        number = part * AT_ONCE + np.arange(many)
        rng = generator(seed, "ties", *self.words, part)
        for tied in self.ties:
            if self.drawn:
                place, document = _draw(rng, tied.size, len(tied.documents))
            else:
                every = arrangements(tied.size, tied.counts)
                place, document = (each[number % len(each)] for each in every)
                number = number // len(every[0])
            here = slice(tied.begin, tied.begin + len(tied.documents))
            rank[:, here] = tied.first + place[:many]
            entry[:, here] = self.start + tied.documents[document[:many]]
        return rank, entry


@lru_cache(maxsize=64)
def arrangements(places: int, counts: tuple[int, ...]) -> Order:
    """Every way to give places to documents of several kinds."""
    free, taken = np.arange(places)[None], np.empty((1, 0), np.int64)
    for n, count in enumerate(counts):
        left = free.shape[1]
        chosen = np.fromiter(chain.from_iterable(combinations(range(left), count)), np.int64).reshape(-1, count)
        taken = np.concatenate([np.repeat(taken, len(chosen), axis=0), free[:, chosen].reshape(-1, count)], axis=1)
        if n < len(counts) - 1:
            others = np.ones((len(chosen), left), np.bool_)
            np.put_along_axis(others, chosen, values=False, axis=1)
            free = free[:, np.nonzero(others)[1].reshape(len(chosen), -1)].reshape(len(taken), -1)
    document = np.argsort(taken, axis=1)
    return np.take_along_axis(taken, document, axis=1), document


def _draw(rng: "np.random.Generator", places: int, documents: int) -> Order:
    """Random ways to give places to documents, every one as likely."""
    place, order = np.tile(np.arange(places), (AT_ONCE, 1)), np.arange(AT_ONCE)
    for n in range(documents):  # one after the other takes any place that is left
        other = rng.integers(n, places, AT_ONCE)
        place[order, n], place[order, other] = place[order, other], place[order, n]
    document = np.argsort(place[:, :documents], axis=1)
    return np.take_along_axis(place, document, axis=1), document


def kinds(assessed: Assessed, measure: Measure) -> Kinds:
    """What tells documents apart for a measure."""
    grade, earns = assessed.grade, measure.earns(assessed.grade)
    if by_length(assessed, measure):
        _refuse_above(assessed, measure)
        return np.where(earns, np.arange(len(grade), dtype=np.float64), np.nan)
    if by_stratum(assessed, measure):
        grades, which = np.unique(grade, return_inverse=True)
        return np.where(earns, strata_of(assessed).of * len(grades) + which, np.nan)
    if by_table(assessed, measure):
        rows = np.column_stack([grade, assessed.table(measure.asks_for).value])
        which = np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)
        return np.where(earns, which.astype(np.float64), _unseen(assessed, measure))
    return np.where(earns, grade, _unseen(assessed, measure))


def _unseen(assessed: Assessed, measure: Measure) -> Kinds:
    """(named,): what is left to tell apart of documents that earn nothing."""
    grade = assessed.grade
    unseen = np.where((grade >= 0) & _counts_judged(assessed, measure), JUDGED, np.nan)
    return np.where((grade < 0) & measure.placed(grade), POOLED, unseen)


def by_length(assessed: Assessed, measure: Measure) -> bool:
    """Whether documents of one grade differ for a measure by how long they are."""
    return assessed.length is not None and isinstance(measure, Timed)


def by_stratum(assessed: Assessed, measure: Measure) -> bool:
    """Whether documents of one grade differ for a measure by where they were drawn from."""
    return assessed.stratum is not None and isinstance(measure, Sampled)


def by_table(assessed: Assessed, measure: Measure) -> bool:
    """Whether documents of one grade differ for a measure by what a side table says of them."""
    return measure.asks_for in assessed.tables


def _refuse_above(assessed: Assessed, measure: Measure) -> None:
    """Refuse a measure that asks how long everything above is: an order that the run is not in cannot tell."""
    try:
        measure.kernel(_first(replace(assessed, above=None), measure))
    except ParameterError:
        hint = "choose an order of ties, or leave the lengths out"
        raise ParameterError(f"{measure} adds up lengths of documents that ties may move", hint=hint) from None


def _counts_judged(assessed: Assessed, measure: Measure) -> bool:
    """Whether a measure looks at how many judged documents stand above those that it is shown."""
    block = _first(assessed, measure)
    measure.kernel(block)
    return "judged" in block.kept


def _first(assessed: Assessed, measure: Measure) -> Block:
    """What a measure sees of the first row."""
    return next(assessed.only(measure.earns(assessed.grade)).blocks(np.zeros(1, np.int64)))


def _ranking(assessed: Assessed, row: int, kind: Kinds) -> Ranking:
    here = slice(assessed.starts[row], assessed.starts[row + 1])
    first, of = assessed.tie_first[here], kind[assessed.document[here]]
    size = assessed.tie_last[here] - first + 1
    begins = [*np.flatnonzero(np.diff(first, prepend=0)).tolist(), len(first)]
    ties, orders = [], 1
    for begin, end in pairwise(begins):
        if size[begin] > 1:
            documents = begin + np.argsort(of[begin:end], kind="stable")
            ends = np.flatnonzero(of[documents][1:] != of[documents][:-1]) + 1
            counts = np.diff(ends, prepend=0, append=end - begin)
            tied = Tied(int(first[begin]), int(size[begin]), begin, documents, tuple(counts.tolist()))
            ties.append(tied)
            orders = min(orders * tied.orders, LISTED + 1)
    words = (assessed.runs[row // len(assessed.topics)], assessed.topics[row % len(assessed.topics)])
    drawn = orders > LISTED
    rank = assessed.rank[here].astype(np.int64)
    return Ranking(words, row, int(here.start), rank, tuple(ties), DRAWN if drawn else orders, drawn)


@dataclass(slots=True)
class Summary:
    """What the values are over the orders of each row, as far as they have been looked at."""

    plain: Matrix  # (row, measure): the values of the order at hand
    count: Rows  # (row,): how many orders; 1 where there is only one
    drawn: NDArray[np.bool_]  # (row,): whether they are some of many
    total: Matrix  # (row, measure): the sum of the differences to the order at hand
    squares: Matrix
    low: Matrix
    high: Matrix

    @classmethod
    def of(cls, plain: Matrix) -> "Summary":
        """Before anything else than the order at hand was looked at."""
        none = np.zeros(len(plain), np.bool_)
        return cls(plain, np.ones(len(plain)), none, plain * 0, plain * 0, plain.copy(), plain.copy())

    @property
    def mean(self) -> Matrix:
        """(row, measure): the mean over the orders."""
        return self.plain + self.total / self.count[:, None]

    @property
    def error(self) -> Matrix:
        """(row, measure): the standard error of a mean over drawn orders; 0 where every order was looked at."""
        n = np.maximum(self.count, 2)[:, None]
        spread = np.sqrt(np.maximum(self.squares - self.total**2 / n, 0) / (n - 1) / n)
        return np.where(self.drawn[:, None], spread, 0)

    def add(self, block: Block, row: Ints, measures: Sequence[Measure]) -> None:
        """Take orders into account: what they are of is in ``row``."""
        for i, measure in enumerate(measures):
            value = measure.kernel(block)
            apart = value - self.plain[row, i]
            self.total[:, i] += by_row(row, apart, len(self.total))
            self.squares[:, i] += by_row(row, apart**2, len(self.total))
            np.fmin.at(self.low[:, i], row, value)
            with np.errstate(invalid="ignore"):  # where some order has no value there is no bound above
                np.maximum.at(self.high[:, i], row, value)


def go_through(assessed: Assessed, measures: Sequence[Measure], kind: Kinds, plain: Matrix, *, seed: int) -> Summary:
    """The values of measures that tell documents apart by their kinds, over the orders of ties."""
    out = Summary.of(plain)
    told = assessed.only(~np.isnan(kind))
    rows = rows_that_matter(told, kind)
    topics, earns = len(assessed.topics), measures[0].earns(assessed.grade)
    for run in sorted(set((rows // topics).tolist())):
        rankings = [_ranking(told, row, kind) for row in rows[rows // topics == run].tolist()]
        for ranking in rankings:
            out.count[ranking.row], out.drawn[ranking.row] = ranking.count, ranking.drawn
        for orders, new in _orders(told, rankings, seed):
            for block in orders.only(earns).blocks(new):
                out.add(block, run * topics + block.topic, measures)
    return out


def _orders(assessed: Assessed, rankings: list[Ranking], seed: int) -> Iterator[tuple[Assessed, Ints]]:
    """The orders of rankings of one run, some at a time, and which rows of them count."""
    topics = len(assessed.topics)
    for batch in _batches(rankings):
        for part in range(-(-batch[-1].count // AT_ONCE)):
            left = {ranking.row % topics: ranking for ranking in batch if ranking.count > part * AT_ONCE}
            counts = np.zeros(topics, np.int64)
            for topic, ranking in left.items():
                counts[topic] = min(ranking.count - part * AT_ONCE, AT_ONCE)
            many = int(counts.max())
            every = [left[topic].orders(part, many, seed) for topic in sorted(left)]
            rank, entry = (np.concatenate(each, axis=1).reshape(-1) for each in zip(*every, strict=True))
            length = np.zeros(topics, np.int64)
            length[sorted(left)] = [each.shape[1] for each, _ in every]
            of = np.tile(batch[0].row // topics * topics + np.arange(topics), many)
            new = np.flatnonzero(np.arange(many)[:, None] < counts)
            yield assessed.reordered(of, np.tile(length, many), entry, rank), new


def _batches(rankings: list[Ranking]) -> Iterator[list[Ranking]]:
    """Rankings that are looked at together: of similar numbers of orders, the largest last."""
    batch: list[Ranking] = []
    documents = 0
    for ranking in sorted(rankings, key=lambda ranking: ranking.count):
        documents += len(ranking.rank)
        if batch and documents * min(ranking.count, AT_ONCE) > ENTRIES:
            yield batch
            batch, documents = [], len(ranking.rank)
        batch.append(ranking)
    if batch:
        yield batch
