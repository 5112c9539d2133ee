"""Expected user behaviour below the last click of a page, for click models with stopping.

Down to the last click everything was examined. Below it nobody knows: users were satisfied and left, gave up, or went
on and found nothing. So only what follows the last click has to be looked at in every round, each distinct tail of
pages once.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranfield.online.logs.clicked_pages import Pages, distinct_rows

from .probability_estimates import Numbers, total, weigh

BLOCK = 8_192  # tails that are looked at together: they fit the cache


@dataclass(frozen=True, slots=True, eq=False)
class Tails:
    """Tails of one length, all after a click or all of pages without one."""

    clicked: bool
    key: NDArray[np.int64]  # (tail,): whose satisfaction ends the search
    below: NDArray[np.int64]  # (rank, tail): pairs below the last click
    count: Numbers  # (tail,)

    def blocks(self) -> Iterator[slice]:
        """Parts of the tails."""
        return (slice(start, start + BLOCK) for start in range(0, len(self.count), BLOCK))


@dataclass(frozen=True, slots=True, eq=False)
class Browsed:
    """Pages as users saw them: counts down to the last click, and the tails below."""

    impressions: float
    shown: Numbers  # (pair,)
    clicked: Numbers  # (pair,)
    skipped: Numbers  # (pair,): above the last click
    passed: Numbers  # (key,): clicks after which there are others
    ended: Numbers  # (key,): last clicks
    tails: tuple[Tails, ...]

    @classmethod
    def of(cls, pages: Pages, *, by_rank: bool = False) -> "Browsed":
        """Satisfaction is a matter of documents, or with ``by_rank`` of the rank that was clicked."""
        rank, last = np.arange(1, pages.depth + 1), pages.last[:, np.newaxis]
        key = np.where(pages.shown, rank - 1, -1) if by_rank else pages.pair
        keys, pairs = pages.depth if by_rank else len(pages.pairs), len(pages.pairs)
        every = np.broadcast_to(pages.count[:, np.newaxis], pages.pair.shape)

        def count(index: NDArray[np.int64], which: NDArray[np.bool_], size: int) -> Numbers:
            return total(index[which], every[which], size)

        return cls(
            pages.impressions,
            count(pages.pair, pages.shown, pairs),
            count(pages.pair, pages.clicked, pairs),
            count(pages.pair, ~pages.clicked & (rank < last), pairs),
            count(key, pages.clicked & (rank < last), keys),
            count(key, pages.clicked & (rank == last), keys),
            tuple(_tails(pages, key)),
        )


def _tails(pages: Pages, key: NDArray[np.int64]) -> Iterator[Tails]:
    """Tails by length, and by whether a click is above."""
    last = pages.last
    length = pages.shown.sum(axis=1) - last
    kind = 2 * length + (last > 0)
    for one in np.unique(kind):
        size, clicked = divmod(int(one), 2)
        rows = np.flatnonzero(kind == one)
        start = last[rows]
        whose = key[rows, start - 1] if clicked else np.full(len(rows), -1)
        below = pages.pair[rows[:, np.newaxis], start[:, np.newaxis] + np.arange(size)]
        first, row = distinct_rows(np.column_stack([whose, below]))
        count = total(row, pages.count[rows], 0)
        yield Tails(bool(clicked), whose[first], np.ascontiguousarray(below[first].T), count)


@dataclass(frozen=True, slots=True, eq=False)
class Going:
    """The chances of a user who goes down a page."""

    attraction: Numbers  # (pair,)
    satisfaction: Numbers  # (key,)
    skip: float  # of going on after a document that was not clicked,
    click: float  # after a click that did not satisfy,
    content: float  # and after one that did

    @property
    def on(self) -> Numbers:
        """(key,): of going on after a click."""
        return self.satisfaction * self.content + (1 - self.satisfaction) * self.click


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """How many steps down were taken, and could have been."""

    num: float = 0.0
    den: float = 0.0

    def __add__(self, other: "Steps") -> "Steps":
        return Steps(self.num + other.num, self.den + other.den)


@dataclass(frozen=True, slots=True, eq=False)
class Guess:
    """What users did, as far as clicks tell."""

    log_likelihood: float
    steps: tuple[Steps, Steps, Steps]  # after a skip, after a click that did not satisfy, after one that did
    attracted: Numbers  # (pair,): documents that attract and were not seen
    satisfied: Numbers  # (key,): clicks that satisfied
    hidden_attracted: Numbers  # (pair,): sums of p (1 − p), 0 unless asked for
    hidden_satisfied: Numbers  # (key,)

    def __add__(self, other: "Guess") -> "Guess":
        skip, click, content = (mine + theirs for mine, theirs in zip(self.steps, other.steps, strict=True))
        return Guess(
            self.log_likelihood + other.log_likelihood,
            (skip, click, content),
            self.attracted + other.attracted,
            self.satisfied + other.satisfied,
            self.hidden_attracted + other.hidden_attracted,
            self.hidden_satisfied + other.hidden_satisfied,
        )


def guess(browsed: Browsed, going: Going, *, hidden: bool = False) -> Guess:
    """What users did on some pages; ``hidden`` asks also how far that may be off."""
    found = _guess_above(browsed, going)
    for tails in browsed.tails:
        found += _guess_below(tails, going, hidden=hidden)
    return found


def _guess_above(browsed: Browsed, going: Going) -> Guess:
    """Down to the last click everything was examined; only whether earlier clicks satisfied is not known."""
    on = going.on
    share = np.divide(going.satisfaction * going.content, on, out=np.zeros_like(on), where=on > 0)
    taken = float(browsed.skipped.sum()), weigh(browsed.passed, 1 - share), weigh(browsed.passed, share)
    skip, click, content = (Steps(steps, steps) for steps in taken)
    clicked = weigh(browsed.clicked, np.log(going.attraction)) + weigh(browsed.skipped, np.log1p(-going.attraction))
    went = browsed.passed > 0
    likelihood = clicked + weigh(browsed.passed[went], np.log(on[went])) + skip.num * np.log(going.skip)
    nothing = np.zeros_like(browsed.shown)
    off = browsed.passed * share * (1 - share)
    return Guess(float(likelihood), (skip, click, content), nothing, browsed.passed * share, nothing, off)


def _guess_below(tails: Tails, going: Going, *, hidden: bool) -> Guess:
    """Below the last click."""
    unseen, satisfied = np.empty(tails.below.shape), np.empty(len(tails.count))
    likelihood, steps = 0.0, [Steps(), Steps(), Steps()]
    for block in tails.blocks():
        part = _look(tails, block, going)
        unseen[:, block], satisfied[block] = 1 - part.seen, part.satisfied
        likelihood += part.log_likelihood
        steps = [one + other for one, other in zip(steps, part.steps(), strict=True)]
    weight = unseen * tails.count
    pair, pairs, keys = tails.below.ravel(), len(going.attraction), len(going.satisfaction)
    attracted = going.attraction * total(pair, weight.ravel(), pairs)
    glad = total(tails.key, tails.count * satisfied, keys) if tails.clicked else np.zeros(keys)
    off_attracted, off_satisfied = np.zeros(pairs), np.zeros(keys)
    if hidden:
        alpha = going.attraction[tails.below]
        off_attracted = total(pair, (weight * alpha * (1 - alpha * unseen)).ravel(), pairs)
    if hidden and tails.clicked:
        off_satisfied = total(tails.key, tails.count * satisfied * (1 - satisfied), keys)
    return Guess(likelihood, (steps[0], steps[1], steps[2]), attracted, glad, off_attracted, off_satisfied)


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """Some tails, and what was seen of them."""

    count: Numbers  # (tail,)
    log_likelihood: float
    seen: NDArray[np.float64]  # (rank, tail): the chance that a document was examined
    satisfied: Numbers  # (tail,): that the last click satisfied
    content: Numbers | None  # (tail,): that it did, and the user went on; None: there is no click

    def steps(self) -> tuple[Steps, Steps, Steps]:
        """After a skip, after a click that did not satisfy, and after one that did."""
        reached = (self.seen * self.count).sum(axis=1)
        skip = Steps(float(reached[1:].sum()), float(reached[:-1].sum()))
        if self.content is None or not len(reached):
            return skip, Steps(), Steps()
        content = Steps(weigh(self.count, self.content), weigh(self.count, self.satisfied))
        return skip, Steps(float(reached[0]) - content.num, float(self.count.sum()) - content.den), content


def _look(tails: Tails, block: slice, going: Going) -> Look:
    """Chances by going down, times chances that nothing is clicked from there on (chapelle2009dbn)."""
    key, count, skipped = tails.key[block], tails.count[block], 1 - going.attraction[tails.below[:, block]]
    quiet = _quiet(skipped, going.skip)
    enter = going.on[key] if tails.clicked else np.ones(len(count))
    whole = enter * quiet[0] + 1 - enter
    down = enter / whole
    seen = np.empty_like(skipped)
    for rank in range(len(skipped)):
        seen[rank] = down * quiet[rank]
        down = down * skipped[rank] * going.skip
    likelihood = weigh(count, np.log(whole))
    if not tails.clicked:
        return Look(count, likelihood, seen, np.zeros(len(count)), None)
    glad = going.satisfaction[key] / whole
    went = glad * going.content * quiet[0]
    return Look(count, likelihood, seen, went + glad * (1 - going.content), went)


def _quiet(skipped: NDArray[np.float64], skip: float) -> NDArray[np.float64]:
    """Return the probability (rank, tail) that a user who examines a rank clicks neither there nor below."""
    quiet = np.ones((len(skipped) + 1, skipped.shape[1]))
    for rank in range(len(skipped) - 1, -1, -1):
        quiet[rank] = skipped[rank] * (skip * quiet[rank + 1] + 1 - skip)
    return quiet


def quiet_below(tails: Tails, going: Going) -> tuple[Numbers, NDArray[np.float64]]:
    """Return the probability (tail,) of no click by a user who continues, and its slope by each attraction below."""
    skipped = 1 - going.attraction[tails.below]
    quiet = _quiet(skipped, going.skip)
    reached = np.cumprod(np.vstack([np.ones(len(tails.count)), skipped[:-1] * going.skip]), axis=0)
    return quiet[0], -reached * quiet[:-1] / skipped
