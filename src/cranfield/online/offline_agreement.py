"""Agreement between offline measures and online outcomes of the same runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import NormalDist
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from cranfield.core import SEED, Direction, ParameterError, Table, generator, listed
from cranfield.core.types import Cube
from cranfield.data import Values
from cranfield.stats import LEVEL, Asked, Pairs, T, check_level, kendall_tau, mid_ranks

Numbers: TypeAlias = NDArray[np.float64]
By: TypeAlias = Literal["pearson", "spearman", "kendall"]

DRAWS = 1000
FEWEST = 3  # runs: two always lie on a line
CELLS = 2_000_000  # of an array (draw, measure, run, run) that is made at once
SAME = 1e-12  # correlations this close are equal


@dataclass(frozen=True, eq=False)
class Offline:
    """What measures say of runs, topic by topic, more being better; of one topic where only means are known."""

    runs: tuple[str, ...]
    measures: tuple[str, ...]
    cube: Cube  # (run, topic, measure); NaN: there is no value

    def __post_init__(self) -> None:
        for name, several in (("run", self.runs), ("measure", self.measures)):
            if len(set(several)) < len(several) or not several:
                raise ParameterError(f"each {name} is wanted once, and one at least", hint=f"give the {name}s names")
        if (self.cube.shape[0], self.cube.shape[-1]) != (len(self.runs), len(self.measures)) or self.cube.ndim != 3:
            message = f"{len(self.runs)} runs and {len(self.measures)} measures do not fit values of {self.cube.shape}"
            raise ParameterError(message, hint="give values as (run, topic, measure)")
        lacking = np.argwhere(np.isinf(self.cube).any(axis=1) | np.isnan(self.cube).all(axis=1))
        if len(lacking):
            run, measure = self.runs[lacking[0, 0]], self.measures[lacking[0, 1]]
            hint = "leave out the run or the measure: there is no value on any topic, or an infinite one"
            raise ParameterError(f"{run} has no finite mean of {measure}", hint=hint)

    @classmethod
    def of(cls, values: Values) -> "Offline":
        """Those of an evaluation; measures of which less is better are turned round."""
        side = [-1.0 if measure.direction is Direction.LOWER else 1.0 for measure in values.measures]
        cube = np.where(values.counted[:, :, None], values.cube, np.nan) * side
        return cls(values.runs, tuple(map(str, values.measures)), cube)

    def only(self, runs: list[str]) -> "Offline":
        """The same of some runs, in their order."""
        return Offline(tuple(runs), self.measures, self.cube[[self.runs.index(run) for run in runs]])

    @property
    def means(self) -> Numbers:
        """(measure, run): over topics."""
        return np.nanmean(self.cube, axis=1).T


@dataclass(frozen=True, eq=False)
class Likeness:
    """How alike two lists of numbers for the same runs are, for each measure or each draw: (…,)."""

    pearson: Numbers
    spearman: Numbers
    kendall: Numbers
    agreement: Numbers  # the share of pairs of runs that stand the same way round; equal ones count half

    @classmethod
    def of(cls, offline: Numbers, online: Numbers) -> "Likeness":
        """Of (list, run) and (list, run)."""
        return cls(
            correlation(offline, online),
            correlation(mid_ranks(offline, np.abs(offline)), mid_ranks(online, np.abs(online))),
            kendall_tau(offline, online),
            (1 + np.mean(signs(offline) * signs(online), axis=-1)) / 2,
        )


NAMES = ("pearson", "spearman", "kendall", "agreement")


def correlation(x: Numbers, y: Numbers) -> Numbers:
    """Pearson's r along the last axis; NaN where one of both does not vary."""
    a, b = (z - z.mean(axis=-1, keepdims=True) for z in (x, y))
    scale = np.sqrt((a**2).sum(axis=-1) * (b**2).sum(axis=-1))
    size = np.abs(x).max(axis=-1) * np.abs(y).max(axis=-1)
    varies = scale > SAME * np.maximum(size, np.finfo(float).tiny)
    return np.divide((a * b).sum(axis=-1), scale, out=np.full(scale.shape, np.nan), where=varies)


def fisher(likeness: Numbers, *, shares: bool) -> Numbers:
    """Correlations, or shares of pairs, on the scale where their noise is alike everywhere; ±1 is far, not infinite."""
    return np.arctanh(np.clip(2 * likeness - 1 if shares else likeness, SAME - 1, 1 - SAME))


def signs(values: Numbers) -> Numbers:
    """(list, pair): 1 where the later run of a pair is ahead, −1 where the earlier is, 0 where they are equal."""
    a, b = np.array(list(combinations(range(values.shape[-1]), 2))).T
    ranks = mid_ranks(values, np.abs(values))  # equal means that were added up in another order tie
    return np.sign(ranks[..., b] - ranks[..., a])


