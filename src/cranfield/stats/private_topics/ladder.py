"""Rules for releasing private values to groups: the Ladder, plain values or none (blum2015ladder)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Direction, ParameterError, Provenance, Table, listed
from cranfield.core.types import Matrix, Rows
from cranfield.data import Values
from cranfield.stats.estimates.moments import Moments
from cranfield.stats.pair_tests.float_ties import SUM_ERROR, subtract

Rule: TypeAlias = Literal["ladder", "plain", "none"]
RULES: tuple[Rule, ...] = get_args(Rule)
FULL = 16  # decimals: a double has no more
ENOUGH = 1_000  # private topics: below, the decimals rule leaves a value that nobody can read
RELEASED = tuple("run group order value released step gain bound decimals topics".split())


def private_decimals(topics: int) -> int:
    """floor(log10 N): one topic moves a mean of values between 0 and 1 by at most one unit of the last decimal."""
    return len(str(topics)) - 1


@dataclass(frozen=True, eq=False)
class Released:
    """(run,): what one team is told of its runs, in the order in which it handed them in.

    The Ladder shows the value of the first run. After that it shows a new value only where mean(d) > sd(d)/√N, d being
    the gain in each of N topics over the last run whose value was released; otherwise the old value stands again. The
    sum of gains G and the sum of their squares Q say the same without N: a value is new where G > 0 and G² > Q. That
    needs sd with N − 1 below, as the authors have it: then a run that differs from the best in one topic alone (G² = Q)
    is never released, and nobody reads labels topic by topic. With N below, each such run would be released if its
    topic gains, and not if it loses. Where all topics gain the same (sd = 0) the value is new; an equal run gains
    nothing, and is not.
    """

    mean: Rows
    gain: Rows  # over the last released run; NaN for the first
    bound: Rows  # what the gain must exceed
    step: NDArray[np.bool_]  # whether a new value was released
    shown: Rows  # what the team sees, rounded; NaN where it sees nothing
    decimals: int
    topics: int

    @classmethod
    def of(
        cls, matrix: Matrix, *, rule: Rule = "ladder", decimals: int | None = None, lower_is_better: bool = False
    ) -> "Released":
        """From values (topic, run) of one team, by time; without ``decimals``, floor(log10 N) of them are shown.

        Gains and bounds are those of the Ladder under every rule. Values with gaps are refused, and so is a single
        topic: it has no spread, and its value is the label.
        """
        check_rule(rule)
        check_private(matrix)
        topics = len(matrix)
        places = check_decimals(private_decimals(topics) if decimals is None else decimals)
        good = (-matrix if lower_is_better else matrix).T
        climbed, gain, bound = _climb(good)
        mean = matrix.mean(axis=0)
        step = {"ladder": climbed, "plain": np.ones_like(climbed), "none": np.zeros_like(climbed)}[rule]
        last = np.maximum.accumulate(np.where(step, np.arange(len(step)), 0))
        shown = np.full(len(step), np.nan) if rule == "none" else shorten_values(mean, places)[last]
        return cls(mean, gain, bound, step, shown, places, topics)

    @property
    def changes(self) -> int:
        """How often the team saw another number than before."""
        return int((np.diff(self.shown) != 0).sum()) if np.isfinite(self.shown).all() else 0


def _climb(good: Matrix) -> tuple[NDArray[np.bool_], Rows, Rows]:
    """Of runs (run, topic) whose higher values are better: which are released, by what gain, over what bound."""
    step = np.zeros(len(good), dtype=bool)
    gain, bound = np.full((2, len(good)), np.nan)
    step[0], best = True, 0
    for run in range(1, len(good)):  # each answer depends on the last
        new, gains, bounds = ladder_steps(subtract(good[run : run + 1], good[best]))
        step[run], gain[run], bound[run] = new[0], gains[0], bounds[0]
        best = run if new[0] else best
    return step, gain, bound


def ladder_steps(gains: Matrix) -> tuple[NDArray[np.bool_], Rows, Rows]:
    """(row,): whether gains (row, topic) over the last released run release a value, their mean, and the bound."""
    found = Moments.of(gains)
    bound = found.sd / np.sqrt(found.n)
    return found.mean > bound * (1 + SUM_ERROR), found.mean, bound


def shorten_values(values: Rows, decimals: int) -> Rows:
    """Rounded as they are shown; at full precision they stay as they are."""
    return values if decimals >= FULL else np.round(values, decimals) + 0.0  # no −0


def check_rule(rule: str) -> None:
    """Refuse what is no rule for private values."""
    if rule not in RULES:
        raise ParameterError(f"there is no rule {rule!r} for private values", hint=f"choose one of: {', '.join(RULES)}")


def check_decimals(decimals: int) -> int:
    """Refuse what is no number of decimals."""
    if type(decimals) is not int or not 0 <= decimals <= FULL:
        raise ParameterError(f"{decimals!r} is no number of decimals", hint=f"give 0 to {FULL}; {FULL} is all there is")
    return decimals


def check_private(matrix: Matrix) -> None:
    """Refuse values (topic, run) from which no value can be released."""
    if matrix.ndim != 2 or not matrix.shape[1]:
        raise ParameterError("there is no run", hint="give values (topic, run) in the order of submission")
    if len(matrix) < 2:
        few = f"{len(matrix)} private topic{'s' * (len(matrix) != 1)}"
        raise ParameterError(f"{few}: no spread, and a value is a label", hint="keep two topics or more private")
    if not np.isfinite(matrix).all():
        wrong = int((~np.isfinite(matrix)).sum())
        hint = "give a missing topic the worst value before anything is released"
        raise ParameterError(f"{wrong} of {matrix.size} private values are no numbers", hint=hint)


@dataclass(frozen=True, eq=False)
class Team:
    """One group, where its runs stand among all, and what it was told."""

    group: str | None
    places: NDArray[np.int64]
    released: Released


def release(
    values: Values,
    measure: object,
    *,
    groups: Mapping[str, str | None] | None = None,
    rule: Rule = "ladder",
    decimals: int | None = None,
) -> list[Team]:
    """What each group is told of its runs, which stand in the order of submission; without groups all are of one."""
    which = values.measures[values.index(measure)]
    if values.way(which) != "mean":
        hint = "release a measure that is averaged, such as AP or nDCG@10"
        raise ParameterError(f"{which} is not a mean over topics ({values.way(which)})", hint=hint)
    matrix = values.matrix(which)
    _complete(values, matrix)
    lower = which.direction is Direction.LOWER
    return [
        Team(group, at, Released.of(matrix[:, at], rule=rule, decimals=decimals, lower_is_better=lower))
        for group, at in _teams(values, groups)
    ]


def _complete(values: Values, matrix: Matrix) -> None:
    """Refuse gaps, by name."""
    gaps = np.argwhere(~np.isfinite(matrix))
    if len(gaps):
        topic, run = gaps[0]
        hint = "count topics that a run misses as its worst value (topics of the judgments), then release"
        more = f" ({len(gaps):,} such gaps)" if len(gaps) > 1 else ""
        raise ParameterError(f"{values.runs[run]} has no value in topic {values.topics[topic]}{more}", hint=hint)


def _teams(values: Values, groups: Mapping[str, str | None] | None) -> Iterator[tuple[str | None, NDArray[np.int64]]]:
    of = [None if groups is None else groups.get(run) for run in values.runs]
    unknown = [run for run, group in zip(values.runs, of, strict=True) if group is None]
    if groups is not None and unknown:
        hint = "name the group of every run: numbers that one team is told add up"
        raise ParameterError(f"nobody submitted {listed(unknown[:3])}", hint=hint)
    for group in dict.fromkeys(of):
        yield group, np.array([i for i, name in enumerate(of) if name == group], dtype=np.int64)


def released_table(
    values: Values, teams: list[Team], measure: object, *, rule: Rule, made_by: Provenance | None = None
) -> Table:
    """One row for each run, by time: its true value, what its group was told, and why.

    ``value`` is the true private mean, for the organiser alone; ``released`` is what the group sees after this run, as
    short as it sees it. ``order`` counts the submissions of the group. ``gain`` is how much better the run is than the
    last one whose value the Ladder released (above 0 is better also where less is), ``bound`` what it had to exceed.
    """
    rows: dict[int, dict[str, Any]] = {}
    for team in teams:
        told = team.released
        for nth, at in enumerate(team.places.tolist()):
            rows[at] = {
                "run": values.runs[at],
                "group": team.group,
                "order": nth + 1,
                "value": told.mean[nth],
                "released": told.shown[nth],
                "step": bool(told.step[nth]),
                "gain": told.gain[nth],
                "bound": told.bound[nth],
                "decimals": told.decimals,
                "topics": told.topics,
            }
    topics = teams[0].released.topics
    notes = () if topics >= ENOUGH or rule == "none" else (_too_few(topics, teams[0].released.decimals),)
    caption = f"{values.measures[values.index(measure)]} on {topics:,} private topics, and what was told of it"
    return Table.from_rows([rows[at] for at in sorted(rows)], RELEASED, caption=caption, made_by=made_by, notes=notes)


def _too_few(topics: int, decimals: int) -> str:
    short = f"at {decimals} decimal{'s' * (decimals != 1)}"
    return f"{topics:,} private topics are fewer than {ENOUGH:,}: better to release nothing than values {short}"
