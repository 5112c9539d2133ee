"""Read click counts and distinct clicked pages from a log, aggregated by its database engine."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError
from cranfield.online.clicks.base import ClickModel
from cranfield.online.clicks.probability_estimates import Numbers

from .clicked_pages import Cells, Pages, distinct_rows
from .hash_samples import Part
from .topic_documents import Pairs

if TYPE_CHECKING:
    from ibis.expr.types import Table as Expression

    from cranfield.data import Log

NOTHING = Part(high=0)


def read_for(model: ClickModel, log: "Log") -> Cells | Pages:
    """What a model needs of a log, and no more: counts are far fewer than pages."""
    return read_pages(log) if model.needs == "pages" else read_cells(log, after_click=model.needs == "browsed")


def read_cells(log: "Log", *, after_click: bool = False, whole: bool = False) -> Cells:
    """How often each document was shown for each topic at each rank, and clicked; after which last click, if asked.

    With ``whole`` only pages count whose ranks run from 1 on without a gap, and cells tell how long they are.
    """
    return read_held_cells(log, NOTHING, after_click=after_click, whole=whole)[0]


def read_held_cells(
    log: "Log", held: Part, *, after_click: bool = False, whole: bool = True
) -> tuple[Cells, Numbers, Numbers]:
    """Counts of a log, and how many of the impressions and clicks in each (cell,) are of those held out."""
    import ibis

    rows, keys = log.documents, ["topic", "document", "rank"]
    if after_click:
        above = ibis.rows_window(group_by="impression", order_by="rank", preceding=(None, 1))
        last = rows.clicked.ifelse(rows["rank"], 0).max().over(above).fill_null(0)
        rows, keys = rows.mutate(previous=last), [*keys, "previous"]
    if whole:
        rows, keys = _whole_pages(rows), [*keys, "length"]
    sums = {"shown": rows.count(), "clicks": rows.clicked.cast("int64").sum()}
    drawn = held.has(rows)
    sums |= {"held": drawn.cast("int64").sum(), "held_clicks": (rows.clicked & drawn).cast("int64").sum()}
    found = log.engine.fetch(rows.group_by(keys).aggregate(**sums))
    if not len(found):
        raise _no_page(log) if whole else _no_document(log)
    pairs, pair = _pairs(found["topic"], found["document"])
    whole_numbers = {name: _whole(found[name]) for name in (*keys[2:], *sums)}
    order = np.lexsort([*(whole_numbers[name] for name in keys[:1:-1]), pair])  # engines give rows in any order
    rank, *_ = ordered = [whole_numbers[name][order] for name in keys[2:]]
    named = dict(zip(keys[2:], ordered, strict=True))
    shown, clicked, held_out, held_clicks = (whole_numbers[name][order].astype(np.float64) for name in sums)
    previous = named.get("previous", np.zeros_like(rank))
    cells = Cells(pairs, pair[order], rank, previous, shown, clicked, after_click, named.get("length"))
    return cells, held_out, held_clicks


def read_pages(log: "Log", part: Part | None = None) -> Pages:
    """Every distinct page with each pattern of clicks, and how often it was seen; of all impressions or a part.

    Pages whose ranks do not run from 1 on without a gap are left out: who saw them saw more than the log knows.
    """
    rows = log.documents
    return _pages(log, rows if part is None else rows.filter(part.has(rows)), NOTHING)[0]


def read_held_pages(log: "Log", held: Part) -> tuple[Pages, Numbers]:
    """The pages of a log, and how many of the impressions of each (page,) are of those held out."""
    return _pages(log, log.documents, held)


def _pages(log: "Log", rows: "Expression", held: Part) -> tuple[Pages, Numbers]:
    import ibis

    row = ibis.struct({"rank": rows["rank"], "document": rows.document, "clicked": rows.clicked})
    shown = rows.group_by("impression").aggregate(
        topic=rows.topic.min(), page=row.collect().sort(), depth=rows["rank"].max(), documents=rows.count()
    )
    whole = shown.filter(shown.depth == shown.documents)
    sums = {"count": whole.count(), "held": held.has(whole).cast("int64").sum()}
    found = log.engine.fetch(whole.group_by(["topic", "page"]).aggregate(**sums))
    if not len(found):
        raise _no_page(log)
    lists = found["page"].combine_chunks()
    size = np.diff(lists.offsets.to_numpy())
    inside = lists.flatten()
    topic = found["topic"].combine_chunks().take(_arrow(np.repeat(np.arange(len(found)), size)))
    pairs, pair = _pairs(topic, inside.field("document"))
    page, place = np.repeat(np.arange(len(found)), size), inside.field("rank").to_numpy() - 1
    shape = len(found), int(size.max())
    pages, clicks = np.full(shape, -1), np.zeros(shape, dtype=np.bool_)
    pages[page, place] = pair
    clicks[page, place] = inside.field("clicked").to_numpy(zero_copy_only=False)
    order, _ = distinct_rows(2 * pages + clicks)  # engines give rows in any order
    count, kept = (_whole(found[name]).astype(np.float64)[order] for name in sums)
    return Pages(pairs, pages[order], clicks[order], count), kept


def _whole_pages(rows: "Expression") -> "Expression":
    """The rows of pages without a gap, and how long these are."""
    import ibis

    page = ibis.window(group_by="impression")
    rows = rows.mutate(length=rows["rank"].max().over(page), documents_=rows.count().over(page))
    return rows.filter(rows.length == rows.documents_)


def _no_document(log: "Log") -> ParameterError:
    return ParameterError(f"{log.source.name} shows no document", hint="a log has a row for each document shown")


def _no_page(log: "Log") -> ParameterError:
    hint = "click models need pages whose ranks run from 1 on"
    return ParameterError(f"no page of {log.source.name} is whole", hint=hint)


def _pairs(topics: Any, documents: Any) -> tuple[Pairs, NDArray[np.int64]]:
    """The pairs of two columns of names, each once, and which of them each row is."""
    topic_names, topic = _numbered(topics)
    document_names, document = _numbered(documents)
    key, row = np.unique(topic * len(document_names) + document, return_inverse=True)
    return Pairs(topic_names, document_names, *np.divmod(key, len(document_names))), row


def _numbered(column: Any) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """The distinct names of a column in the order of letters, and which of them each row has."""
    coded = column.dictionary_encode()
    coded = coded.combine_chunks() if hasattr(coded, "combine_chunks") else coded
    names = coded.dictionary.to_pylist()
    order = sorted(range(len(names)), key=names.__getitem__)  # engines give rows in any order
    place = np.empty(len(names), dtype=np.int64)
    place[order] = np.arange(len(names))
    return tuple(names[one] for one in order), place[coded.indices.to_numpy()]


def _whole(column: Any) -> NDArray[np.int64]:
    return np.asarray(column.to_numpy(), dtype=np.int64)


def _arrow(rows: NDArray[np.int64]) -> Any:
    import pyarrow as pa

    return pa.array(rows)