@dataclass(frozen=True, eq=False)
class Bridge:
    """How well each measure predicts what users did, as seen and in draws of other topics and other users."""

    runs: tuple[str, ...]
    measures: tuple[str, ...]
    seen: Likeness  # (measure,)
    drawn: Likeness | None  # (draw, measure); None where there is nothing to draw
    apart: NDArray[np.int64] | None  # (measure,): pairs of runs that both tell apart; None: errors are not known
    agreed: Numbers  # (measure,): the share of those that both put the same way round; NaN where there are none
    by: By
    level: float
    left_out: tuple[str, ...]  # runs that have no online value, or no offline values

    def ends(self, name: str) -> tuple[Numbers, Numbers]:
        """(measure,) twice: between what ends the likeness lies that as many other topics and users show on average.

        Draws add noise to noise and lie too low: percentiles would miss what was seen. The ends are as far up from it
        as they are down, on Fisher's scale of correlations; draws that reach ±1, where the scale has no end, say of
        that end alone that it is ±1. NaN where nothing was drawn.
        """
        low, high = np.full((2, len(self.measures)), np.nan)
        if self.drawn is None:
            return low, high
        shares = name == "agreement"
        seen, drawn = (fisher(getattr(one, name), shares=shares) for one in (self.seen, self.drawn))
        known = ~np.isnan(drawn).all(axis=0)  # a draw in which all runs are equal says nothing
        if not known.any():
            return low, high
        levels = [self.level / 2, 1 - self.level / 2]
        outer = np.nanquantile(drawn[:, known], levels, axis=0, method="inverted_cdf")  # nothing between draws
        inner = np.abs(outer) < np.arctanh(1 - 2 * SAME)
        far = np.where(inner, np.abs(outer - seen[known]), 0.0).max(axis=0)
        low[known] = np.tanh(np.minimum(outer[0], seen[known] - far))
        high[known] = np.tanh(np.maximum(outer[1], seen[known] + far))
        return ((1 + low) / 2, (1 + high) / 2) if shares else (low, high)

    @property
    def p_best(self) -> Numbers:
        """(measure,): in what share of the draws a measure predicts best; those that are equal share a draw."""
        drawn = self.seen if self.drawn is None else self.drawn
        likeness = np.nan_to_num(np.atleast_2d(getattr(drawn, self.by)), nan=-2.0)  # below any correlation
        first = likeness >= likeness.max(axis=1, keepdims=True) - SAME
        return (first / first.sum(axis=1, keepdims=True)).mean(axis=0)


def bridge(
    offline: Offline,
    online: Mapping[str, float],
    *,
    errors: Mapping[str, float] | None = None,
    direction: Direction = Direction.HIGHER,
    by: By = "kendall",
    level: float = LEVEL,
    draws: int = DRAWS,
    seed: int = SEED,
) -> Bridge:
    """How well measures predict online values of the same runs.

    Topics are drawn again with replacement and, where the standard errors of the online values are known, these are
    drawn around what was seen: the ends say what as many other topics and users would do, of these same runs. More of
    both would make the likeness larger, as noise makes it smaller. ``direction`` says which online values are good.
    A pair of runs is told apart offline by Student's paired t over topics, online by the difference
    beside its standard error, both at ``level`` and each pair by itself.
    """
    check_level(level)
    if by not in get_args(By):
        hint = f"choose one of: {', '.join(get_args(By))}"
        raise ParameterError(f"measures are not put in order by {by!r}", hint=hint)
    if draws < 1:
        raise ParameterError(f"{draws} draws make no interval", hint="draw some thousands")
    both = [run for run in offline.runs if run in online]
    if len(both) < FEWEST:
        names = [f"{side}: {_some(runs)}" for side, runs in (("offline", offline.runs), ("online", list(online)))]
        who = "no run has" if not both else "1 run has" if len(both) == 1 else f"{len(both)} runs have"
        hint = f"it takes {FEWEST} by the same names; {'; '.join(names)}"
        raise ParameterError(f"{who} offline and online values", hint=hint)
    kept = offline.only(both)
    values = _numbers("online value", online, both) * (-1 if direction is Direction.LOWER else 1)
    noise = None if errors is None else _numbers("standard error", errors, both)
    if noise is not None and (noise < 0).any():
        raise ParameterError("a standard error is below 0", hint="give the standard error of each online value")
    apart, agreed = _told_apart(kept, values, noise, level)
    missing = (set(offline.runs) | set(online)) - set(both)
    return Bridge(
        runs=tuple(both),
        measures=kept.measures,
        seen=Likeness.of(kept.means, values[None]),
        drawn=_draw(kept, values, noise, draws, seed),
        apart=apart,
        agreed=agreed,
        by=by,
        level=level,
        left_out=tuple(sorted(missing)),
    )


def _numbers(name: str, given: Mapping[str, float], runs: list[str]) -> Numbers:
    """(run,): numbers by the name of the run, all there and finite."""
    if lacking := [run for run in runs if run not in given]:
        raise ParameterError(f"there is no {name} of {lacking[0]}", hint="give one for each run, or none at all")
    found = np.array([given[run] for run in runs], dtype=float)
    if not np.isfinite(found).all():
        run = runs[int(np.argmin(np.isfinite(found)))]
        raise ParameterError(f"the {name} of {run} is not finite", hint="leave out runs without one")
    return found


