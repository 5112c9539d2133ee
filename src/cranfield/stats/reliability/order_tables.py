"""Tables of the agreement of run orders across measures, single topics and topic set sizes."""

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import SEED, Direction, ParameterError, Provenance, Table, generator
from cranfield.core.types import Matrix
from cranfield.data import Values
from cranfield.stats.multiple.omnibus_base import complete_topics
from cranfield.stats.pair_tests.base import LEVEL, Asked, Progress, check_level
from cranfield.stats.pair_tests.float_ties import SUM_ERROR
from cranfield.stats.pair_tests.resampling import BLOCK, in_turn, product

from .rank_correlation import Places, kendall_tau, rbo, tau_ap

SIZES = 10  # of topic sets, up to half of all topics
STABLE = 0.9  # from this τ on voorhees2001 takes two orders for the same


def orders_table(values: Values, *, p: float = 0.9, made_by: Provenance | None = None) -> Table:
    """One row for each two measures: how alike the orders are that their means put the runs in.

    Each measure has its own direction, and the topics in which every run has a value of it. Neither is the truth:
    ``tau_ap`` is the mean of both directions.
    """
    means = np.array([_good(values, measure)[0].mean(axis=0) for measure in values.measures])
    a, b = np.array(list(combinations(range(len(means)), 2)), dtype=np.intp).reshape(-1, 2).T
    names = np.array([str(measure) for measure in values.measures], dtype=object)
    columns: dict[str, Any] = {
        "measure_a": names[a],
        "measure_b": names[b],
        "tau": kendall_tau(means[a], means[b]),
        "tau_ap": tau_ap(means[a], means[b], symmetric=True),
        "rbo": rbo(means[a], means[b], p=p),
    }
    runs = len(values.runs)
    caption = f"how alike the orders of {runs:,} run{'s' * (runs != 1)} by each measure are (RBO: p = {p:g})"
    return Table(columns, caption, made_by or values.made_by)


def left_out_table(values: Values, measure: object = None, *, made_by: Provenance | None = None) -> Table:
    """One row per topic: what the order of runs would be without it, the topic that changes most first.

    ``tau`` is with the order by all topics, and ``largest_move`` the most ranks that a run goes up or down. Runs that
    are equal share the best of their ranks, and all of them are ``first`` where that is rank 1.
    """
    good, topics = _good(values, measure)
    if len(good) < 2:
        raise ParameterError("no topic can be left out of one", hint="give two topics or more")
    total = good.sum(axis=0)
    every, without = (_places(sums, good) for sums in (total[None], total - good))
    tau = kendall_tau(_scores(without), _scores(every))
    move = np.abs(without.above.astype(int) - every.above).max(axis=1)
    changes = ((without.above == 0) != (every.above == 0)).any(axis=1)
    order = np.lexsort((-move, tau))
    columns: dict[str, Any] = {
        "topic": [topics[i] for i in order],
        "tau": tau[order],
        "first": [_first(without.above[i], values) for i in order],
        "first_changes": changes[order],
        "largest_move": move[order],
    }
    count = int(changes.sum())
    caption = f"the order without one topic: {count:,} of {len(topics):,} change who is first"
    return Table(columns, caption, made_by or values.made_by)


def sizes_table(
    values: Values,
    measure: object = None,
    *,
    draws: int = 1000,
    seed: int = SEED,
    level: float = LEVEL,
    progress: Progress | None = None,
    threads: int | None = None,
    made_by: Provenance | None = None,
) -> Table:
    """One row for each of about ten sizes: how alike the order by so many topics is to the order by all the others.

    Topics are drawn without replacement, and held against those that were not drawn: all topics would hold the drawn
    ones too, and agree with them the more the fewer others there are. ``tau`` is the mean over draws, ``low`` to
    ``high`` hold all but the ``level`` of them, and ``first_stays`` is the chance that both have the same run on top,
    lots being drawn among equal ones. Where all runs are equal on one side, τ is 0.
    """
    check_level(level)
    if draws < 1:
        raise ParameterError(f"{draws} draws are too few", hint="give 1 or more")
    good, _ = _good(values, measure)
    half = len(good) // 2
    if not half:
        raise ParameterError("one topic cannot be split", hint="give two topics or more")
    sizes = np.unique(-(-half * np.arange(1, SIZES + 1) // SIZES)).tolist()
    total, blocks = good.sum(axis=0), -(-draws // BLOCK)

    def look(i: int) -> Matrix:
        size, block = sizes[i // blocks], i % blocks
        chosen = _chosen(len(good), size, min(BLOCK, draws - block * BLOCK), generator(seed, "sizes", size, block))
        sums = product(chosen, good)
        one, other = (_places(side, good) for side in (sums, total - sums))
        tau = kendall_tau(_scores(one), _scores(other))
        # What says nothing agrees with nothing; one run alone has no order at all.
        return np.stack([np.nan_to_num(tau) if good.shape[1] > 1 else tau, _same_first(one, other)])

    made = in_turn(look, len(sizes) * blocks, Asked(seed=seed, threads=threads, progress=progress))
    tau, stays = np.concatenate(made, axis=1).reshape(2, len(sizes), draws)
    low, high = np.quantile(tau, [level / 2, 1 - level / 2], axis=1)
    columns: dict[str, Any] = {"topics": sizes, "tau": tau.mean(axis=1), "low": low, "high": high}
    columns["first_stays"] = stays.mean(axis=1)
    caption = f"the order by some topics beside the order by the others of {len(good):,}, {draws:,} draws"
    return Table(columns, caption, made_by or values.made_by)


def topics_until(table: Table, tau: float = STABLE) -> int | None:
    """The smallest of the sizes whose mean τ reaches this; None where none does: there is no guess beyond half."""
    reached = np.flatnonzero(np.asarray(table.column("tau"), dtype=float) >= tau - SUM_ERROR)
    return int(table.column("topics")[reached[0]]) if reached.size else None


def _good(values: Values, measure: object) -> tuple[Matrix, list[str]]:
    """(topic, run): values of which higher ones are better, in topics where every run has one; and those topics."""
    matrix, kept = complete_topics(values.matrix(measure))
    which = values.measures[0 if measure is None else values.index(measure)]
    topics = [topic for topic, keep in zip(values.topics, kept.tolist(), strict=True) if keep]
    return (-matrix if which.direction is Direction.LOWER else matrix), topics


def _places(sums: Matrix, good: Matrix) -> Places:
    """From sums over topics; those of the same numbers in another order differ in their last bits."""
    return Places.of(sums, SUM_ERROR * len(good) * float(np.abs(good).max()))


def _scores(places: Places) -> Matrix:
    """(order, run): numbers that put the runs in these places."""
    return -places.above.astype(float)


def _first(above: NDArray[np.integer], values: Values) -> str:
    return ", ".join(values.runs[run] for run in np.flatnonzero(above == 0))


def _same_first(one: Places, other: Places) -> NDArray[np.float64]:
    """(order,): the chance that both have the same run on top, lots being drawn among equal ones."""
    top = [(each.above == 0).astype(float) for each in (one, other)]
    return (top[0] * top[1]).sum(axis=1) / (top[0].sum(axis=1) * top[1].sum(axis=1))


def _chosen(topics: int, size: int, draws: int, drawn: np.random.Generator) -> NDArray[np.int64]:
    """(draw, topic): 1 for those that are drawn, without replacement."""
    order = drawn.permuted(np.tile(np.arange(topics), (BLOCK, 1)), axis=1)[:draws]
    return (order < size).astype(np.int64)
