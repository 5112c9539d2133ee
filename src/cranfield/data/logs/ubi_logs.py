"""Logs of OpenSearch's User Behavior Insights: queries with the ids of their hits, and events."""

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cranfield.core import Input
from cranfield.data.files.input_problems import listed, problem

from .impression_log import Log
from .log_files import digest_of, open_rows, read_log
from .query_engines import Engine, connect

if TYPE_CHECKING:
    from ibis.expr.types import Table as Expression
    from ibis.expr.types import Value

CLICKS = ("click", "click_through")
CONVERSIONS = ("add_to_cart", "purchase")
SHOWN = "impression"  # the action that says what was shown, where queries do not
HITS, OBJECT, ORDINAL = (
    "query_response_hit_ids",
    "event_attributes.object.object_id",
    "event_attributes.position.ordinal",
)
HINT = "UBI keeps ubi_queries and ubi_events: give both, or a folder with both"


def read_ubi(
    queries: Any,
    events: Any = None,
    *,
    clicks: Sequence[str] = CLICKS,
    conversions: Sequence[str] = CONVERSIONS,
    engine: Any = None,
    memory: str | None = None,
) -> Log:
    """The log that two indices of UBI hold, in version 1.3.0 of its schema: ``ubi_queries`` and ``ubi_events``.

    Both are exports (JSON Lines, Parquet, with or without ``_source`` around each), frames, or tables of an engine;
    alone, ``queries`` is a folder with both. A query is an impression and ``client_id`` its user; sessions are cut
    where a user gives no sign for 30 minutes, for a query does not name its session. What was shown are the hits of the
    query, in their order; where queries do not keep them, the events named impression with their ordinal, from 1. A
    document was clicked if one of the actions ``clicks`` names it and the query, and converted likewise.
    """
    asked = connect(engine, memory=memory)
    if events is None:
        queries, events = _both(queries)
    name = fspath(queries) if isinstance(queries, str | PathLike) else "ubi_queries"
    told = fspath(events) if isinstance(events, str | PathLike) else "ubi_events"
    query, event = _opened(asked, queries, name), _opened(asked, events, told)
    shown = _shown(query, event, name, told)
    done = _done(event, clicks, conversions, told)
    read = read_log(_joined(shown, done), engine=asked, name=name)
    source = Input(f"{name} + {told}", digest_of([queries, events]), "log")
    lost = _lost(asked, shown, done)
    return replace(read, source=source, dropped=replace(read.dropped, notes=(*read.dropped.notes, *lost)))


def _both(folder: Any) -> tuple[str, str]:
    """The files of both indices in a folder."""
    place = Path(fspath(folder)) if isinstance(folder, str | PathLike) else None
    if place is None or not place.is_dir():
        raise problem(str(place or "ubi"), "E-MISSING", "this is no folder with an export of UBI", HINT)
    found = [[one for one in place.iterdir() if what in one.name.casefold()] for what in ("queries", "events")]
    if any(len(files) != 1 for files in found):
        what = "queries" if len(found[0]) != 1 else "events"
        raise problem(str(place), "E-MISSING", f"the folder has not one file with {what} in its name", HINT)
    return str(found[0][0]), str(found[1][0])


def _opened(engine: Engine, data: Any, name: str) -> "Expression":
    """The rows, without what an export puts around them, read once."""
    table, text = open_rows(engine, data, name)
    if "_source" in table.columns and table["_source"].type().is_struct():
        table = table.select("_source").unpack("_source")
    return engine.keep(table) if text else table


def _field(table: "Expression", path: str, name: str) -> "Value":
    """A field by its path, whether it is a column of that name or inside others."""
    if path in table.columns:
        return _plain(table[path])
    first, *inner = path.split(".")
    if first in table.columns:
        value: Any = table[first]
        for step in inner:
            if not value.type().is_struct() or step not in value.type().names:
                break
            value = value[step]
        else:
            return _plain(value)
    raise problem(name, "E-COLUMNS", f"there is no field {path}", f"there are: {listed(table.columns, most=12)}")


def _plain(value: Any) -> "Value":
    """Numbers and words of one field, as DuckDB reads them, are words."""
    return value.cast("string").re_replace('^"(.*)"$', r"\1").nullif("null") if value.type().is_json() else value


def _shown(query: "Expression", event: "Expression", name: str, told: str) -> "Expression":
    """A row for each document that a query showed; one without a document where it showed none."""
    page = {
        "impression": _field(query, "query_id", name).cast("string"),
        "topic": _field(query, "user_query", name),
        "user": _field(query, "client_id", name).cast("string"),
        "time": _field(query, "timestamp", name),
    }
    if HITS in query.columns:
        rows = query.select(**page, document=query[HITS].cast("array<string>"))
        rows = rows.unnest("document", offset="rank", keep_empty=True)
        return rows.mutate(rank=rows["rank"].cast("int64") + 1)
    seen = event.filter(_field(event, "action_name", told) == SHOWN)
    seen = seen.select(
        _page=_field(seen, "query_id", told).cast("string"),
        document=_field(seen, OBJECT, told).cast("string"),
        rank=_field(seen, ORDINAL, told).cast("int64"),
    )
    pages, seen = query.select(**page), seen.distinct()
    return pages.left_join(seen, pages.impression == seen._page).drop("_page")


def _done(event: "Expression", clicks: Sequence[str], conversions: Sequence[str], name: str) -> "Expression":
    """A row for each document of a query on which somebody acted: when first clicked, and whether it converted."""
    action = _field(event, "action_name", name)
    acts = event.select(
        _page=_field(event, "query_id", name).cast("string"),
        _object=_field(event, OBJECT, name).cast("string"),
        click=action.isin(clicks),
        conversion=action.isin(conversions),
        at=_field(event, "timestamp", name),
    )
    acts = acts.filter(acts.click | acts.conversion)
    return acts.group_by(["_page", "_object"]).aggregate(
        clicked=acts.click.cast("int64").max(),
        click_time=acts["at"].min(where=acts.click),
        converted=acts.conversion.cast("int64").max(),
    )


def _joined(shown: "Expression", done: "Expression") -> "Expression":
    rows = shown.left_join(done, [shown.impression == done._page, shown.document == done._object])
    rows = rows.drop("_page", "_object")
    return rows.mutate(clicked=rows.clicked.fill_null(0), converted=rows.converted.fill_null(0))


def _lost(engine: Engine, shown: "Expression", done: "Expression") -> tuple[str, ...]:
    """What users did to documents that no query showed them."""
    apart = done.anti_join(shown, [done._page == shown.impression, done._object == shown.document])
    lost = engine.fetch(apart.aggregate(lost=apart.count()))["lost"][0].as_py()
    return (f"{lost:,} clicks or conversions are of documents that their query did not show",) if lost else ()
