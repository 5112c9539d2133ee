"""Logs of OpenSearch's User Behavior Insights: queries with the ids of their hits, and events."""

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cranfield.core import Input, InputError
from cranfield.data.files.input_problems import listed, problem

from .cell_types import as_name, convert, json_as_text
from .excluded_rows import ExcludedRows
from .impression_log import FIELDS, KEPT, Log
from .log_files import digest_of, open_rows, read_log
from .query_engines import Engine, connect
from .row_checks import check_ranks_from

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
NO_HITS = f"query without {HITS}"
UNREADABLE_HITS = f"query with unreadable {HITS}"
NOT_SHOWN = "event on a document that its query did not show"
HINT = "UBI keeps ubi_queries and ubi_events: give both, or a folder with both"


def read_ubi(
    queries: Any,
    events: Any = None,
    *,
    clicks: Sequence[str] = CLICKS,
    conversions: Sequence[str] = CONVERSIONS,
    ranks_from: int = 1,
    engine: Any = None,
    memory: str | None = None,
) -> Log:
    """The log that two indices of UBI hold, in version 1.3.0 of its schema: ``ubi_queries`` and ``ubi_events``.

    Both are exports (JSON Lines, Parquet, with or without ``_source`` around each), frames, or tables of an engine;
    alone, ``queries`` is a folder with both. A query is an impression and ``client_id`` its user; sessions are cut
    where a user gives no sign for 30 minutes, for a query does not name its session. What was shown are the hits of the
    query, in their order; where a query does not name them, the events named impression with their ordinal, from 1. A
    document was clicked if one of the actions ``clicks`` names it and the query, and converted likewise. Where a page
    shows a document twice, the ordinal of the event (from 1, or from ``ranks_from``) says which of both was meant.
    Other actions on documents are listed in the notes of the log.

    Clicks and conversions that cannot be used are excluded, and each counts as a row in ``Log.excluded``: without a
    query or a document, of an unknown query, or on a document that its query did not show. A query without hits and
    impressions is a page without results, unless such queries have clicks: then it is not known what they showed, and
    they are excluded.
    """
    check_ranks_from(ranks_from)
    clicks, conversions = ([names] if isinstance(names, str) else list(names) for names in (clicks, conversions))
    asked = connect(engine, memory=memory)
    if events is None:
        queries, events = _both(queries)
    name = fspath(queries) if isinstance(queries, str | PathLike) else "ubi_queries"
    told = fspath(events) if isinstance(events, str | PathLike) else "ubi_events"
    query, event = _opened(asked, queries, name), _opened(asked, events, told)
    notes = _unused_actions(asked, event, clicks, conversions, told)
    shown = asked.keep(_shown(asked, query, event, name, told, ranks_from))
    acts = asked.keep(_acts_on_ranks(_acts(event, clicks, conversions, told, ranks_from), shown))
    notes += _notes_on_acts(asked, acts, told, ranks_from)
    unused, more = _excluded_queries(asked, shown, acts)
    notes += more
    known = shown.filter(shown._hits.notin(list(unused))) if unused else shown
    read = read_log(_joined(known.drop("_hits"), acts), engine=asked, name=name)
    source = Input(f"{name} + {told}", digest_of([queries, events]), "log")
    excluded = _with_unread(read.excluded, unused | _excluded_acts(asked, acts))
    return replace(read, source=source, excluded=excluded, notes=(*read.notes, *notes))


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
    """Return a field by its path: a column of that name, or a field of structs, maps, or JSON in a column."""
    if path in table.columns:
        return json_as_text(table[path])
    first, *inner = path.split(".")
    if first in table.columns:
        value: Any = table[first]
        for step in inner:
            kind = value.type()
            if kind.is_struct() and step in kind.names:
                value = value[step]
            elif kind.is_map():
                value = value.get(step)
            elif kind.is_json():
                value = value[step]
            elif kind.is_string() and _reads_json(table):
                value = value.try_cast("json")[step]
            else:
                break
        else:
            return json_as_text(value)
    raise problem(name, "E-COLUMNS", f"there is no field {path}", f"there are: {listed(table.columns, most=12)}")


def _reads_json(table: "Expression") -> bool:
    """Return whether the engine converts text to JSON: Spark has no such type."""
    return table.get_backend().name == "duckdb"


def _ordinal(event: "Expression", name: str, ranks_from: int) -> "Value":
    """Return the rank that each event names, null where it names none; version 1.0.0 has it in ``ordinal.index``."""
    import ibis

    ordinals = [ibis.null("int64")]
    for path in (ORDINAL, f"{ORDINAL}.index"):
        try:
            value: Any = _field(event, path, name)
        except InputError:
            continue
        if not value.type().is_struct():
            ordinals.append(convert(value, FIELDS["rank"]))
    return ibis.coalesce(*ordinals) + (1 - ranks_from)