def _draw(offline: Offline, online: Numbers, noise: Numbers | None, draws: int, seed: int) -> Likeness | None:
    """(draw, measure): the likeness in draws of topics and of online values."""
    runs, topics, measures = offline.cube.shape
    if topics == 1 and noise is None:
        return None
    there = ~np.isnan(offline.cube)
    filled = np.where(there, offline.cube, 0.0)
    step = max(1, CELLS // (runs**2 * measures))
    found = []
    for block, start in enumerate(range(0, draws, step)):
        stream, rows = generator(seed, "bridge", block), min(step, draws - start)
        times = stream.multinomial(topics, np.full(topics, 1 / topics), size=rows).astype(float)  # (draw, topic)
        sums, counts = (np.einsum("dt,rtm->dmr", times, cube, optimize=True) for cube in (filled, there.astype(float)))
        # where none of the topics drawn has a value of a run, its mean stays as it was
        means = np.where(counts > 0, sums / np.maximum(counts, 1), offline.means)
        shaken = online if noise is None else online + noise * stream.standard_normal((rows, runs))
        lists = np.broadcast_to(shaken[..., None, :], means.shape).reshape(-1, runs)
        found.append(Likeness.of(means.reshape(-1, runs), lists))
    return Likeness(*(np.concatenate([getattr(one, n) for one in found]).reshape(-1, measures) for n in NAMES))


def _some(runs: Sequence[str]) -> str:
    """The first names."""
    return ", ".join(map(str, runs[:FEWEST])) + ", …" * (len(runs) > FEWEST)


def _told_apart(
    offline: Offline, online: Numbers, noise: Numbers | None, level: float
) -> tuple[NDArray[np.int64] | None, Numbers]:
    """(measure,) twice: how many pairs of runs both tell apart, and what share of them both see the same way."""
    nothing = np.full(len(offline.measures), np.nan)
    if noise is None or offline.cube.shape[1] == 1:
        return None, nothing
    pairs = [Pairs.every(offline.cube[:, :, measure].T) for measure in range(len(offline.measures))]
    p = np.array([T().compare(one, Asked(level=level)).p for one in pairs])  # (measure, pair)
    a, b = pairs[0].a, pairs[0].b
    reach = NormalDist().inv_cdf(1 - level / 2) * np.sqrt(noise[a] ** 2 + noise[b] ** 2)
    both = (p < level) & (np.abs(online[b] - online[a]) > reach)
    same = signs(offline.means) == signs(online[None])
    apart = both.sum(axis=1)
    return apart, np.divide((both & same).sum(axis=1), apart, out=nothing, where=apart > 0)


def bridge_table(found: Bridge) -> Table:
    """One row for each measure, the best first."""
    columns: dict[str, Any] = {
        "measure": np.array(found.measures, dtype=object),
        "runs": np.full(len(found.measures), len(found.runs)),
    }
    for name in NAMES:
        low, high = found.ends(name)
        columns |= {name: getattr(found.seen, name), f"{name}_low": low, f"{name}_high": high}
    if found.apart is not None:
        columns |= {"apart": found.apart, "agreement_apart": found.agreed}
    columns["p_best"] = found.p_best
    order = np.lexsort((-found.p_best, -np.nan_to_num(getattr(found.seen, found.by), nan=-2.0)))
    data = {name: column[order] for name, column in columns.items()}
    notes = [f"without {', '.join(found.left_out)}: not known both offline and online"] * bool(found.left_out)
    if found.drawn is None:
        notes.append("one topic and no standard errors: there is nothing to draw, and no interval")
    ends = {name: (f"{name}_low", f"{name}_high") for name in NAMES}
    return Table(data, "what measures say offline, beside what users did", notes=tuple(notes), ends=ends)


def bridge_sentence(found: Bridge) -> str:
    """Return which measure agrees best with users, or which do so equally, and how sure that is."""
    rows: Sequence[Mapping[str, Any]] = bridge_table(found).rows()
    first, value = rows[0]["measure"], rows[0][found.by]
    if value is None:
        return "No measure tells the runs apart, or users did not: there is nothing to predict."
    likeness = f"{found.by} {value:.2f} over {len(found.runs)} runs"
    drawn = "" if len(found.measures) == 1 or found.drawn is None else f"in {rows[0]['p_best']:.0%} of the draws"
    equal = [str(row["measure"]) for row in rows if row[found.by] is not None and abs(row[found.by] - value) <= SAME]
    if len(equal) == 1:
        return f"{first} agrees best with what users did ({likeness}){drawn and f', {drawn}'}."
    sentence = f"{listed(equal)} agree equally well with what users did ({likeness})"
    return f"{sentence}{drawn and f'; {first} agrees best {drawn}'}."
