"""Stopping rules: when an item needs no further label."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield.collections.merging.base import Merged
from cranfield.collections.merging.votes import count_votes
from cranfield.core import Chance, Declared, Limits, ParameterError, Provenance, Table, parameters
from cranfield.data import Answers, Labels
from cranfield.stats import share_interval

Counts: TypeAlias = NDArray[np.float64]  # (item, choice): labels so far
DELTAS = (0.2, 0.1, 0.05, 0.01)
COLUMNS = ("delta", "most", "labels", "per_item", "stopped", "error", "low", "high", "all_error")


class Stopping(Declared):
    """Ask until the leading label is the right one with a chance of 1 − ``delta``, or ``most`` labels are there.

    Labels of an item are taken to be binomial: each is for the higher of two choices with a rate that the item has,
    Beta(a, b) before any label (``prior``: a labels for the higher, b for the lower). The leading choice is the one on
    whose side of 1/2 the rate is more likely to lie, and that likelihood is its confidence. With more choices the two
    that have most labels are set beside each other; ``against='every'`` holds the leading one against each other and
    adds up what speaks for these, so that the promise is kept with more than two as well, at the cost of more labels.
    ``least`` labels are asked for anyway.

    The promise: where rates are spread as the prior says, at most ``delta`` of the items that stop early are on the
    wrong side, however often one looks (rouder2014). It is an average over such items. Where every label is right with
    the same chance it is not kept near 1/2: of items that stop early at delta .05 and most 10, 13.6 % are wrong where
    labels are right 6 times in 10, 2.2 % at 7 in 10 and .25 % at 8 in 10.
    """

    name: ClassVar[str] = "stopping"

    delta: Chance = 0.05
    most: Annotated[int, Limits(1)] = 10
    prior: tuple[float, ...] = (1.0, 1.0)
    least: Annotated[int, Limits(1)] = 1
    against: Literal["runner-up", "every"] = "runner-up"

    def __post_init__(self) -> None:
        if self.least > self.most:
            hint = "ask for no more at least than at most"
            raise ParameterError(f"at least {self.least} labels, and at most {self.most}", hint=hint)
        if len(self.prior) != 2 or not all(0 < side < inf for side in self.prior):
            hint = "give two numbers above 0: (1, 1) knows nothing"
            raise ParameterError(f"the prior cannot be {self.prior!r}", hint=hint)

    def __str__(self) -> str:
        own: Any = type(self)
        said = [(setting.name, getattr(self, setting.name), setting.default) for setting in parameters(own)]
        written = ", ".join(f"{name}={value!r}" for name, value, default in said if value != default)
        return f"stopping({written})" if written else "stopping"

    __repr__ = __str__

    def leading(self, counts: Counts) -> NDArray[np.int64]:
        """(item,): the choice that leads; where nothing speaks for either of two, the higher."""
        return self.lead(counts)[0]

    def confidence(self, counts: Counts) -> NDArray[np.float64]:
        """(item,): how likely the leading choice is the right one."""
        return self.lead(counts)[1]

    def enough(self, counts: Counts) -> NDArray[np.bool_]:
        """(item,): whether to ask for no more labels."""
        number = np.asarray(counts).sum(axis=1)
        return self.reached(self.confidence(counts), number) | (number >= self.most)

    def next_items(self, answers: Answers, *, number: int | None = None) -> NDArray[np.int64]:
        """The items for which to ask for another label, the least certain first, then those with fewest labels."""
        counts = count_votes(answers)
        certain = np.where(self.enough(counts), np.inf, self.confidence(counts))
        order = np.lexsort((counts.sum(axis=1), certain))
        return order[: int(np.isfinite(certain).sum())][:number]

    def reached(self, confidence: NDArray[np.float64], number: NDArray[Any]) -> NDArray[np.bool_]:
        """Whether the promise is kept with so many labels."""
        return (confidence >= 1 - self.delta - 1e-12) & (number >= self.least)  # 1 − .2 is not .8 to a float

    def lead(self, counts: Counts) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """(item,) twice: who leads, and how likely it is right."""
        from scipy.special import betainc

        counts = np.asarray(counts, dtype=np.float64)
        if counts.shape[1] == 1:
            return np.zeros(len(counts), dtype=np.int64), np.ones(len(counts))
        # Equal counts: the higher choice comes first.
        order = np.argsort(-counts[:, ::-1], axis=1, kind="stable")
        first, second = (counts.shape[1] - 1 - order[:, place] for place in (0, 1))
        higher, lower = np.maximum(first, second), np.minimum(first, second)
        row = np.arange(len(counts))
        below = betainc(self.prior[0] + counts[row, higher], self.prior[1] + counts[row, lower], 0.5)  # P(rate ≤ 1/2)
        leads, confidence = np.where(below > 0.5, lower, higher), np.maximum(below, 1 - below)
        if self.against == "runner-up" or counts.shape[1] == 2:
            return leads, confidence
        choice = np.arange(counts.shape[1])
        own = counts[row, leads][:, None]
        above = choice > leads[:, None]  # the other is the higher of the two
        a, b = self.prior
        doubt = betainc(np.where(above, b, a) + own, np.where(above, a, b) + counts, 0.5)
        return leads, np.maximum(1 - np.where(choice == leads[:, None], 0.0, doubt).sum(axis=1), 0.0)


def stopping_table(
    labels: Labels,
    merged: Merged,
    gold: NDArray[np.int64] | None = None,
    *,
    deltas: Sequence[float] = DELTAS,
    most: int | None = None,
    stopping: Stopping | None = None,
    made_by: Provenance | None = None,
) -> Table:
    """One row for each ``delta``: labels that are there, taken in order of time until it is enough.

    ``labels`` is how many are used, ``per_item`` their mean, ``stopped`` the share of items that were certain before
    their labels, or ``most`` (all, unless said), came to an end. ``error`` is the share of items whose leading label is
    not the gold one, between ``low`` and ``high`` (Wilson); without gold, not the one merged from all labels.
    ``all_error`` is that share with every label used. ``stopping`` gives the prior and the rest of the rule.
    """
    replay, rule = Replay.of(labels), stopping or Stopping()
    most = int(replay.number.max(initial=1)) if most is None else most
    known = gold is not None and bool((gold >= 0).any())
    truth = (_fitting(labels, gold) if known else merged.place(labels.grades))[replay.item]
    leading, confidence = rule.lead(replay.counts)
    all_error = _errors(leading[replay.last], truth)["error"]
    rows = []
    for delta in deltas:
        at, stopped = replay.stop(replace(rule, delta=delta, most=most, least=min(rule.least, most)), confidence)
        number = at - replay.start + 1
        rows.append(
            {"delta": delta, "most": most, "labels": int(number.sum()), "per_item": _mean(number)}
            | {"stopped": _mean(stopped), **_errors(leading[at], truth), "all_error": all_error}
        )
    beside = f"gold of {int((truth >= 0).sum()):,}" if known else f"what {merged.method} makes of all labels"
    caption = f"stopping early among {len(labels):,} labels of {len(replay.item):,} items, beside {beside}"
    return Table.from_rows(rows, COLUMNS, caption=caption, made_by=made_by)


@dataclass(frozen=True, eq=False)
class Replay:
    """Labels in the order in which they came, item after item."""

    item: NDArray[np.int64]  # (item,): those with labels
    start: NDArray[np.int64]  # (item,): where the labels of each begin
    number: NDArray[np.int64]  # (item,): how many labels each has
    counts: Counts  # (label, choice): labels of the item up to this one

    @classmethod
    def of(cls, labels: Labels) -> "Replay":
        """All labels, by time or else by the order of rows."""
        answers = labels.answers
        time = np.arange(len(answers)) if labels.time is None else labels.time
        order = np.lexsort((time, answers.item))
        item, start, number = np.unique(answers.item[order], return_index=True, return_counts=True)
        total = (answers.choice[order, None] == np.arange(answers.choices)).cumsum(axis=0)
        before = np.concatenate((np.zeros((1, answers.choices), dtype=total.dtype), total))[start]
        return cls(item, start, number, (total - np.repeat(before, number, axis=0)).astype(np.float64))

    @property
    def last(self) -> NDArray[np.int64]:
        """(item,): where the last label of each stands."""
        return self.start + self.number - 1

    def stop(self, rule: Stopping, confidence: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """(item,) twice: at which label the rule stops, and whether because it is certain."""
        place = np.arange(len(self.counts)) - np.repeat(self.start, self.number) + 1  # of a label in its item
        certain = rule.reached(confidence, place)
        here = np.flatnonzero(certain | (place >= rule.most))
        # The first such label from the start of each item on; the last of the item where there is none before.
        found = np.append(here, len(self.counts))[np.searchsorted(here, self.start)]
        at = np.minimum(found, self.last)
        return at, certain[at]


def _fitting(labels: Labels, gold: NDArray[np.int64] | None) -> NDArray[np.int64]:
    if gold is None or gold.shape != (labels.answers.items,):
        hint = "give the right choice of every item, -1 where it is not known"
        raise ParameterError(
            f"gold of {0 if gold is None else gold.size:,} items for {labels.answers.items:,}", hint=hint
        )
    return gold


def _mean(numbers: NDArray[Any]) -> float:
    return float(numbers.mean()) if len(numbers) else float("nan")


def _errors(said: NDArray[np.int64], truth: NDArray[np.int64]) -> dict[str, float]:
    """The share of what is known that is wrong, and Wilson's interval of it."""
    known = truth >= 0
    wrong = np.array([np.count_nonzero(known & (said != truth))])
    low, high = share_interval(wrong, int(known.sum()))
    return {"error": _mean((said != truth)[known]), "low": float(low[0]), "high": float(high[0])}