def _shown(
    engine: Engine, query: "Expression", event: "Expression", name: str, told: str, ranks_from: int
) -> "Expression":
    """Return a row for each document that a query showed; one without a document where it showed none.

    Where a query does not name its hits, the events named impression tell what it showed. ``_hits`` is the reason why
    it is not known what a query showed, and empty where it is known.
    """
    import ibis

    page = {
        "impression": _field(query, "query_id", name).cast("string"),
        "topic": _field(query, "user_query", name),
        "user": _field(query, "client_id", name).cast("string"),
        "time": _field(query, "timestamp", name),
    }
    if HITS not in query.columns:
        return _shown_by_events(query.select(**page, _hits=ibis.literal(NO_HITS)), event, told, ranks_from)
    if query[HITS].type().is_string() and not _reads_json(query):
        raise problem(name, "E-COLUMNS", f"{HITS} is text", "export it as a list, or read it with --engine duckdb")
    hits = query[HITS].try_cast("array<string>")
    reason = ibis.cases((hits.notnull(), KEPT), (query[HITS].isnull(), NO_HITS), else_=UNREADABLE_HITS)
    pages = query.select(**page, document=hits, _hits=reason)
    unknown = pages.document.isnull()
    rows = pages.filter(~unknown).unnest("document", offset="rank", keep_empty=True)
    rows = rows.mutate(rank=rows["rank"].cast("int64") + 1)
    if not engine.fetch(pages.aggregate(unknown=unknown.any()))["unknown"][0].as_py():
        return rows
    others = _shown_by_events(pages.filter(unknown).drop("document"), event, told, ranks_from)
    return rows.union(others.select(*rows.columns))


def _shown_by_events(pages: "Expression", event: "Expression", told: str, ranks_from: int) -> "Expression":
    seen = event.filter(_field(event, "action_name", told) == SHOWN)
    seen = seen.select(
        _page=_field(seen, "query_id", told).cast("string"),
        document=_field(seen, OBJECT, told).cast("string"),
        rank=_ordinal(seen, told, ranks_from),
    )
    seen = seen.distinct()
    rows = pages.left_join(seen, pages.impression == seen._page)
    return rows.mutate(_hits=rows._page.isnull().ifelse(rows._hits, KEPT)).drop("_page")


def _excluded_queries(engine: Engine, shown: "Expression", acts: "Expression") -> tuple[dict[str, int], list[str]]:
    """Return the number of queries to exclude by reason, because it is not known what they showed, and notes.

    Queries without hits are pages without results, unless one of them has a click or a conversion.
    """
    pages = shown.filter(shown._hits != KEPT)
    counts = pages.group_by("_hits").aggregate(n=pages.impression.nunique())
    queries = {row["_hits"]: row["n"] for row in engine.fetch(counts).to_pylist()}
    bare = pages.filter(pages._hits == NO_HITS)
    used = acts.semi_join(bare, acts._page == bare.impression)
    if not queries.get(NO_HITS) or engine.fetch(used.aggregate(n=used.count()))["n"][0].as_py():
        return queries, []
    count = queries.pop(NO_HITS)
    return queries, [f"{count:,} queries name no hits and have no impressions: read as pages without results"]


def _unused_actions(
    engine: Engine, event: "Expression", clicks: Sequence[str], conversions: Sequence[str], name: str
) -> list[str]:
    """Return a note on actions on documents that count as nothing; refuse events without a single click."""
    events = event.select(action=_field(event, "action_name", name), target=_field(event, OBJECT, name))
    asked = [] if tuple(clicks) == CLICKS else clicks
    counted = events.group_by("action").aggregate(events=events.target.count())
    counts = {row["action"]: row["events"] for row in engine.fetch(counted).to_pylist() if row["events"]}
    used = {*clicks, *conversions, SHOWN}
    others = sorted(
        ((action, count) for action, count in counts.items() if action not in used), key=lambda one: -one[1]
    )
    lacking = [action for action in asked if action not in counts]
    if lacking or not any(action in counts for action in clicks):
        known = listed([f"{action} ({count:,})" for action, count in counts.items()], most=8) or "none"
        message = f"no event is a click ({', '.join(lacking or clicks)}); actions on documents: {known}"
        raise problem(name, "E-CLICKS", message, "name the actions that are clicks: --clicks NAME")
    unused = listed([f"{action} ({count:,})" for action, count in others], most=8)
    return [f"actions that are not used: {unused}; --clicks NAME counts an action as a click"] if others else []


def _acts(
    event: "Expression", clicks: Sequence[str], conversions: Sequence[str], name: str, ranks_from: int
) -> "Expression":
    """Return the clicks and conversions, with the ordinal of their document where it is known."""
    action = _field(event, "action_name", name)
    acts = event.select(
        _page=_field(event, "query_id", name).cast("string"),
        _object=_field(event, OBJECT, name).cast("string"),
        _ordinal=_ordinal(event, name, ranks_from),
        click=action.isin(clicks),
        conversion=action.isin(conversions),
        at=_field(event, "timestamp", name),
    )
    return acts.filter(acts.click | acts.conversion)


