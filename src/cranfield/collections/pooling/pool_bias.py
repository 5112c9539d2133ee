"""Bias of a pool against runs that did not contribute, by rebuilding it without each group."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import SEED, ParameterError, Provenance, Table
from cranfield.data import Assessed
from cranfield.measures import Measure
from cranfield.stats import good_values, ranks_of

from .candidates import Candidates
from .partial_judgments import Groups, JudgedRuns, count_unjudged, sums_of
from .pool_plan import allocate
from .pool_replay import Replay, replay
from .pool_state import Share

if TYPE_CHECKING:
    from cranfield.data import Corpus

FIRST = 10  # so many documents of a run are looked at for those that nobody judged
GROUPS = (
    *("strategy", "judgments", "group", "run", "value", "left_out", "difference"),
    *("rank", "rank_left_out", "unjudged"),
)
BIAS = ("strategy", "judgments", "difference", "relative", "absolute", "largest", "moved", "unjudged")

Cells = NDArray[np.float64]  # (strategy, budget, run)
Progress = Callable[[int, int], object]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LeftOut:
    """Runs under a pool with everybody, and under one without their group, for strategies and budgets."""

    strategies: tuple[str, ...]
    per_topic: tuple[int, ...]  # (budget,)
    judgments: NDArray[np.int64]  # (strategy, budget): of all topics, with everybody
    runs: tuple[str, ...]
    groups: Groups
    measure: str
    value: Cells
    left_out: Cells
    rank: Cells
    rank_left_out: Cells
    unjudged: Cells  # of the first documents, when the group is left out

    def __repr__(self) -> str:
        return f"LeftOut({len(self.groups)} groups, {len(self.strategies)} strategies, {len(self.per_topic)} budgets)"

    @property
    def difference(self) -> Cells:
        """What being left out changes of a value."""
        return self.left_out - self.value

    def bias(self, strategy: str, budget: int) -> float:
        """The mean difference over all runs; NaN where nobody was left out of such a pool."""
        if strategy not in self.strategies or budget not in self.per_topic:
            return float("nan")
        return float(self.difference[self.strategies.index(strategy), self.per_topic.index(budget)].mean())


def leave_groups_out(
    replays: Sequence[Replay],
    assessed: Assessed,
    groups: Groups,
    *,
    measure: str | Measure = "AP",
    judgments: Sequence[int],
    share: Share | None = None,
    rel: float = 1,
    first: int = 0,
    seed: int = SEED,
    corpus: "Corpus | None" = None,
    progress: Progress | None = None,
) -> LeftOut:
    """Build every pool again without each group, and measure all runs by what is judged then.

    ``judgments`` are budgets for each topic, or their mean over topics, which then ``share`` them in turn (even) or by
    what they yield; ``rel``, ``first``, ``seed`` and ``corpus`` are those of the replays.
    """
    if len(groups) < 2:
        raise ParameterError("nobody is left when a group is left out", hint="give runs of two groups or more")
    check_budgets(judgments)
    runs, budgets = JudgedRuns.by(measure, assessed), tuple(judgments)
    settings: Any = {"first": first, "seed": seed, "corpus": corpus}
    most = max(budgets) if share is None else None  # topics that share may have more than the mean
    shape = (len(replays), len(budgets), len(assessed.runs))
    cells = {name: np.full(shape, np.nan) for name in ("value", "rank", "left_out", "rank_left_out", "unjudged")}
    for s, whole in enumerate(replays):
        cells["value"][s], cells["rank"][s], _ = _measured(runs, whole, budgets, share)
        for g in range(len(groups)):
            members = groups.runs(g)
            left = _without(whole.candidates, [assessed.runs[run] for run in members])
            again = replay(whole.strategy, left, runs.grades(left) >= rel, budget=most, **settings)
            told = _measured(runs, again, budgets, share)
            for name, found in zip(("left_out", "rank_left_out", "unjudged"), told, strict=True):
                cells[name][s][:, members] = found[:, members]
            if progress:
                progress(s * len(groups) + g + 1, len(replays) * len(groups))
    return LeftOut(
        strategies=tuple(str(one.strategy) for one in replays),
        per_topic=budgets,
        judgments=np.array([count_judgments(one, budgets, share) for one in replays]).reshape(shape[:2]),
        runs=assessed.runs,
        groups=groups,
        measure=str(runs.measure),
        **cells,
    )


def check_budgets(judgments: Sequence[int]) -> None:
    """Refuse budgets that are none."""
    if not len(judgments) or min(judgments) < 1:
        raise ParameterError("a budget is one judgment for each topic or more", hint="for example: 10, 25, 50, 100")


def spend(replayed: Replay, budget: int, share: Share | None = None) -> NDArray[np.int64]:
    """(topic,): judgments of each topic, all of them having one budget, or sharing as much."""
    if share is not None:
        return allocate(replayed, budget * len(replayed.order), share)
    return np.minimum((replayed.order >= 0).sum(axis=1), budget)


def count_judgments(replayed: Replay, budgets: Sequence[int], share: Share | None = None) -> NDArray[np.int64]:
    """(budget,): judgments of all topics."""
    return np.array([spend(replayed, budget, share).sum() for budget in budgets], dtype=np.int64)


def groups_table(found: LeftOut, *, made_by: Provenance | None = None) -> Table:
    """One row for each strategy, budget and run: its value with everybody, and what is left of it without its group.

    ``difference`` is left_out − value; ranks are among all runs under the same judgments, equal ones sharing the best;
    ``unjudged`` is the share of the first ten documents that nobody judged.
    """
    strategies, budgets, runs = found.value.shape
    group = [found.groups.names[number] for number in found.groups.of]
    columns: dict[str, Any] = {
        "strategy": np.repeat(np.array(found.strategies, dtype=object), budgets * runs),
        "judgments": np.repeat(found.judgments.reshape(-1), runs),
        "group": group * (strategies * budgets),
        "run": list(found.runs) * (strategies * budgets),
        **{name: getattr(found, name).reshape(-1) for name in ("value", "left_out", "difference")},
        **{name: _whole(getattr(found, name)) for name in ("rank", "rank_left_out")},
        "unjudged": found.unjudged.reshape(-1),
    }
    count = len(found.groups)
    caption = f"{found.measure} of runs under a pool with all {count:,} groups, and under one without their own"
    return Table({name: columns[name] for name in GROUPS}, caption, made_by)


def left_out_bias(found: LeftOut, *, made_by: Provenance | None = None) -> Table:
    """One row for each strategy and budget: what a run loses that had no part in the pool, over all runs.

    ``difference`` and ``absolute`` are means over runs, with and without their sign; ``relative`` is the difference as
    a share of the value, all runs together: a pool that holds little has little to lose. ``largest`` is the difference
    farthest from 0; ``moved`` is how many ranks a run goes up or down on average.
    """
    budgets = len(found.per_topic)
    difference, moved = found.difference, np.abs(found.rank_left_out - found.rank)
    whole = found.value.sum(axis=2)
    farthest = np.abs(np.nan_to_num(difference)).argmax(axis=2)[:, :, None]
    columns: dict[str, Any] = {
        "strategy": np.repeat(np.array(found.strategies, dtype=object), budgets),
        "judgments": found.judgments.reshape(-1),
        "difference": difference.mean(axis=2).reshape(-1),
        "relative": (difference.sum(axis=2) / np.where(whole, whole, np.nan)).reshape(-1),
        "absolute": np.abs(difference).mean(axis=2).reshape(-1),
        "largest": np.take_along_axis(difference, farthest, axis=2).reshape(-1),
        "moved": moved.mean(axis=2).reshape(-1),
        "unjudged": found.unjudged.mean(axis=2).reshape(-1),
    }
    caption = f"what a run's {found.measure} loses where its group had no part in the pool"
    return Table({name: columns[name] for name in BIAS}, caption, made_by)


def _measured(runs: JudgedRuns, replayed: Replay, budgets: Sequence[int], share: Share | None) -> NDArray[np.float64]:
    """(what, budget, run): values, ranks, and the share of the first documents that nobody judged."""
    place, found = runs.places(replayed.candidates), []
    for budget in budgets:
        grade = runs.given(place[replayed.judged(spend(replayed, budget, share))])
        values = runs.values(grade)
        free, seen = count_unjudged(runs.assessed, grade, FIRST)
        part = np.divide(free, seen, out=np.full(len(seen), np.nan), where=seen > 0)
        found.append((sums_of(values), ranks_of(good_values(values)), part))
    return np.array(found).transpose(1, 0, 2)


def _without(candidates: Candidates, names: Sequence[str]) -> Candidates:
    """What runs of other names have."""
    return candidates.without([run for run, name in enumerate(candidates.runs) if name in names])


def _whole(ranks: Cells) -> list[int | None]:
    """Ranks as whole numbers, None where there is none."""
    return [None if rank != rank else int(rank) for rank in ranks.reshape(-1).tolist()]
