"""Group the rows of a log into result pages and sessions, and compute dwell times."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .impression_log import PAUSE, SATISFIED

if TYPE_CHECKING:
    from ibis.expr.types import Table as Expression

    from .impression_log import Log
    from .query_engines import Engine


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
    """The same pages, sessions cut where nothing happened for so long; without a name each user has them numbered.

    A session is of one user: equal names of several users are several sessions. Pages without a name belong to the
    session of their user; without users each is a session.
    """
    import ibis

    keys = _session_keys(pages)
    if not keys:
        return pages.mutate(session=pages.impression)
    end = (
        ibis.greatest(pages.time, pages.last_click.fill_null(pages.time))
        if "last_click" in pages.columns
        else pages.time
    )
    pages = pages.mutate(_end=end, **keys)
    order = [pages.time, pages.impression]
    before = ibis.rows_window(group_by=list(keys), order_by=order, preceding=(None, 1))
    paused = pages.time - pages._end.max().over(before) > PAUSE
    pages = pages.mutate(_cut=paused.fill_null(False).cast("int64"))
    upto = ibis.rows_window(group_by=list(keys), order_by=[pages.time, pages.impression], preceding=(None, 0))
    number = pages._cut.sum().over(upto).cast("string")
    named = pages.mutate(session=pages._owner.concat(pages._visit, "#", number))
    return named.drop("_end", "_cut", "_owner", "_visit")


def _session_keys(rows: "Expression") -> dict[str, Any]:
    """Return the columns that pages of a session have in common: ``_owner``, and ``_visit`` within it.

    None where neither sessions nor users are known. A tab, which no name begins with, keeps names apart.
    """
    import ibis

    tab, none = ibis.literal("\t"), ibis.literal("")
    if "session" not in rows.columns:
        return {"_owner": rows["user"], "_visit": none} if "user" in rows.columns else {}
    named = rows["session"].notnull()
    if "user" in rows.columns:
        return {"_owner": rows["user"], "_visit": named.ifelse(tab.concat(rows["session"]), none)}
    return {"_owner": rows["session"].fill_null(""), "_visit": named.ifelse(none, tab.concat(rows.impression))}


def session_notes(engine: "Engine", rows: "Expression") -> list[str]:
    """Return notes on names of sessions that several users have, and on pages without a session."""
    if "session" not in rows.columns:
        return []
    session, user = rows["session"], "user" in rows.columns
    users = rows["user"].nunique() if user else session.nunique()
    named = rows.filter(session.notnull()).group_by("session").aggregate(users=users)
    several = engine.fetch(named.aggregate(n=(named.users > 1).cast("int64").sum(), sessions=named.count()))
    pages = rows.group_by("impression").aggregate(known=session.count())
    lacking = engine.fetch(pages.aggregate(n=(pages.known == 0).cast("int64").sum(), pages=pages.count()))
    (shared, sessions), (bare, total) = (next(iter(found.to_pylist())).values() for found in (several, lacking))
    notes = [f"{shared:,} of {sessions:,} names of sessions have several users: each user has a session"] * bool(shared)
    cut = "cut where a user gives no sign for 30 minutes" if user else "each is a session"
    return notes + [f"{bare:,} of {total:,} pages have no session: {cut}"] * bool(bare)


def with_dwell(log: "Log") -> "Expression":
    """The rows with seconds on each clicked document: as logged, else until the user's next sign, at most 30 minutes.

    After the last click of all nobody knows how long it took.
    """
    rows, known = log.rows, log.known
    if "dwell" in known or not {"click_time", "time"} <= known or not ({"session", "user"} & known):
        return rows
    import ibis

    rows = rows.mutate(**_session_keys(rows))
    keys = {"owner": rows._owner.max(), "visit": rows._visit.max()}
    shown = rows.group_by("impression").aggregate(**keys, at=rows.time.min()).drop("impression")
    clicks = rows.filter(rows.clicked & rows.click_time.notnull())
    events = shown.union(clicks.select(owner=clicks._owner, visit=clicks._visit, at=clicks.click_time)).distinct()
    following = events.at.lead().over(ibis.window(group_by=["owner", "visit"], order_by="at"))
    events = events.mutate(dwell=following - events.at)  # none after the last
    events = events.mutate(dwell=(events.dwell > PAUSE).ifelse(float(PAUSE), events.dwell))
    events = events.rename(_of="owner", _in="visit", _at="at")
    rows = rows.mutate(_clicked=rows.clicked.ifelse(rows.click_time, None))
    same = [rows._owner == events._of, rows._visit == events._in, rows._clicked == events._at]
    return rows.left_join(events, same).drop("_of", "_in", "_at", "_clicked", "_owner", "_visit")
