"""Relevant documents found and conclusions preserved by each strategy, as functions of the budget."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError, Provenance, Table
from cranfield.data import Assessed, Values
from cranfield.measures import Measure
from cranfield.stats import (
    CORRECTIONS,
    LEVEL,
    Asked,
    Correction,
    PairTest,
    Way,
    changes_between,
    check_level,
    choose_pairs,
    compare_pairs,
    good_values,
    kendall_tau,
    looks_for_differences,
    parse_method,
    parse_tests,
    tau_ap,
)

from .partial_judgments import JudgedRuns
from .pool_bias import LeftOut, check_budgets, spend
from .pool_plan import turns
from .pool_replay import Replay
from .pool_state import Share

BUDGETS = 12  # so many are looked at, the next always about as many times larger
FEWEST = 5  # judgments for each topic, the first of them
POINTS = 200  # of a curve
REPLAY = (
    *("strategy", "judgments", "per_topic", "relevant", "recall", "precision"),
    *("tau", "tau_ap", "bias", "kept", "gained", "reversed"),
)

Progress = Callable[[int, int], object]


def choose_budgets(replays: Sequence[Replay], *, number: int = BUDGETS) -> tuple[int, ...]:
    """Budgets for each topic, from few judgments to all that there are, each about as many times the one before."""
    most = max((one.order.shape[1] for one in replays), default=0)
    if not most:
        raise ParameterError("there is nothing to judge", hint="give strategies, and runs that have judged documents")
    found = np.geomspace(min(FEWEST, most), most, number).round().astype(int)
    return tuple(sorted(set(found.tolist())))


def replay_table(
    replays: Sequence[Replay],
    assessed: Assessed,
    *,
    measure: str | Measure = "AP",
    judgments: Sequence[int] | None = None,
    share: Share | None = None,
    test: str | PairTest = "t",
    level: float = LEVEL,
    correct: str | Correction = "holm",
    total_relevant: int | None = None,
    left_out: LeftOut | None = None,
    made_by: Provenance | None = None,
    progress: Progress | None = None,
) -> Table:
    """One row for each strategy and budget: what is found, and how near conclusions are to those of all judgments.

    ``judgments`` are budgets for each topic, or their mean over topics, which then ``share`` them in turn (even) or by
    what they yield; the column holds their sum over topics, some of which may have fewer. Recall is of
    ``total_relevant``, or else of all that one of the replays found. ``tau`` and ``tau_ap`` hold the order of the runs
    against that under all judgments of ``assessed``. Of the pairs of runs that differ significantly under these,
    ``kept`` is the share that still do, for the same run; ``gained`` counts new ones, ``reversed`` those that now speak
    for the other run (otero2023). ``bias`` is what a run's value loses where its group had no part in the pool, where
    ``left_out`` knows of such a pool.
    """
    budgets = choose_budgets(replays) if judgments is None else tuple(judgments)
    check_budgets(budgets)
    said = Conclusions.of(JudgedRuns.by(measure, assessed), test=test, correct=correct, level=level)
    spent = np.array([[spend(one, budget, share) for budget in budgets] for one in replays])
    asked = spent.sum(axis=2)  # (strategy, budget), of all topics
    found = np.array(
        [np.take_along_axis(one.found(), at.T, axis=1).sum(axis=0) for one, at in zip(replays, spent, strict=True)]
    )
    every = max(int(one.relevant.sum()) for one in replays) if total_relevant is None else total_relevant
    rows = list(said.after(replays, spent, progress))
    names = [str(one.strategy) for one in replays]
    columns: dict[str, Any] = {
        "strategy": np.repeat(np.array(names, dtype=object), len(budgets)),
        "judgments": asked.reshape(-1),
        "per_topic": list(budgets) * len(replays),
        "relevant": found.reshape(-1),
        "recall": _share(found, np.full_like(found, every)),
        "precision": _share(found, asked),
        "bias": [left_out.bias(name, budget) if left_out else None for name in names for budget in budgets],
        **{name: [row[name] for row in rows] for name in ("tau", "tau_ap", "kept", "gained", "reversed")},
    }
    runs = len(assessed.runs)
    caption = f"known judgments replayed: {runs:,} run{'s' * (runs != 1)} by {said.runs.measure}, {said.caption}"
    return Table({name: columns[name] for name in REPLAY}, caption, made_by, said.notes(replays))


def curve_table(
    replays: Sequence[Replay],
    *,
    share: Share | None = None,
    total_relevant: int | None = None,
    made_by: Provenance | None = None,
) -> Table:
    """One row for each strategy and step, a step being one judgment for each topic that has a document left.

    Topics that ``share`` a budget take steps of one judgment. Of more than 200 steps as many are shown, evenly spread.
    Recall is of ``total_relevant``, or else of all that one of the replays found.
    """
    every = max((int(one.relevant.sum()) for one in replays), default=0) if total_relevant is None else total_relevant
    parts: dict[str, list[NDArray[Any]]] = {"strategy": [], "judgments": [], "relevant": []}
    for one in replays:
        judgments, found = _steps(one) if share is None else _turns(one, share)
        shown = np.unique(np.linspace(0, len(found) - 1, min(len(found), POINTS)).round().astype(int))
        parts["strategy"].append(np.full(len(shown), str(one.strategy), dtype=object))
        parts["judgments"].append(judgments[shown])
        parts["relevant"].append(found[shown])
    columns = {name: np.concatenate([*column, np.empty(0, int)]) for name, column in parts.items()}
    columns["recall"] = _share(columns["relevant"], np.full_like(columns["relevant"], every))
    return Table(columns, f"relevant documents found, of {every:,}", made_by)


def _steps(one: Replay) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(step + 1,): judgments and relevant documents of all topics after each step that they take together."""
    asked = (one.order >= 0).sum(axis=0).cumsum()
    return np.concatenate(([0], asked)), one.found().sum(axis=0)