def _acts_on_ranks(acts: "Expression", shown: "Expression") -> "Expression":
    """Return each act with the rank of its document in ``_rank``: null where its query did not show the document.

    ``_why`` is the reason for which an act cannot be used.
    Where a page has the document more than once (``_copies``), the ordinal decides; without one (``_guessed``) the
    first copy is meant.
    """
    import ibis

    found = shown.filter(shown.document.notnull())
    copies = found.group_by(_page="impression", _object="document").aggregate(
        _first=found["rank"].min(), _copies=found.count()
    )
    places = found.select(_page="impression", _object="document", _ordinal="rank").distinct().mutate(_there=True)
    acts = acts.left_join(copies, ["_page", "_object"])[[*acts.columns, "_first", "_copies"]]
    acts = acts.left_join(places, ["_page", "_object", "_ordinal"])[[*acts.columns, "_there"]]
    pages = shown.select(_page="impression").distinct().mutate(_asked=True)
    acts = acts.left_join(pages, "_page")[[*acts.columns, "_asked"]]
    rank = ibis.coalesce(acts._there.ifelse(acts._ordinal, None), acts._first)
    why = ibis.cases(
        (rank.notnull(), KEPT),
        (as_name(acts._page).isnull(), "event without query_id"),
        (as_name(acts._object).isnull(), "event without object_id"),
        (acts._asked.isnull(), "event of an unknown query"),
        else_=NOT_SHOWN,
    )
    return acts.mutate(_rank=rank, _why=why, _guessed=(acts._copies > 1) & acts._there.isnull())


def _excluded_acts(engine: Engine, acts: "Expression") -> dict[str, int]:
    """Return the number of clicks and conversions that cannot be used, by reason."""
    lost = acts.filter(acts._why != KEPT)
    counts = engine.fetch(lost.group_by("_why").aggregate(n=lost.count())).to_pylist()
    return {row["_why"]: row["n"] for row in sorted(counts, key=lambda row: str(row["_why"]))}


def _with_unread(excluded: ExcludedRows, unread: dict[str, int]) -> ExcludedRows:
    """Return the count of excluded rows with queries and events that did not become rows of the log."""
    for reason, count in unread.items():
        excluded = replace(excluded, total=excluded.total + count).add(reason, {None: count})
    return excluded


def _notes_on_acts(engine: Engine, acts: "Expression", name: str, ranks_from: int) -> list[str]:
    """Return a note on acts whose rank is a guess; refuse events where no click is on a document that was shown.

    Where ordinals decide between equal documents, those of documents that a page shows once must be their ranks.
    """
    single = acts._copies == 1
    asked = {
        "clicks": acts.click.sum(),
        "placed": (acts.click & acts._rank.notnull()).sum(),
        "guessed": acts._guessed.sum(),
        "copies": (acts._copies > 1).sum(),
        "right": (single & (acts._ordinal == acts._first)).sum(),
        "wrong": (single & (acts._ordinal == acts._first + (1 if ranks_from == 0 else -1))).sum(),
    }
    counts = {key: count or 0 for key, count in engine.fetch(acts.aggregate(**asked)).to_pylist()[0].items()}
    if counts["clicks"] and not counts["placed"]:
        message = f"none of the {counts['clicks']:,} clicks is on a document that its query shows"
        raise problem(name, "E-CLICKS", message, f"compare {OBJECT} with {HITS}, and query_id in both files")
    if counts["copies"] and counts["wrong"] > counts["right"]:
        other = 1 - ranks_from
        message = f"the ordinals of clicks start at {other}: {counts['wrong']:,} of {counts['clicks']:,} show it"
        raise problem(name, "E-RANKS", message, f"read them with --ranks-from {other} (ranks_from={other})")
    if not counts["guessed"]:
        return []
    return [
        f"{counts['guessed']:,} clicks or conversions are of documents that their page shows twice, without the ordinal"
        " of either: read as the first"
    ]


def _joined(shown: "Expression", acts: "Expression") -> "Expression":
    """Return the documents shown, each with what users did to it."""
    placed = acts.filter(acts._rank.notnull())
    done = placed.group_by(["_page", "_object", "_rank"]).aggregate(
        clicked=placed.click.cast("int64").max(),
        click_time=placed["at"].min(where=placed.click),
        converted=placed.conversion.cast("int64").max(),
    )
    same = [shown.impression == done._page, shown.document == done._object, shown["rank"] == done._rank]
    rows = shown.left_join(done, same).drop("_page", "_object", "_rank")
    return rows.mutate(clicked=rows.clicked.fill_null(0), converted=rows.converted.fill_null(0))
