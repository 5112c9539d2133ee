"""Bradley–Terry model: strengths of documents from pairwise preferences."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError, Provenance, Table
from cranfield.data import Answers, Votes
from cranfield.stats import LEVEL, check_level

from .base import Merged

CELLS = 2_000_000  # (component, document, document) at once
EQUAL = 1e-9  # strengths this close are one
STEPS = 100  # of Newton, of which ten are many
HALVINGS = 40  # of a step that leads down
STILL = 1e-13  # a rise by less than this share is what floats lose
NAMED = 5  # topics that a note names

Tied: TypeAlias = Literal["half", "ignore"]
Numbers: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Strengths:
    """How strong documents are: of two in one component, the chance that i is preferred to j is σ(s_i − s_j)."""

    votes: Votes
    strength: Numbers  # (document,): its mean over a component is 0; NaN where no vote counts
    error: Numbers  # (document,): standard error
    low: Numbers
    high: Numbers
    wins: Numbers  # (document,): votes, or what they weigh
    losses: Numbers
    ties: Numbers
    component: NDArray[np.int64]  # (document,): those that votes link, directly or through others, have one number
    rank: NDArray[np.int64]  # (document,): 1 is the strongest of its topic, equal ones share it; 0 where no vote counts
    prior: float
    level: float

    def __repr__(self) -> str:
        return f"Strengths({len(self.strength)} documents of {len(self.votes.topics)} topics)"


def bradley_terry(
    votes: Votes,
    *,
    ties: Tied = "half",
    prior: float = 0.1,
    weight: Numbers | None = None,
    level: float = LEVEL,
) -> Strengths:
    """Strengths that make the votes likeliest, topic by topic: bradley1952.

    A vote for neither document is ``half`` a win for each, or is left out (``ignore``). Every document also wins and
    loses ``prior`` times against an opponent of strength 0, so that one that always won stays finite, and the best is
    one (hunter2004 has the conditions without it). ``weight`` is (worker,): how much a vote of each counts.
    Intervals are ± z standard errors, from the information that votes and prior hold, at 1 − ``level``.
    """
    check_level(level)
    if ties not in ("half", "ignore"):
        raise ParameterError(f"ties cannot be {ties!r}", hint="choose half, or ignore")
    if not 0 < prior < np.inf:
        raise ParameterError(f"the prior {prior!r} is not above 0", hint="give wins and losses of every document: 0.1")
    games = _Games(votes, ties, _weights(votes, weight))
    strength, error = np.full((2, len(votes.documents)), np.nan)
    for block in games.blocks():
        strength[block.document], error[block.document] = block.fit(prior)
    from scipy.special import ndtri

    reach = float(ndtri(1 - level / 2)) * error
    wins, losses, tied = games.counts
    return Strengths(
        votes,
        strength,
        error,
        strength - reach,
        strength + reach,
        wins,
        losses,
        tied,
        games.component,
        _ranks(votes.document_topic, strength),
        prior,
        level,
    )


def merged_votes(votes: Votes, merged: Merged) -> Votes:
    """One vote for each pair: what the workers say together; for neither where it is undecided."""
    if merged.share.shape != (len(votes.topic), 3):
        shape = " × ".join(map(str, merged.share.shape))
        raise ParameterError(f"{len(votes.topic)} pairs, but {shape} merged shares", hint="merge the votes' answers")
    choice = np.where(merged.tied, 1, merged.choice)
    pairs = len(choice)
    answers = Answers(np.arange(pairs), np.zeros(pairs, dtype=np.int64), choice, pairs, 1, 3)
    return replace(votes, workers=("merged",), machine=np.array([bool(votes.machine.all())]), answers=answers)


def _weights(votes: Votes, weight: Numbers | None) -> Numbers:
    if weight is None:
        return np.ones(len(votes.workers))
    if weight.shape != (len(votes.workers),):
        raise ParameterError(
            f"{len(votes.workers)} workers, but {weight.size} weights", hint="give one for each worker"
        )
    if not (np.isfinite(weight) & (weight >= 0)).all():
        raise ParameterError("a weight is below 0 or no number", hint="0 leaves a worker out")
    return weight


class _Games:
    """Who won how often against whom, and who is linked to whom."""

    def __init__(self, votes: Votes, ties: Tied, weight: Numbers) -> None:
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        answers, pairs, size = votes.answers, len(votes.topic), len(votes.documents)
        cell = answers.item * 3 + answers.choice
        first, neither, second = np.bincount(cell, weight[answers.worker], pairs * 3).reshape(-1, 3).T
        share = 0.5 * neither if ties == "half" else 0.0 * neither
        played = np.flatnonzero(first + second + share > 0)
        self.first, self.second = votes.first[played], votes.second[played]
        self.wins = (first + share)[played]  # (pair,): of the first
        self.losses = (second + share)[played]
        sides = ((first, second), (second, first), (neither, neither))
        self.counts: tuple[Any, ...] = tuple(  # (document,) each: wins, losses, ties
            np.bincount(votes.first, mine, size) + np.bincount(votes.second, other, size) for mine, other in sides
        )
        links = csr_array((np.ones(len(played)), (self.first, self.second)), shape=(size, size))
        self.component: NDArray[np.int64] = connected_components(links, directed=False)[1].astype(np.int64)

    def blocks(self) -> Iterator["_Block"]:
        """Components of several documents, the small ones first, so many at once as have room."""
        size = np.bincount(self.component)
        order = np.argsort(size, kind="stable")
        order = order[size[order] > 1]
        start = 0
        while start < len(order):
            room = size[order[start:]] ** 2 * np.arange(1, len(order) - start + 1)
            end = start + max(int((room <= CELLS).sum()), 1)
            yield self._block(order[start:end], size)
            start = end

    def _block(self, chosen: NDArray[np.int64], size: NDArray[np.int64]) -> "_Block":
        row = np.full(len(size), -1)
        row[chosen] = np.arange(len(chosen))
        document = np.flatnonzero(row[self.component] >= 0)
        document = document[np.argsort(row[self.component[document]], kind="stable")]
        begin = np.cumsum(size[chosen]) - size[chosen]
        place = np.full(len(self.component), -1)
        place[document] = np.arange(len(document)) - np.repeat(begin, size[chosen])
        at = np.flatnonzero(row[self.component[self.first]] >= 0)
        first, second = self.first[at], self.second[at]
        wins = np.zeros((len(chosen), size[chosen].max(), size[chosen].max()))
        which = row[self.component[first]]
        np.add.at(wins, (which, place[first], place[second]), self.wins[at])
        np.add.at(wins, (which, place[second], place[first]), self.losses[at])
        return _Block(document, row[self.component[document]], place[document], wins)


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """Some components as rectangles: places beyond the size of a component hold documents that never played."""

    document: NDArray[np.int64]  # (real,): place among the documents
    row: NDArray[np.int64]  # (real,): which component
    place: NDArray[np.int64]  # (real,): place in its component
    wins: Numbers  # (component, document, document): of the former over the latter

    def fit(self, prior: float) -> tuple[Numbers, Numbers]:
        """(real,): strengths, and their standard errors."""
        return self.centre(*self.solve(prior))

    def solve(self, prior: float) -> tuple[Numbers, Numbers]:
        """(component, document): strengths, by steps of Newton; (component, document, document): their covariance."""
        at = np.zeros(self.wins.shape[:2])
        value = self.value(at, prior)
        for _ in range(STEPS):
            slope, information = self.look(at, prior)
            step: Any = np.linalg.solve(information, slope[..., np.newaxis])[..., 0]
            at += self.shorten(at, step, prior)
            before, value = value, self.value(at, prior)
            if (value - before <= STILL * np.abs(value)).all():
                break
        covariance: Any = np.linalg.inv(self.look(at, prior)[1])
        return at, covariance

    def value(self, at: Numbers, prior: float) -> Numbers:
        """(component,): log-likelihood of the votes and of the prior's."""
        lost = np.logaddexp(0.0, at[:, np.newaxis] - at[:, :, np.newaxis])  # −log σ(s_i − s_j)
        opponent = np.logaddexp(0.0, at) + np.logaddexp(0.0, -at)
        return -(self.wins * lost).sum(axis=(1, 2)) - prior * opponent.sum(axis=1)

    def look(self, at: Numbers, prior: float) -> tuple[Numbers, Numbers]:
        """(component, document): the slope of the value; (component, document, document): the information."""
        from scipy.special import expit

        games = self.wins + self.wins.transpose(0, 2, 1)
        chance, alone = expit(at[:, :, np.newaxis] - at[:, np.newaxis]), expit(at)
        slope = (self.wins - games * chance).sum(axis=2) + prior * (1 - 2 * alone)
        information = -games * chance * (1 - chance)
        every = np.arange(at.shape[1])
        information[:, every, every] += 2 * prior * alone * (1 - alone) - information.sum(axis=2)
        return slope, information

    def shorten(self, at: Numbers, step: Numbers, prior: float) -> Numbers:
        """The step, halved in components where it would lead down."""
        least = self.value(at, prior)
        least -= STILL * np.abs(least)
        for _ in range(HALVINGS):
            worse = self.value(at + step, prior) < least
            if not worse.any():
                break
            step = np.where(worse[:, np.newaxis], step / 2, step)
        return step

    def centre(self, at: Numbers, covariance: Numbers) -> tuple[Numbers, Numbers]:
        """(real,): strengths and standard errors as distances from the mean of the component."""
        real = np.zeros_like(at)
        real[self.row, self.place] = 1.0
        share = real / real.sum(axis=1, keepdims=True)
        with_mean = np.einsum("cij,cj->ci", covariance, share)
        of_mean = np.einsum("ci,ci->c", with_mean, share)
        variance = np.einsum("cii->ci", covariance) - 2 * with_mean + of_mean[:, np.newaxis]
        strength = at - (at * share).sum(axis=1, keepdims=True)
        return strength[self.row, self.place], np.sqrt(np.maximum(variance[self.row, self.place], 0.0))


