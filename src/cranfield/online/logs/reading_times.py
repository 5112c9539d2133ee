"""Reading times from a log: seconds per result summary, and per document by its length."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cranfield.core import ParameterError
from cranfield.online.clicks.probability_estimates import Numbers

if TYPE_CHECKING:
    from cranfield.data import Lengths, Log


@dataclass(frozen=True, slots=True, eq=False)
class Times:
    """Seconds that users took, as far as a log knows them; what it does not know is said in the notes."""

    summary: Numbers | None  # (page,): seconds for each summary down to the first click
    dwell: tuple[Numbers, Numbers] | None  # (click,): words of the document, and seconds on it
    notes: tuple[str, ...] = ()


def read_times(log: "Log", lengths: "Lengths | None" = None) -> Times:
    """How long summaries and documents took.

    A page is read from the top: until the first click, so many summaries were looked at as its rank says. Seconds on a
    document are those of the log, or until the next sign of the user. Only documents whose length is known count.
    """
    summary = _summaries(log) if {"time", "click_time"} <= log.known else None
    notes = [] if summary is not None else ["summary is as published: the log has no time and click_time"]
    rows: Any = log.with_dwell()
    if "dwell" not in rows.columns:
        return Times(summary, None, (*notes, "reading and opening are as published: the log has no dwell"))
    if lengths is None:
        return Times(summary, None, (*notes, "reading and opening are as published: give the lengths of documents"))
    clicks = rows.filter(rows["clicked"] & rows["dwell"].notnull()).select("document", "dwell")
    found = log.fetch(clicks.order_by(["document", "dwell"]))
    known = dict(zip(lengths.documents.to_list(), lengths.values.tolist(), strict=True))
    words = np.array([known.get(document, np.nan) for document in found["document"]])
    seconds, there = np.asarray(found["dwell"], dtype=np.float64), ~np.isnan(words)
    if not there.any():
        hint = "documents of the log and of the lengths need the same names"
        raise ParameterError(f"{lengths.source.name} has the length of no document that was read", hint=hint)
    if not there.all():
        notes.append(f"{1 - there.mean():.1%} of the documents read are left out: nobody knows how long they are")
    return Times(summary, (words[there], seconds[there]), tuple(notes))


def _summaries(log: "Log") -> Numbers:
    """(page,): seconds to the first click over its rank, of pages that have one."""
    pages: Any = log.impressions()
    pages = pages.filter(pages["first_click"].notnull() & (pages["first_click"] >= pages["time"]))
    each = ((pages["first_click"] - pages["time"]) / pages["first_rank"]).name("each")
    return np.asarray(log.fetch(pages.select(each).order_by("each"))["each"], dtype=np.float64)
