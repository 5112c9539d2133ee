"""Logs become what click models learn from: the engine counts, and only counts leave it."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import ParameterError

from ._base import ClickModel
from ._pages import Cells, Pages
from ._pairs import Pairs

if TYPE_CHECKING:
    from cranfield.data import Log


def read_for(model: ClickModel, log: "Log") -> Cells | Pages:
    """What a model needs of a log, and no more: counts are far fewer than pages."""
    return read_pages(log) if model.needs == "pages" else read_cells(log, after_click=model.needs == "browsed")


def read_cells(log: "Log", *, after_click: bool = False) -> Cells:
    """How often each document was shown for each topic at each rank, and clicked; after which last click, if asked."""
    import ibis

    rows = log.documents
    keys = ["topic", "document", "rank"]
    if after_click:
        above = ibis.rows_window(group_by="impression", order_by="rank", preceding=(None, 1))
        last = rows.clicked.ifelse(rows["rank"], 0).max().over(above).fill_null(0)
        rows, keys = rows.mutate(previous=last), [*keys, "previous"]
    found = log.engine.fetch(rows.group_by(keys).aggregate(shown=rows.count(), clicks=rows.clicked.cast("int64").sum()))
    if not len(found):
        raise ParameterError(f"{log.source.name} shows no document", hint="a log has a row for each document shown")
    pairs, pair = _pairs(found["topic"], found["document"])
    rank = _whole(found["rank"])
    previous = _whole(found["previous"]) if after_click else np.zeros_like(rank)
    shown, clicked = (_whole(found[name]).astype(np.float64) for name in ("shown", "clicks"))
    return Cells(pairs, pair, rank, previous, shown, clicked, after_click)


def read_pages(log: "Log") -> Pages:
    """Every distinct page with each pattern of clicks, and how often it was seen.

    Pages whose ranks do not run from 1 on without a gap are left out: who saw them saw more than the log knows.
    """
    import ibis

    rows = log.documents
    row = ibis.struct({"rank": rows["rank"], "document": rows.document, "clicked": rows.clicked})
    shown = rows.group_by("impression").aggregate(
        topic=rows.topic.min(), page=row.collect().sort(), depth=rows["rank"].max(), documents=rows.count()
    )
    whole = shown.filter(shown.depth == shown.documents)
    found = log.engine.fetch(whole.group_by(["topic", "page"]).aggregate(count=whole.count()))
    if not len(found):
        hint = "click models need pages whose ranks run from 1 on"
        raise ParameterError(f"no page of {log.source.name} is whole", hint=hint)
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
    # Engines give rows in any order; draws of pages need one.
    return Pages(pairs, pages, clicks, _whole(found["count"]).astype(np.float64)).distinct()


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