def _ranks(topic: NDArray[np.int64], strength: Numbers) -> NDArray[np.int64]:
    """(document,): 1 + how many of the topic are stronger; 0 without a strength."""
    order = np.lexsort((-strength, topic))  # what is no number comes last
    topics, sorted_strength = topic[order], strength[order]
    place = np.arange(len(order))
    new_topic = np.r_[True, topics[1:] != topics[:-1]]
    new_rank = new_topic | np.r_[True, ~(np.abs(np.diff(sorted_strength)) <= EQUAL)]
    within = np.maximum.accumulate(np.where(new_rank, place, 0)) - np.maximum.accumulate(np.where(new_topic, place, 0))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.where(np.isnan(sorted_strength), 0, within + 1)
    return rank


def strengths_table(strengths: Strengths, made_by: Provenance | None = None) -> Table:
    """One row for each document, topic by topic, the strongest first."""
    votes = strengths.votes
    unranked = strengths.rank == 0
    order = np.lexsort((np.where(unranked, len(strengths.rank) + 1, strengths.rank), votes.document_topic))
    names, topics = votes.documents.to_list(), np.array(votes.topics, dtype=object)
    columns: dict[str, Any] = {
        "topic": topics[votes.document_topic[order]],
        "document": [names[place] for place in order.tolist()],
        "strength": strengths.strength[order],
        "low": strengths.low[order],
        "high": strengths.high[order],
        "wins": _whole(strengths.wins[order]),
        "losses": _whole(strengths.losses[order]),
        "ties": _whole(strengths.ties[order]),
        "rank": [rank or None for rank in strengths.rank[order].tolist()],
    }
    caption = f"how strong documents are in votes between two, {1 - strengths.level:.0%} intervals (Bradley–Terry)"
    return Table(columns, caption, made_by, _notes(strengths), ends={"strength": ("low", "high")})


def _whole(numbers: Numbers) -> Numbers | NDArray[np.int64]:
    """Whole numbers as such."""
    return numbers.astype(np.int64) if (numbers == np.round(numbers)).all() else numbers


def _notes(strengths: Strengths) -> tuple[str, ...]:
    said = f"and {strengths.prior:g} wins and losses of each against an opponent of strength 0"
    notes = [f"strength: logarithm of odds, its mean over documents that are compared is 0; from the votes, {said}"]
    topic = strengths.votes.document_topic
    linked = np.unique(np.stack([topic, strengths.component]), axis=1)[0]
    parted = np.flatnonzero(np.bincount(linked, minlength=len(strengths.votes.topics)) > 1).tolist()
    if parted:
        names = ", ".join(strengths.votes.topics[place] for place in parted[:NAMED])
        more = f" and {len(parted) - NAMED:,} more" if len(parted) > NAMED else ""
        notes.append(
            f"topic{'s' * (len(parted) > 1)} {names}{more}: no votes link some documents to the others, each set has a "
            "mean of its own, and ranks across sets say nothing"
        )
    return tuple(notes)