def _turns(one: Replay, share: Share) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(judgment + 1,): the same after each judgment, topics taking turns."""
    topic = turns(one, share)
    order = np.argsort(topic, kind="stable")
    size = np.bincount(topic, minlength=len(one.order))
    step = np.empty(len(topic), dtype=np.int64)  # of its topic
    step[order] = np.arange(len(topic)) - np.repeat(np.cumsum(size) - size, size)
    return np.arange(len(topic) + 1), np.concatenate(([0], one.relevant[topic, step].cumsum()))


@dataclass(frozen=True, eq=False)
class Conclusions:
    """What all judgments say of runs, and how much of it is left under fewer."""

    runs: JudgedRuns
    test: PairTest
    correction: Correction
    level: float
    good: NDArray[np.float64]  # (run,): values under all judgments, more is better
    differ: Way | None  # which pairs do, under all judgments; None for one run

    @classmethod
    def of(cls, runs: JudgedRuns, *, test: str | PairTest, correct: str | Correction, level: float) -> "Conclusions":
        """Under all judgments; pairs are tested and p is corrected over all of them."""
        check_level(level)
        chosen = [looks_for_differences(one) for one in parse_tests(test)]
        if len(chosen) != 1:
            raise ParameterError(f"{len(chosen)} tests where one is wanted", hint="for example: t")
        said = cls(runs, chosen[0], parse_method(CORRECTIONS, correct), level, good_values(runs.whole), None)
        return cls(runs, said.test, said.correction, level, said.good, said.way(runs.whole))

    @property
    def caption(self) -> str:
        """How differences are tested, in words."""
        return f"differences by {self.test}, {self.correction.name}, at level {self.level:g}"

    def way(self, values: Values) -> Way | None:
        """Which pairs of runs differ."""
        if len(values.runs) < 2:
            return None
        asked = Asked(intervals=False)
        found = compare_pairs(values, [self.test], choose_pairs(values), correction=self.correction, asked=asked)
        return Way.of(found[0], values.measures[0], self.level)

    def after(
        self, replays: Sequence[Replay], spent: NDArray[np.int64], progress: Progress | None = None
    ) -> Iterator[dict[str, Any]]:
        """For each strategy and budget, what is left after so many judgments (strategy, budget, topic)."""
        strategies, budgets, _ = spent.shape
        for s, one in enumerate(replays):
            place = self.runs.places(one.candidates)
            for b, after in enumerate(spent[s]):
                yield self.left(self.runs.values(self.runs.given(place[one.judged(after)])))
                if progress:
                    progress(s * budgets + b + 1, strategies * budgets)

    def left(self, values: Values) -> dict[str, Any]:
        """How far other values of the same runs say the same."""
        good, now = good_values(values), self.way(values)
        told: dict[str, Any] = dict.fromkeys(("tau", "tau_ap", "kept", "gained", "reversed"))
        if self.differ is None or now is None:
            return told
        if not np.isnan([good, self.good]).any():
            told |= {"tau": float(kendall_tau(good, self.good)), "tau_ap": float(tau_ap(self.good, good))}
        change = {name: int(pairs.sum()) for name, pairs in changes_between(self.differ, now).items()}
        before = int(self.differ.significant.sum())
        kept = (change["both"] - change["reversed"]) / before if before else None
        return told | {"kept": kept, "gained": change["gained"], "reversed": change["reversed"]}

    def notes(self, replays: Sequence[Replay]) -> tuple[str, ...]:
        """A word on judgments that no strategy can ask for, and on what was there to be kept."""
        judged = int((self.runs.assessed.grade >= 0).sum())
        reached = max(int((self.runs.grades(one.candidates) >= 0).sum()) for one in replays)
        depth = max(one.candidates.depth for one in replays)
        told = []
        if reached < judged:
            lost = judged - reached
            what = "is of a document" if lost == 1 else "are of documents"
            first = f"{lost:,} of {judged:,} judgments {what} that no pooled run has in its first {depth:,}"
            them = "it" if lost == 1 else "them"
            told.append(f"{first}: no strategy asks for {them}, and all judgments have {them}")
        if self.differ is not None:
            pairs = len(self.differ.p)
            apart = int(self.differ.significant.sum())
            differ = f"{apart:,} of {pairs:,} pair{'s' * (pairs != 1)} of runs differ{'s' * (apart == 1)}"
            told.append(f"{differ} significantly under all judgments")
        return tuple(told)


def _share(part: NDArray[np.int64], whole: NDArray[np.int64]) -> NDArray[np.float64]:
    """One after the other; NaN of nothing."""
    return np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0).reshape(-1)
