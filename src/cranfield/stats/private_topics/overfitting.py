"""Overfitting of groups to public topics, tested on private topics (craswell2021msmarco §3.2, §3.3)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np

from cranfield.core import Table
from cranfield.core.types import Matrix, Rows
from cranfield.data import Entries, Entry, Values
from cranfield.stats.boards.conditions import Condition, condition, one_sided
from cranfield.stats.estimates.moments import Moments
from cranfield.stats.multiple.corrections import Holm
from cranfield.stats.multiple.family_intervals import interval_level
from cranfield.stats.pair_tests.base import Asked, Pairs, check_level
from cranfield.stats.pair_tests.closed_form import T
from cranfield.stats.pair_tests.float_ties import SUM_ERROR, largest, power_of_two, quotient, zero_within

OVERFITTING = tuple("group runs a b public_gain private_gain difference low high p p_adjusted warning".split())
CAPTION = "gains of groups on public and on private topics"


@dataclass(frozen=True, eq=False)
class Welch:
    """Means of two sets of numbers that need not have the same spread nor size, row by row (welch1947)."""

    difference: Rows
    low: Rows
    high: Rows
    p: Rows  # one-sided: is the first larger?

    @classmethod
    def of(cls, first: Matrix, second: Matrix, level: float) -> "Welch":
        """Of rows (row, place), NaN being no number; a row with fewer than two numbers on a side has no p."""
        from scipy.special import stdtr, stdtrit

        x, y = Moments.of(first), Moments.of(second)
        difference = zero_within(x.mean - y.mean, SUM_ERROR * np.maximum(np.abs(x.mean), np.abs(y.mean)))
        unit = power_of_two(np.concatenate([x.sd, y.sd]))
        with np.errstate(divide="ignore", invalid="ignore"):
            u, v = (x.sd / unit) ** 2 / x.n, (y.sd / unit) ** 2 / y.n
            freedom = (u + v) ** 2 / (u**2 / (x.n - 1) + v**2 / (y.n - 1))
        error = unit * np.sqrt(u + v)
        constant = error == 0  # the same in every topic, on both sides
        freedom = np.where(constant, 1.0, freedom)
        p = np.where(constant, np.where(difference > 0, 0.0, 1.0), stdtr(freedom, -quotient(difference, error)))
        half = stdtrit(freedom, 1 - level) * error  # low is above 0 exactly where the one-sided p is below the level
        return cls(difference, difference - half, difference + half, np.where(np.isnan(error), np.nan, p))


def overfitting_table(
    public: Values,
    private: Values,
    measure: object,
    entries: Entries,
    *,
    asked: Asked | None = None,
    made_by: Any = None,
) -> Table:
    """One row for each group with two runs or more: is what it gained on public topics gone on private ones?

    ``a`` is the first run of a group (by date; in the order of the table where one has none), ``b`` its best on the
    public topics. A gain is the mean over topics of how much better b is than a, so that gains are above 0 also where
    less is better. ``difference`` is the public less the private gain. p is one-sided: are gains larger on public
    topics? ``low`` and ``high`` are Welch's interval of confidence 1 − 2 · level, so that ``low`` belongs to p. Which
    run is the best was decided by the public topics, so luck alone makes its gain larger there. The family of the
    correction, Holm's for p and Bonferroni's for the interval, is therefore all that groups chose from: each of their
    later runs against their first. The chance to warn of any group, where gains of all these runs are the same on
    topics of both kinds, is at most the level. A warning means that the corrected p is at most the level.
    """
    asked = asked or Asked()
    check_level(asked.level)
    board = condition(public, measure)
    teams = dict(_groups(board, private, entries))
    notes = one_sided(public, private)
    if not teams:
        notes = ("no group has two runs", *notes)
        return Table.from_rows([], OVERFITTING, caption=CAPTION, made_by=made_by, notes=notes)
    # A group's first run beside itself comes first: it has no gain, and is no choice.
    family = [(members[0].run, entry.run) for members in teams.values() for entry in members]
    sign = -1.0 if board.lower_is_better else 1.0
    gains = [sign * _differences(side, measure, family) for side in (public, private)]
    found = Welch.of(gains[0], gains[1], asked.level)
    later = np.array([first != run for first, run in family])
    tests = int((later & ~np.isnan(found.p)).sum())
    found = Welch.of(gains[0], gains[1], interval_level(asked.level, tests, Holm()))
    adjusted = np.where(later, Holm().adjust(np.where(later, found.p, np.nan)), 1.0)
    starts = np.cumsum([0, *(len(members) for members in teams.values())])
    best = starts[:-1] + [_best(members, board) for members in teams.values()]
    columns: dict[str, Any] = {
        "group": np.array(list(teams), dtype=object),
        "runs": np.diff(starts),
        "a": np.array([family[i][0] for i in best], dtype=object),
        "b": np.array([family[i][1] for i in best], dtype=object),
        "public_gain": Moments.of(gains[0][best]).mean,
        "private_gain": Moments.of(gains[1][best]).mean,
        "difference": found.difference[best],
        "low": found.low[best],
        "high": found.high[best],
        "p": found.p[best],
        "p_adjusted": adjusted[best],
        "warning": np.array([None if p != p else p <= asked.level for p in adjusted[best].tolist()], dtype=object),
    }
    undated = sum(not all(entry.date for entry in members) for members in teams.values())
    if undated:  # a board sorted by value would put the best first
        which = f"{undated} group{'s have runs' if undated > 1 else ' has runs'} without a date"
        notes += (f"{which}: the first run is the first of the table",)
    notes += _told(columns, gains[0][best], asked)
    order = np.argsort(columns["p"], kind="stable")
    return Table({name: column[order] for name, column in columns.items()}, CAPTION, made_by, notes)


def _groups(board: Condition, private: Values, entries: Entries) -> Iterator[tuple[str, list[Entry]]]:
    """The runs of each group that are on both sides, by time; groups with two or more."""
    valued = {run for run, good in zip(board.values.runs, board.good, strict=True) if good == good} & set(private.runs)
    of: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.group is not None and not entry.baseline and entry.run in valued:
            of.setdefault(entry.group, []).append(entry)
    for group, members in of.items():
        if len(members) > 1:
            dated = all(entry.date for entry in members)
            yield group, sorted(members, key=lambda entry: entry.date or date.min) if dated else members


def _best(members: Sequence[Entry], board: Condition) -> int:
    """Which of the runs is the best on public topics, of equal ones the earliest."""
    good = np.array([board.good[board.values.runs.index(entry.run)] for entry in members])
    return int((good >= good.max() - SUM_ERROR * largest(good)).argmax())


def _differences(values: Values, measure: object, chosen: Sequence[tuple[str, str]]) -> Matrix:
    """(pair, topic): b − a."""
    place = {run: i for i, run in enumerate(values.runs)}
    return Pairs.given(values.matrix(measure), [(place[a], place[b]) for a, b in chosen]).difference


def _told(columns: Mapping[str, Any], gains: Matrix, asked: Asked) -> tuple[str, ...]:
    """What else there is to say of groups: no gain to lose, no p, gains that turn round as chance may have it."""
    notes = []
    still = int((columns["a"] == columns["b"]).sum())
    if still:
        notes.append(f"{still} group{'s have' if still > 1 else ' has'} nothing to lose: the first run is the best")
    if np.isnan(columns["p_adjusted"]).any():
        notes.append("one topic has no spread: a side with fewer than two has no p")
    beside = np.concatenate([np.zeros((1, gains.shape[1])), gains]).T  # gains against none
    sure = Holm().adjust(T().compare(Pairs.against(beside, 0), asked).p) <= asked.level
    warned = np.array([bool(warning) for warning in columns["warning"]])
    turned = sure & (columns["private_gain"] < 0) & ~warned
    notes += [
        f"{columns['group'][i]} gains significantly on public topics and loses on private ones, "
        f"which chance may do (p = {columns['p'][i]:.2g})"
        for i in np.flatnonzero(turned)
    ]
    return tuple(notes)


def private_sentence(conditions: Table, shakeup: Table, overfitting: Table) -> str:
    """What private topics say of the board, in words."""
    rows = conditions.rows()
    board = next((row["condition"] for row in rows if not row["private"]), None)
    first = next((row["run"] for row in rows if row["condition"] == board), None)
    hidden = [row for row in rows if row["private"]]
    names = {row["condition"] for row in hidden}
    ranks = [row["rank_mean"] for row in hidden if row["run"] == first]
    if board is None or not ranks:
        return ""
    taus = [row["tau"] for row in shakeup.rows() if row["with"] in names and row["tau"] is not None]
    where = "the private ones" if len(names) == 1 else f"private ones, under {len(names)} conditions"
    said = f"{first}, first on the public topics, is expected at rank {_range(ranks, '.1f')} on {where}"
    if taus:
        said += f"; Kendall's τ {_range(taus, '.2f')}"
    return f"{said}; {_vanished(overfitting)}."


def _range(numbers: Sequence[Any], form: str) -> str:
    low, high = (format(end(numbers), form) for end in (min, max))
    return low if low == high else f"{low} to {high}"


def _vanished(overfitting: Table) -> str:
    """Which gains are gone on private topics, with the evidence."""
    rows = overfitting.rows()
    warned = [row for row in rows if row["warning"]]
    if not any(row["p"] is not None for row in rows):
        return "no group's gains could be looked at"
    if not warned:
        return "no group's gains vanish"
    told = [
        f"{row['group']} ({row['a']} to {row['b']}: {row['public_gain']:+.4f} on public topics, "
        f"{row['private_gain']:+.4f} on private ones, p = {row['p_adjusted']:.2g})"
        for row in warned
    ]
    return f"gains vanish on private topics: {', '.join(told[:3])}{f' and {len(told) - 3} more' if told[3:] else ''}"
