"""Ranks of runs compared between public and private conditions (craswell2021msmarco §3.2, fig. 4)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import SEED, Direction, Table
from cranfield.core.types import Rows
from cranfield.data import Entries, Values
from cranfield.stats.pair_tests.base import LEVEL, Progress, check_level
from cranfield.stats.pair_tests.float_ties import SUM_ERROR, largest
from cranfield.stats.reliability.rank_correlation import kendall_tau, rbo, tau_ap

from .rank_bootstrap import DRAWS, RankStability, rank_stability

CONDITIONS = tuple("condition private labels measure topics run mean rank rank_mean rank_low rank_high p_first".split())
SHAKEUP = ("condition", "with", "tau", "tau_ap", "rbo", "moved_most", "by")


@dataclass(frozen=True, eq=False)
class Condition:
    """A way to look at a board: some topics, some labels, one measure."""

    name: str
    private: bool
    labels: str  # whose judgments
    values: Values
    measure: Any
    # Ranks of redrawn topics that are known, by the number of draws and the seed.
    drawn: dict[tuple[int, int], RankStability] = field(default_factory=dict, repr=False)

    @property
    def lower_is_better(self) -> bool:
        """Whether less is better."""
        return self.values.measures[self.values.index(self.measure)].direction is Direction.LOWER

    @property
    def means(self) -> Rows:
        """(run,): what the board goes by."""
        return self.values.aggregate()[:, self.values.index(self.measure)]

    @property
    def good(self) -> Rows:
        """(run,): the same, more being better."""
        return -self.means if self.lower_is_better else self.means

    def stability(self, draws: int, seed: int, progress: Progress | None = None) -> RankStability:
        """The ranks of runs when topics are drawn again; drawn once."""
        if (draws, seed) not in self.drawn:
            matrix, lower = self.values.matrix(self.measure), self.lower_is_better
            found = rank_stability(matrix, draws=draws, seed=seed, lower_is_better=lower, progress=progress)
            self.drawn[draws, seed] = found
        return self.drawn[draws, seed]


def condition(values: Values, measure: object) -> Condition:
    """Values of one measure as a condition without a name."""
    return Condition(name="", private=False, labels="", values=values, measure=measure)


def _ranks(good: Rows) -> NDArray[np.int64]:
    """(run,): one more than the number of better runs."""
    ordered = np.sort(good)
    return len(good) - np.searchsorted(ordered, good + SUM_ERROR * largest(good), side="right") + 1


def conditions_table(
    conditions: Sequence[Condition],
    *,
    draws: int = DRAWS,
    seed: int = SEED,
    level: float = LEVEL,
    progress: Progress | None = None,
    made_by: Any = None,
) -> Table:
    """One row for each condition and run: its rank, and what the rank would be on other topics (fig. 4 there)."""
    check_level(level)
    rows: list[dict[str, Any]] = []
    for i, one in enumerate(conditions):

        def tell(done: int, total: int, i: int = i) -> None:
            if progress:
                progress(i * total + done, len(conditions) * total)

        found = one.stability(draws, seed, tell)
        low, high = found.interval(level)
        means, ranks = one.means, _ranks(one.good)
        told = {"condition": one.name, "private": one.private, "labels": one.labels, "measure": str(one.measure)}
        told |= {"topics": found.topics}
        for run in np.argsort(ranks, kind="stable").tolist():
            places = {"rank_mean": found.mean_rank[run], "rank_low": int(low[run]), "rank_high": int(high[run])}
            own = {"run": one.values.runs[run], "mean": means[run], "rank": int(ranks[run])}
            rows.append(told | own | places | {"p_first": found.p_first[run]})
    return Table.from_rows(rows, CONDITIONS, caption="ranks under each condition", made_by=made_by)


def condition_ranks_table(
    conditions: Sequence[Condition], *, draws: int = DRAWS, seed: int = SEED, made_by: Any = None
) -> Table:
    """One row for each condition, run and rank that it takes in some of the draws: in what share of them.

    Runs come in the order of their means, as in :func:`conditions_table`.
    """
    parts: dict[str, list[Any]] = {"condition": [], "run": [], "rank": [], "share": []}
    for one in conditions:
        order = np.argsort(_ranks(one.good), kind="stable")
        share = one.stability(draws, seed).share[order]
        run, rank = np.nonzero(share)
        parts["condition"].append(np.full(len(run), one.name, dtype=object))
        parts["run"].append(np.array(one.values.runs, dtype=object)[order][run])
        parts["rank"].append(rank + 1)
        parts["share"].append(share[run, rank])
    columns: dict[str, Any] = {name: np.concatenate(part) if part else [] for name, part in parts.items()}
    return Table(columns, "how often a run has a rank under each condition", made_by)


def _moves(public: Condition, other: Condition) -> dict[str, NDArray[Any]]:
    """Runs that both have, by public rank: names, how good they are, ranks among them, and places moved up."""
    there = {run: i for i, run in enumerate(other.values.runs)}
    own = [i for i, run in enumerate(public.values.runs) if run in there]
    pairs = np.array([[i, there[public.values.runs[i]]] for i in own], dtype=np.intp).reshape(-1, 2)
    good = np.stack([public.good[pairs[:, 0]], other.good[pairs[:, 1]]])
    kept = ~np.isnan(good).any(axis=0)
    good, pairs = good[:, kept], pairs[kept]
    ranks = np.stack([_ranks(side) for side in good])
    order = np.argsort(ranks[0], kind="stable")
    names = np.array(public.values.runs, dtype=object)[pairs[:, 0]]
    means = np.stack([public.means[pairs[:, 0]], other.means[pairs[:, 1]]])
    found = {"run": names, "good": good.T, "means": means.T, "ranks": ranks.T, "move": ranks[0] - ranks[1]}
    return {name: column[order] for name, column in found.items()}


def moves_table(public: Values, private: Values, measure: object, entries: Entries, *, made_by: Any = None) -> Table:
    """One row for each run: its ranks by mean on public and on private topics; a run with a ``move`` above 0 climbs."""
    found = _moves(condition(public, measure), condition(private, measure))
    order = np.argsort(-np.abs(found["move"]), kind="stable")
    run = found["run"][order]
    columns: dict[str, Any] = {
        "run": run,
        "group": [entries.of(name).group for name in run],
        "public_rank": found["ranks"][order, 0],
        "private_rank": found["ranks"][order, 1],
        "move": found["move"][order],
        "public": found["means"][order, 0],
        "private": found["means"][order, 1],
    }
    return Table(columns, "ranks on public and on private topics", made_by, one_sided(public, private))


def one_sided(public: Values, private: Values) -> tuple[str, ...]:
    """What is left out because only one side has it."""
    alone = set(public.runs) ^ set(private.runs)
    if not alone:
        return ()
    return (f"{len(alone)} run{'s have' if len(alone) > 1 else ' has'} only public or only private topics: left out",)


def shakeup_table(conditions: Sequence[Condition], *, made_by: Any = None) -> Table:
    """One row for each condition beside the first public one: how alike the orders are, and who moved most.

    ``by`` counts places up; of runs that moved as far, the one with the better public rank is named.
    """
    public = next((one for one in conditions if not one.private), None)
    rows: list[dict[str, Any]] = []
    for other in conditions:
        if public is None or other is public:
            continue
        found = _moves(public, other)
        row: dict[str, Any] = {"condition": public.name, "with": other.name} | dict.fromkeys(SHAKEUP[2:])
        if len(found["run"]) > 1:
            orders = found["good"].T
            row |= {"tau": float(kendall_tau(*orders)), "tau_ap": float(tau_ap(*orders)), "rbo": float(rbo(*orders))}
            most = int(np.abs(found["move"]).argmax())
            moved = int(found["move"][most])
            row |= {"moved_most": found["run"][most] if moved else None, "by": moved}
        rows.append(row)
    return Table.from_rows(rows, SHAKEUP, caption="how much the order changes", made_by=made_by)
