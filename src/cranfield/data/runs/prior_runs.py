"""Prior runs: the rankings already known before a run, against which its novelty is measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError
from cranfield.data.files.input_problems import listed
from cranfield.data.values.name_lookup import find_run

from .run import Run, RunFile, RunFrame, find_runs
from .run_entries import Entries

PRIORS = ("none", "others", "chronological", "best-per-group", "other-groups")


@dataclass(frozen=True, slots=True)
class Best:
    """Who stands for a group: its best run, of equals the one whose name is smallest."""

    group: str
    run: str
    value: float
    runs: int
    tied: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Prior:
    """For each run, the others that are known before it."""

    name: str
    known: NDArray[np.bool_]  # (run, run)
    notes: tuple[str, ...] = ()
    bests: tuple[Best, ...] = ()

    @property
    def count(self) -> list[int]:
        """(run,): how many are known before each."""
        return [int(n) for n in self.known.sum(axis=1)]


def make_prior(
    prior: str | Sequence[str],
    runs: Sequence[str],
    *,
    files: Sequence[str] = (),
    entries: Entries | None = None,
    means: Mapping[str, float] | None = None,
    lower_is_better: bool = False,
) -> Prior:
    """What is known before each of the runs: one of the words, or a list of runs by name or by file.

    ``none``: nothing; ``others``: all others; ``chronological``: all of an earlier date; ``other-groups``: all of other
    groups; ``best-per-group``: of every other group the run with the best of the ``means``, of equals the one whose
    name is smallest. A run of no group is one by itself. No run is known before itself.
    """
    if isinstance(prior, str) and prior not in PRIORS:
        hint = f"choose one of: {', '.join(PRIORS)}, or list runs"
        raise ParameterError(f"the prior cannot be {prior!r}", hint=hint)
    if prior == "none":
        return Prior("none", _before(runs, []))
    if prior == "others":
        return Prior("others", _before(runs, range(len(runs))))
    if prior == "chronological":
        return _chronological(runs, entries)
    if prior in ("other-groups", "best-per-group"):
        return _of_groups(str(prior), runs, entries, means or {}, lower_is_better=lower_is_better)
    places = sorted({find_run(runs, files, run) for run in prior})
    if not places:
        raise ParameterError("the prior lists no run", hint="name a run, or say none")
    return Prior(", ".join(runs[place] for place in places), _before(runs, places))


def _before(runs: Sequence[str], known: Sequence[int]) -> NDArray[np.bool_]:
    """(run, run): these runs before every other one."""
    out = np.zeros((len(runs), len(runs)), np.bool_)
    out[:, list(known)] = True
    np.fill_diagonal(out, val=False)
    return out


def _chronological(runs: Sequence[str], entries: Entries | None) -> Prior:
    dates = [entries.of(run).date if entries else None for run in runs]
    undated = [run for run, date in zip(runs, dates, strict=True) if date is None]
    if undated:
        what = "no run has a date" if len(undated) == len(runs) else f"there is no date of {listed(undated)}"
        raise ParameterError(what, hint="give entries with a column date (--entries FILE), or leave such runs out")
    day = np.array([date.toordinal() for date in dates if date is not None])
    known = day[None, :] < day[:, None]
    same = int(((day[None, :] == day[:, None]).sum(axis=1) > 1).sum())
    notes = (f"{same} runs share their day with another: these are not known before each other",) if same else ()
    return Prior("chronological", known, notes)


def _of_groups(
    name: str, runs: Sequence[str], entries: Entries | None, means: Mapping[str, float], *, lower_is_better: bool
) -> Prior:
    given = [entries.of(run).group if entries else None for run in runs]
    if not any(given):
        raise ParameterError("no run has a group", hint="give entries with a column group (--entries FILE)")
    groups = [group or f"{run} (alone)" for run, group in zip(runs, given, strict=True)]
    alone = [run for run, group in zip(runs, given, strict=True) if group is None]
    notes = [f"no group: {listed(alone)}; each is taken for one by itself"] if alone else []
    number = {group: i for i, group in enumerate(dict.fromkeys(groups))}
    of = np.array([number[group] for group in groups])
    known = of[:, None] != of[None, :]
    if name == "other-groups":
        return Prior(name, known, tuple(notes))
    bests = tuple(
        _best(group, [r for r, g in zip(runs, groups, strict=True) if g == group], means, lower_is_better)
        for group in number
    )
    stands = {best.run for best in bests}
    known &= np.array([run in stands for run in runs])
    ties = [f"{best.group} ({', '.join((best.run, *best.tied))})" for best in bests if best.tied]
    if ties:
        notes.append(f"equally good, the smallest name taken: {listed(ties)}")
    return Prior(name, known, tuple(notes), bests)


def _best(group: str, runs: Sequence[str], means: Mapping[str, float], lower_is_better: bool) -> Best:  # noqa: FBT001
    missing = [run for run in runs if run not in means]
    if missing:
        raise ParameterError(f"there is no mean of {listed(missing)}", hint="best-per-group needs a mean of every run")
    top = (min if lower_is_better else max)(means[run] for run in runs)
    equal = sorted(run for run in runs if abs(means[run] - top) <= 1e-13 * max(1, abs(top)))
    return Best(group, equal[0], means[equal[0]], len(runs), tuple(equal[1:]))


def split_known(runs: Sequence[Run | RunFile | RunFrame], named: Sequence[Any]) -> tuple[list[int], list[Any]]:
    """Of runs that are known before others: the places of those that are among the runs, and the others, found."""
    names = [run.name for run in runs]
    files = [str(run.path) if isinstance(run, RunFile) else run.source.name for run in runs]
    paths = {run.path.resolve(): place for place, run in enumerate(runs) if isinstance(run, RunFile)}
    places: list[int] = []
    others: list[Run | RunFile | RunFrame] = []
    for item in named:
        if isinstance(item, str | PathLike) and not Path(item).exists() and not _is_pattern(fspath(item)):
            places.append(find_run(names, files, fspath(item)))
            continue
        for run in find_runs(item):
            place = paths.get(run.path.resolve()) if isinstance(run, RunFile) else None
            if place is None:
                others.append(run)
            else:
                places.append(place)
    return places, others


def _is_pattern(text: str) -> bool:
    return any(sign in text for sign in "*?[")
