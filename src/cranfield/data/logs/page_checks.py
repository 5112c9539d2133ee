"""Mark rows of a log that contradict other rows of the same result page."""

from typing import TYPE_CHECKING, Any

from .impression_log import KEPT, OF_PAGE
from .query_engines import Engine

if TYPE_CHECKING:
    from ibis.expr.types import Table as Expression

DEEP = 50  # ranks whose powers of 2 have an exact sum
TWICE = "a rank twice on a page"


def told_of_pages(engine: Engine, rows: "Expression") -> "Expression":
    """The rows, and why each is left out, with those that contradict others of their page.

    Few pages are odd. They are found by sums over each page, and only their rows are laid beside each other: to sort
    all rows of a large log takes far more memory and time.
    """
    odd = engine.keep(_odd(rows))
    if not engine.fetch(odd.count().as_table())[0][0].as_py():
        return rows
    return rows.anti_join(odd, "impression").union(_told_apart(rows.semi_join(odd, "impression")))


def _odd(rows: "Expression") -> "Expression":
    """The pages where something may be wrong: ranks do not run from 1 on, each once, or rows are of several pages."""
    import ibis

    rows = rows.filter(rows._why == KEPT)
    rank, two = rows["rank"], ibis.literal(2.0)
    # Among n ranks, powers of 2 sum to those of 1 to n only where each is there once: two that are the same carry.
    made: dict[str, Any] = {"deepest": rank.max(), "all": rows.count(), "powers": (two**rank).sum()}
    made["differ"] = ibis.literal(False)
    for name in _of_page(rows):
        made["differ"] |= (rows[name].min() != rows[name].max()).fill_null(False)
    pages = rows.group_by("impression").aggregate(**made)
    plain = (pages.powers == two ** (pages.deepest + 1) - 2) & (pages["all"] == pages.deepest) & (pages.deepest <= DEEP)
    empty = pages.deepest.isnull() & (pages["all"] == 1)
    return pages.filter(pages.differ | ~(plain.fill_null(False) | empty)).select("impression")


def _told_apart(rows: "Expression") -> "Expression":
    """The rows of some pages, each beside the others of its page."""
    import ibis

    within, kept = _of_page(rows), rows._why == KEPT
    page = ibis.window(group_by="impression")
    place = ibis.window(group_by=["impression", "rank", "_why"], order_by=[ibis.desc("clicked"), "document"])
    differs = ibis.literal(False)
    for name in within:
        known = rows[name]
        differs = differs | (known.min(where=kept).over(page) != known.max(where=kept).over(page)).fill_null(False)
    marked = rows.mutate(_again=ibis.row_number().over(place) > 0, _differs=differs)
    why = ibis.cases(
        (marked._why != KEPT, marked._why),
        (marked._differs, f"rows of a page differ in {' or '.join(within)}"),
        (marked._again, TWICE),
        else_=KEPT,
    )
    return marked.mutate(_why=why).drop("_again", "_differs")


def _of_page(rows: "Expression") -> list[str]:
    """The columns that are the same in all rows of a page."""
    return [name for name in OF_PAGE if name in rows.columns]


def pages_with_gaps(engine: Engine, rows: "Expression") -> dict[str | None, int]:
    """Return by arm (None: no arm) on how many pages the valid rows have gaps in their ranks because others are not.

    A page whose rows are all excluded has no gap. A row whose rank another row of the page has leaves none.
    """
    excluded = rows.filter((rows._why != KEPT) & (rows._why != TWICE))
    rows = rows.semi_join(excluded.select("impression").distinct(), "impression")
    rank, valid = rows["rank"], rows._why == KEPT
    numbers: dict[str, Any] = {"n": rank.count(where=valid), "top": rank.min(where=valid), "first": rank.min()}
    numbers |= {"deepest": rank.max(where=valid), "unknown": rank.isnull().cast("int64").sum()}
    arm = ["arm"] if "arm" in rows.columns else []
    numbers |= {name: rows[name].min(where=valid) for name in arm}
    pages = rows.group_by("impression").aggregate(**numbers)
    top_excluded = (pages.top > 1) & ((pages.first < pages.top) | (pages.unknown > 0))
    gaps = pages.filter((pages.n > 0) & ((pages.deepest - pages.top + 1 != pages.n) | top_excluded))
    counts = gaps.group_by(arm).aggregate(pages=gaps.count()) if arm else gaps.aggregate(pages=gaps.count())
    return {row.get("arm"): row["pages"] for row in engine.fetch(counts).to_pylist() if row["pages"]}
