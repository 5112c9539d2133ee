"""Calibrate the user models of effectiveness measures to a click log."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError, UnknownName
from cranfield.data import Qrels
from cranfield.measures import (
    MEASURES,
    Calibrated,
    Estimate,
    calibrate_cwl_from_clicks,
    calibrate_err,
    calibrate_mp,
    calibrate_rbp,
    calibrate_tbg,
)
from cranfield.online.logs.clicked_pages import Cells, Pages
from cranfield.online.logs.reading_times import Times

from .base import CLICK_MODELS
from .fitted_model import Fitted
from .probability_estimates import LEVEL, Numbers
from .probability_estimates import Estimate as Learnt

if TYPE_CHECKING:
    from cranfield.data import Log

COUNTED = {"ERR": "rrSDBN", "rrSDBN": "rrSDBN", "EBU": "uSDBN", "uSDBN": "uSDBN"}  # by grade, without rounds
FITTED = ("uPBM", "uUBM", "uDCM", "rrDCM", "uDBN", "rrDBN", "uCCM", "rrCCM")  # by grade, with a click model
FROM_STEPS = ("MP",)
CALIBRATIONS = ("RBP", "CWL", "MP", "TBG", *COUNTED, *FITTED)
CHAIN = ("after_skip", "after_click", "after_satisfied")
DECIMALS = 4  # of what stands in the notation of a fitted measure
WALKED = 10  # ranks of a walk from click to click
PRIOR = 1.0  # steps between any two ranks, before any data


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """From which clicked rank users went to which, and how often."""

    start: NDArray[np.int64]
    end: NDArray[np.int64]
    count: NDArray[np.int64]


def read_steps(log: "Log") -> Steps:
    """The ways from one clicked rank to the next on the same page, in the order of time, down to rank 10."""
    import ibis

    log.require("click_time", why="MP")
    rows = log.documents
    clicks = rows.filter(rows.clicked & rows.click_time.notnull() & (rows["rank"] <= WALKED))
    order = ibis.window(group_by="impression", order_by=[clicks.click_time, clicks["rank"]])
    ways = clicks.mutate(start=clicks["rank"], end=clicks["rank"].lead().over(order))
    ways = ways.filter(ways.end.notnull())
    found = log.fetch(ways.group_by(["start", "end"]).aggregate(count=ways.count()).order_by(["start", "end"]))
    if not len(found["start"]):
        raise ParameterError(f"{log.source.name} has no page with two clicks", hint="MP needs ways from click to click")
    return Steps(*(np.asarray(found[name], dtype=np.int64) for name in ("start", "end", "count")))


def calibrate_measure(
    name: str,
    log: Pages | Cells,
    *,
    qrels: Qrels | None = None,
    steps: Steps | None = None,
    times: Times | None = None,
    level: float = LEVEL,
) -> Calibrated:
    """A measure fitted to pages with clicks, by its name; those of ``FROM_STEPS`` need no pages.

    RBP and CWL take how deep users click, MP their ``steps``; all others take grades from ``qrels``: TBG and ERR by
    counting, those of click models (uPBM, rrDBN, …) by fitting the model with one chance for each grade. TBG takes
    ``times`` too: what is not known of them stays as published.
    """
    asked = next((one for one in CALIBRATIONS if one.casefold() == name.casefold()), None)
    if asked is None:
        raise UnknownName(f"no measure named {name!r} is fitted to a log", hint=f"choose: {', '.join(CALIBRATIONS)}")
    sure = 1 - level
    if asked in FROM_STEPS:
        if steps is None:
            raise ParameterError(f"{asked} needs the steps of users from click to click", hint="give read_steps(log)")
        return calibrate_mp(steps.start, steps.end, steps.count, prior=PRIOR, level=sure)
    if isinstance(log, Cells):
        raise ParameterError(f"{asked} is fitted to whole result pages", hint="give Pages, not Cells")
    if asked in ("RBP", "CWL"):
        fit = calibrate_rbp if asked == "RBP" else calibrate_cwl_from_clicks
        return fit(log.last, log.last < log.shown.sum(axis=1), log.count, level=sure)
    graded, notes = _graded(asked, log, qrels)
    if asked == "TBG":
        found = _timed(graded, times or Times(None, None), sure)
    else:
        found = _counted(asked, graded, sure) if asked in COUNTED else _fitted(asked, graded, level)
    return replace(found, notes=(*found.notes, *notes))


def _graded(name: str, pages: Pages, qrels: Qrels | None) -> tuple[Pages, tuple[str, ...]]:
    """The pages of judged topics with grades instead of documents; what nobody judged is of grade 0."""
    if qrels is None:
        raise ParameterError(f"{name} is fitted by grade", hint="give judgments: --qrels QRELS")
    table = qrels.to_table()
    known = dict(zip(zip(table.cells("topic"), table.cells("document"), strict=True), qrels.grade, strict=True))
    topics = set(qrels.topics.to_list())
    pairs = pages.pairs
    named = [(pairs.topics[t], pairs.documents[d]) for t, d in zip(pairs.topic, pairs.document, strict=True)]
    kept = np.array([topic in topics for topic, _ in named])[pages.pair[:, 0]]
    if not kept.any():
        hint = "topics of the log and of the judgments need the same names"
        raise ParameterError(f"{qrels.source.name} judges no topic of the log", hint=hint)
    grade = np.maximum(np.array([known.get(pair, 0.0) for pair in named]), 0.0)
    if (grade != np.rint(grade)).any():
        raise ParameterError(f"{name} needs whole grades", hint="give judgments with grades 0, 1, 2, …")
    judged = pages.kept(kept)
    top = int(max(qrels.grade.max(initial=0), 0))
    graded = judged.grouped(grade.astype(np.int64), [str(each) for each in range(top + 1)])
    missing = sorted(set(range(top + 1)) - set(graded.pair[graded.shown].tolist()))
    if missing or not top:
        message = f"the log shows no document of grade {missing[0] if missing else 1}"
        raise ParameterError(message, hint="merge grades in the judgments, or give a longer log")
    return graded, tuple(_unjudged(judged, named, known) + _left(pages, judged))


def _unjudged(pages: Pages, named: Sequence[tuple[str, str]], known: dict[Any, Any]) -> list[str]:
    unknown = np.array([pair not in known for pair in named])
    shown = np.broadcast_to(pages.count[:, np.newaxis], pages.pair.shape)[pages.shown]
    share = float(shown @ unknown[pages.pair[pages.shown]] / shown.sum())
    return [f"{share:.1%} of the documents shown are not judged: they count as grade 0"] if share else []


def _left(pages: Pages, judged: Pages) -> list[str]:
    left = pages.impressions - judged.impressions
    return [f"impressions of topics without judgments, left out: {left:,.0f}"] if left else []


def _timed(graded: Pages, times: Times, sure: float) -> Calibrated:
    """TBG: clicks by grade among the documents that were looked at, those down to the last click; and seconds."""
    seen = graded.shown & (np.arange(1, graded.depth + 1) <= graded.last[:, np.newaxis])
    count = graded.count[np.nonzero(seen)[0]].astype(np.int64)
    grade, clicked = np.repeat(graded.pair[seen], count), np.repeat(graded.clicked[seen], count)
    found = calibrate_tbg(grade, clicked, summary=times.summary, dwell=times.dwell, level=sure)
    return replace(found, notes=(*found.notes, *times.notes))


def _counted(name: str, graded: Pages, sure: float) -> Calibrated:
    """ERR: clicks by grade."""
    page, place = np.nonzero(graded.shown)
    grade, clicked, count = graded.pair[graded.shown], graded.clicked[graded.shown], graded.count[page]
    return calibrate_err(page, place + 1, grade, clicked, count, of=COUNTED[name], level=sure)  # type: ignore[arg-type]


def _fitted(name: str, graded: Pages, level: float) -> Calibrated:
    """A measure of the users of a click model, its chances tied to grades."""
    model = name.removeprefix("u").removeprefix("rr")
    fitted = CLICK_MODELS[model](**({"exact": True} if model == "DCM" else {})).fit(graded)  # counts would be biased
    values: dict[str, Any] = {}
    estimates: list[Estimate] = []
    for parameter, learnt in fitted.estimates.items():
        estimates += _estimates(parameter, learnt, level)
        values |= _written(fitted, parameter, learnt.value.round(DECIMALS))
    measure = MEASURES[name](k=graded.depth, **values)
    notes = () if fitted.converged else (f"{fitted.model} was still climbing after {fitted.rounds} rounds",)
    return Calibrated(measure, tuple(estimates), notes)


def _estimates(parameter: str, learnt: Learnt, level: float) -> list[Estimate]:
    names = (name.removeprefix("any ") for name in learnt.names())
    rows = zip(names, learnt.value, *learnt.interval(level), learnt.den, strict=True)
    return [
        Estimate(f"{parameter}({key})", float(value), float(low), float(high), round(den))
        for key, value, low, high, den in rows
    ]


def _written(fitted: Fitted, parameter: str, value: Numbers) -> dict[str, Any]:
    """A parameter as the notation of a measure has it."""
    model = fitted.model.name
    if (model, parameter) == ("DBN", "continuation"):
        return {parameter: float(value[0])}
    if (model, parameter) == ("CCM", "continuation"):
        return dict(zip(CHAIN, map(float, value), strict=True))
    if (model, parameter) == ("UBM", "examination"):
        ends = np.cumsum(np.arange(1, int((2 * len(value)) ** 0.5) + 1))[:-1]  # one for rank 1, two for rank 2, …
        return {parameter: "/".join(" ".join(map(str, row.tolist())) for row in np.split(value, ends))}
    return {parameter: " ".join(map(str, value.tolist()))}
