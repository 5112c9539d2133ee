"""Calibrate RBP, ERR, TBG, C/W/L and Markov precision from columns of a log, with intervals."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from cranfield.core import ParameterError
from cranfield.measures.classic.discounted import RBP
from cranfield.measures.number_lists import write_numbers, write_rows

from .click_model_measures import RRSDBN, USDBN
from .cwl_table import CWL
from .fit_results import (
    Calibrated,
    Estimate,
    Numbers,
    half_life,
    line,
    mean,
    need_flags,
    need_whole,
    read_columns,
    rounded,
    share,
)
from .markov_precision import MP
from .time_based import TBG

LEVEL = 0.95
WALKED, READ = 10, 100  # as many ranks as a notation has room for: of a walk, and of a reader


def calibrate_rbp(
    last: ArrayLike, stopped: ArrayLike, count: ArrayLike | None = None, *, level: float = LEVEL
) -> Calibrated:
    """RBP with the persistence of the users of a log (zhang2010persistence).

    A row is an impression, or ``count`` of them that are alike: the rank of the deepest click or view (``last``), 0 for
    none, and whether the user ``stopped`` there, rather than at the end of the page, where nobody can go on. Somebody
    who came to rank L went on L - 1 times. Impressions without a click are left out, and a note says how many.
    """
    last, stopped, count = read_columns(last=last, stopped=stopped, count=count)
    need_whole(0, last=last)
    need_flags(stopped=stopped)
    clicked = last > 0
    on = float((np.maximum(last - 1, 0) * count).sum())
    stops = float((stopped * clicked * count).sum())
    found = share("p", on, on + stops, level)
    if not 0 < round(found.value, 4) < 1:
        why = "nobody went on" if not on else "nobody stopped before the end of the page"
        raise ParameterError(f"{why}: there is no p between 0 and 1", hint="give a longer log, or deeper pages")
    without = float((count * ~clicked).sum())
    notes = (f"impressions without a click, which say nothing: {without:,.0f}",) if without else ()
    return Calibrated(RBP(p=rounded([found])[0]), (found,), notes)


def calibrate_err(
    impression: ArrayLike,
    rank: ArrayLike,
    grade: ArrayLike,
    clicked: ArrayLike,
    count: ArrayLike | None = None,
    *,
    of: Literal["rrSDBN", "uSDBN"] = "rrSDBN",
    level: float = LEVEL,
) -> Calibrated:
    """ERR with the users of a log, or their expected browsing utility (``of='uSDBN'``).

    A row is a document that an impression shows, or ``count`` of them. Documents down to the last click were looked at:
    attraction is the share of those of a grade that were clicked, satisfaction the share of the clicks that were the
    last (yilmaz2010ebu), both for every grade from 0 to the top. Impressions without a click say nothing.
    """
    if of not in (RRSDBN.name, USDBN.name):
        raise ParameterError(f"{of!r} is not fitted here", hint="choose 'rrSDBN' or 'uSDBN'")
    rank, grade, clicked, count = read_columns(rank=rank, grade=grade, clicked=clicked, count=count)
    need_whole(1, rank=rank)
    need_whole(0, grade=grade)
    need_flags(clicked=clicked)
    last = _last_click(impression, rank, clicked)
    seen, final = count * (rank <= last), clicked * (rank == last)
    kinds = int(grade.max()) + 1
    shown, clicks, lasts = (np.bincount(grade.astype(np.int64), seen * what, kinds) for what in (1, clicked, final))
    unseen = np.flatnonzero(shown == 0)
    if len(unseen) or kinds == 1:
        which = int(unseen[0]) if len(unseen) else 1
        raise ParameterError(f"nobody looked at a document of grade {which}", hint="merge grades, or give a longer log")
    attraction = [share(f"attraction({g})", clicks[g], shown[g], level) for g in range(kinds)]
    satisfaction = [share(f"satisfaction({g})", lasts[g], clicks[g], level) for g in range(kinds)]
    texts = [write_numbers(rounded(estimates)) for estimates in (attraction, satisfaction)]
    declared = RRSDBN if of == RRSDBN.name else USDBN
    measure = declared(attraction=texts[0], satisfaction=texts[1], k=int(rank.max()))
    return Calibrated(measure, (*attraction, *satisfaction))


def _last_click(impression: ArrayLike, rank: Numbers, clicked: Numbers) -> Numbers:
    """(row,): the rank of the last click of its impression; 0 where there is none."""
    _, which = np.unique(np.asarray(impression), return_inverse=True)
    if which.shape != rank.shape:
        raise ParameterError("the columns are not of one length", hint="give the impression of every row")
    if len(np.unique(which * (rank.max() + 1) + rank)) < len(rank):
        raise ParameterError("an impression shows two documents at one rank", hint="give every rank once")
    last = np.zeros(which.max() + 1)
    np.maximum.at(last, which, rank * clicked)
    return last[which]


def calibrate_tbg(
    grade: ArrayLike,
    clicked: ArrayLike,
    *,
    saved: ArrayLike | None = None,
    summary: ArrayLike | None = None,
    dwell: tuple[ArrayLike, ArrayLike] | None = None,
    visits: tuple[ArrayLike, ArrayLike] | None = None,
    rel: float = 1,
    level: float = LEVEL,
) -> Calibrated:
    """TBG with the users of a log (smucker2012tbg); what is not given stays as it was published.

    A row is a summary that was looked at: the ``grade`` of its document, and whether it was ``clicked`` and ``saved``.
    ``summary`` are seconds that summaries took. ``dwell`` are words and seconds of documents that were read: a line
    through them has ``reading`` and ``opening``. ``visits`` are seconds of whole visits, and whether each came to its
    end (1) or was watched only so long (0): users leave at one rate.
    """
    grade, clicked, kept = read_columns(grade=grade, clicked=clicked, saved=saved)
    need_flags(clicked=clicked, saved=kept)
    relevant = grade >= rel
    if relevant.all() or not relevant.any():
        raise ParameterError("all documents are alike", hint=f"TBG needs some of grade {rel:g} or more, and others")
    estimates = [
        share("click_relevant", float(clicked[relevant].sum()), float(relevant.sum()), level),
        share("click_other", float(clicked[~relevant].sum()), float((~relevant).sum()), level),
    ]
    if saved is not None:
        opened = relevant & (clicked == 1)
        estimates.append(share("save", float(kept[opened].sum()), float(opened.sum()), level))
    if summary is not None:
        (seconds,) = read_columns(summary=summary)
        estimates.append(mean("summary", seconds, level))
    if dwell is not None:
        words, seconds = read_columns(words=dwell[0], seconds=dwell[1])
        estimates += line(("reading", "opening"), words, seconds, level)
    if visits is not None:
        seconds, ended = read_columns(seconds=visits[0], ended=visits[1])
        need_flags(ended=ended)
        estimates.append(half_life("half_life", seconds, ended, level))
    names = [estimate.parameter for estimate in estimates]
    values: dict[str, Any] = dict(zip(names, rounded(estimates), strict=True))
    return Calibrated(TBG(rel=rel, **values), tuple(estimates))


def calibrate_cwl(views: ArrayLike, *, level: float = LEVEL) -> Calibrated:
    """A user who goes on as those of a log do: of all who saw a rank, the share that saw the next (wicaksono2018).

    ``views`` says how many saw ranks 1, 2, …. Where more saw a rank than the one above, all went on.
    """
    (views,) = read_columns(views=views)
    seen = views[: int(np.append(views == 0, values=True).argmax())]  # below the first that nobody saw is nothing
    return _cwl(np.minimum(seen[1:], seen[:-1]), seen[:-1], level)


def calibrate_cwl_from_clicks(
    last: ArrayLike, stopped: ArrayLike, count: ArrayLike | None = None, *, level: float = LEVEL
) -> Calibrated:
    """The same where only clicks are known: users are taken to have left after the deepest of them.

    Rows are those of ``calibrate_rbp``. Who came to the end of a page is no longer asked there.
    """
    last, stopped, count = read_columns(last=last, stopped=stopped, count=count)
    need_whole(0, last=last)
    need_flags(stopped=stopped)
    ranks = np.arange(1, last.max() + 1)
    on = ((last[:, None] > ranks) * count[:, None]).sum(axis=0)
    left = ((last[:, None] == ranks) * (stopped * count)[:, None]).sum(axis=0)
    asked = int(np.append(on + left == 0, values=True).argmax())
    return _cwl(on[:asked], (on + left)[:asked], level)


def _cwl(on: Numbers, looked: Numbers, level: float) -> Calibrated:
    if not len(on) or not on.any():
        raise ParameterError("nobody went on below the first rank", hint="give a longer log, or deeper pages")
    pairs = zip(on[:READ], looked[:READ], strict=True)
    notes = (f"users were followed down to rank {READ + 1} only",) if len(on) > READ else ()
    found = [share(f"continuation({i})", part, whole, level) for i, (part, whole) in enumerate(pairs, 1)]
    return Calibrated(CWL(continuation=write_numbers(rounded(found)), k=len(found) + 1), tuple(found), notes)


def calibrate_mp(
    start: ArrayLike,
    end: ArrayLike,
    count: ArrayLike | None = None,
    *,
    prior: float = 0.0,
    dwell: tuple[ArrayLike, ArrayLike] | None = None,
    level: float = LEVEL,
) -> Calibrated:
    """Markov precision with the ways of users from one clicked rank (``start``) to the next (``end``).

    ``prior`` is added to every count, for where some ranks were never left. ``dwell`` are grades and seconds of
    documents that were read: their means are the holding times.
    """
    start, end, count = read_columns(start=start, end=end, count=count)
    need_whole(1, start=start, end=end)
    last = int(max(start.max(), end.max()))
    if last > WALKED:
        hint = f"leave out what is below rank {WALKED}: a measure has no room for more in its notation"
        raise ParameterError(f"the walk goes down to rank {last}", hint=hint)
    counts = np.full((last, last), float(prior))
    np.add.at(counts, (start.astype(np.int64) - 1, end.astype(np.int64) - 1), count)
    if not counts.any(axis=1).all():
        rank = int(np.flatnonzero(~counts.any(axis=1))[0]) + 1
        raise ParameterError(f"nobody went on from rank {rank}", hint="give a prior above 0, or a longer log")
    whole = counts.sum(axis=1)
    rows = [
        [share(f"transitions({i + 1},{j + 1})", part, whole[i], level) for j, part in enumerate(row)]
        for i, row in enumerate(counts)
    ]
    held = _holding(*dwell, level) if dwell else []
    measure = MP(transitions=write_rows(map(rounded, rows)), holding=write_numbers(rounded(held)))
    return Calibrated(measure, tuple(estimate for row in [*rows, held] for estimate in row))


def _holding(grade: ArrayLike, seconds: ArrayLike, level: float) -> list[Estimate]:
    grade, seconds = read_columns(grade=grade, seconds=seconds)
    need_whole(0, grade=grade)
    of = [seconds[grade == g] for g in range(int(grade.max()) + 1)]
    empty = [g for g, some in enumerate(of) if not len(some)]
    if empty:
        raise ParameterError(f"nobody read a document of grade {empty[0]}", hint="merge grades, or give a longer log")
    return [mean(f"holding({g})", some, level) for g, some in enumerate(of)]


def calibrate_each(segment: ArrayLike, fit: Callable[..., Calibrated], **columns: ArrayLike) -> dict[str, Calibrated]:
    """A fit for each segment of users: ``calibrate_each(device, calibrate_rbp, last=last, stopped=stopped)``."""
    which = np.asarray(segment)
    given = {name: np.asarray(column) for name, column in columns.items()}
    if any(len(column) != len(which) for column in given.values()):
        raise ParameterError("the columns are not of one length", hint="give the segment of every row")
    return {
        str(name): fit(**{column: values[which == name] for column, values in given.items()})
        for name in np.unique(which)
    }
