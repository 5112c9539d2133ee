"""Group the rows of a log into result pages and sessions, and compute dwell times."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .impression_log import PAUSE, SATISFIED

if TYPE_CHECKING:
    from ibis.expr.types import Table as Expression

    from .impression_log import Log


def impressions(log: "Log", more: Callable[["Expression"], dict[str, Any]] | None = None) -> "Expression":
    """A row for each page; ``more`` makes further columns of the rows of its documents.

    ``shown`` and ``clicks`` count documents; ``first_rank`` and ``last_rank`` are those of clicks, ``first_click`` and
    ``last_click`` their times, ``dwell`` the seconds on documents and ``satisfied`` how many were read for 30 seconds
    or more; ``session`` is cut where a user gave no sign for 30 minutes; ``satisfaction`` is 1 if all answers are yes.
    What the log does not know is not there.
    """
    rows, known = with_dwell(log), log.known
    clicked = rows.clicked
    made: dict[str, Any] = {name: rows[name].min() for name in ("topic", "user", "session", "arm") if name in known}
    made |= {"shown": rows["rank"].count(), "clicks": clicked.cast("int64").sum()}
    made |= {"first_rank": rows["rank"].min(where=clicked), "last_rank": rows["rank"].max(where=clicked)}
    if "time" in known:
        made["time"] = rows.time.min()
    if "click_time" in known:
        made |= {"first_click": rows.click_time.min(where=clicked), "last_click": rows.click_time.max(where=clicked)}
    if "dwell" in rows.columns:
        made |= {
            "dwell": rows.dwell.sum(where=clicked),
            "satisfied": (rows.dwell >= SATISFIED).sum(where=clicked).fill_null(0),
        }
        made["dwelled"] = rows.dwell.count(where=clicked)
    for name in ("answered", "converted"):
        if name in known:
            made[name] = rows[name].fill_null(False).cast("int64").max()
    if "revenue" in known:
        made["revenue"] = rows.revenue.fill_null(0.0).sum()
    if "satisfaction" in known:
        made["satisfaction"] = rows.satisfaction.cast("int64").min()
    if more is not None:
        made |= more(rows)
    pages = rows.group_by("impression").aggregate(**made)
    return with_sessions(pages) if "time" in known else pages


def with_sessions(pages: "Expression") -> "Expression":
    """The same pages, sessions cut where nothing happened for so long; without a name each user has them numbered."""
    import ibis

    owner = next((name for name in ("session", "user") if name in pages.columns), None)
    if owner is None:
        return pages.mutate(session=pages.impression)
    end = (
        ibis.greatest(pages.time, pages.last_click.fill_null(pages.time))
        if "last_click" in pages.columns
        else pages.time
    )
    pages = pages.mutate(_end=end)
    order = [pages.time, pages.impression]
    before = ibis.rows_window(group_by=owner, order_by=order, preceding=(None, 1))
    paused = pages.time - pages._end.max().over(before) > PAUSE
    pages = pages.mutate(_cut=paused.fill_null(False).cast("int64"))
    upto = ibis.rows_window(group_by=owner, order_by=[pages.time, pages.impression], preceding=(None, 0))
    number = pages._cut.sum().over(upto).cast("string")
    named = pages.mutate(session=pages[owner].concat("#", number))
    return named.drop("_end", "_cut")


def with_dwell(log: "Log") -> "Expression":
    """The rows with seconds on each clicked document: as logged, else until the user's next sign, at most 30 minutes.

    After the last click of all nobody knows how long it took.
    """
    rows, known = log.rows, log.known
    if "dwell" in known or not {"click_time", "time"} <= known or not ({"session", "user"} & known):
        return rows
    import ibis

    owner = "session" if "session" in known else "user"
    shown = rows.group_by("impression").aggregate(owner=rows[owner].min(), at=rows.time.min()).drop("impression")
    clicks = rows.filter(rows.clicked & rows.click_time.notnull())
    events = shown.union(clicks.select(owner=clicks[owner], at=clicks.click_time)).distinct()
    following = events.at.lead().over(ibis.window(group_by="owner", order_by="at"))
    events = events.mutate(dwell=following - events.at)  # none after the last
    events = events.mutate(dwell=(events.dwell > PAUSE).ifelse(float(PAUSE), events.dwell))
    events = events.rename(_owner="owner", _at="at")
    rows = rows.mutate(_clicked=rows.clicked.ifelse(rows.click_time, None))
    joined = rows.left_join(events, [rows[owner] == events._owner, rows._clicked == events._at])
    return joined.drop("_owner", "_at", "_clicked")
