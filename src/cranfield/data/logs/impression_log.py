"""Impression log: one row for each document of each result page, with clicks, on a query engine."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from cranfield.core import Input, ParameterError

from .excluded_rows import ExcludedRows

if TYPE_CHECKING:
    from ibis.expr.types import Table as Expression

    from .query_engines import Engine

PAUSE = 30 * 60  # seconds without a sign of a user, after which a session has ended
SATISFIED = 30  # seconds on a document


@dataclass(frozen=True, slots=True)
class Field:
    """A column of a log: what it holds, and under which names people keep it; the first is ours."""

    kind: str  # text, name, whole, number, flag, time
    names: tuple[str, ...]
    means: str


FIELDS = {
    "impression": Field(
        "name", ("impression", "impression_id", "serp_id", "page_id", "search_id"), "a page that was shown"
    ),
    "topic": Field("text", ("topic", "topic_id", "query", "query_id", "qid", "user_query"), "what was asked for"),
    "rank": Field("whole", ("rank", "position", "pos", "ordinal"), "the place of a document, from 1"),
    "document": Field(
        "name",
        ("document", "docno", "doc_id", "docid", "doc", "document_id", "url", "item_id", "object_id"),
        "its name",
    ),
    "clicked": Field("flag", ("clicked", "click", "clicks", "is_click"), "whether it was clicked"),
    "session": Field("name", ("session", "session_id", "sid"), "pages of one visit"),
    "user": Field("name", ("user", "user_id", "client_id", "uid", "userid"), "who saw the page"),
    "time": Field("time", ("time", "timestamp", "date", "ts", "datetime"), "when the page was shown"),
    "click_time": Field("time", ("click_time", "click_timestamp", "clicked_at"), "when the document was clicked"),
    "dwell": Field("number", ("dwell", "dwell_time", "dwell_seconds"), "seconds on the document"),
    "team": Field("text", ("team", "side"), "which run a document stands for in an interleaved page"),
    "arm": Field("name", ("arm", "variant", "variation", "bucket", "experiment_group"), "of an experiment"),
    "answered": Field("flag", ("answered", "answer_card", "has_answer"), "whether the page itself gave an answer"),
    "converted": Field("flag", ("converted", "conversion", "purchased", "purchase"), "whether the user bought, …"),
    "revenue": Field("number", ("revenue", "amount"), "what that brought"),
    "satisfaction": Field(
        "flag", ("satisfaction", "satisfied", "is_satisfied"), "whether the user says that she was satisfied"
    ),
}
NEEDED = ("impression", "topic", "rank", "document", "clicked")
KEPT = ""  # why a row is left out, where it is not
OF_PAGE = ("topic", "session", "user", "arm")  # the same in all rows of an impression


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Log:
    """Result pages as rows: those of ``FIELDS`` that are known, checked, on an engine.

    A page that had no results is one row without rank and document. Times are seconds since 1970. ``excluded`` counts
    the rows that cannot be used, and ``notes`` say how doubtful cells were read.
    """

    rows: "Expression"
    engine: "Engine"
    source: Input
    excluded: ExcludedRows
    notes: tuple[str, ...] = ()

    @property
    def known(self) -> frozenset[str]:
        """The columns that are there."""
        return frozenset(self.rows.columns)

    def require(self, *names: str, why: str) -> None:
        """Refuse a question that takes more than the log knows."""
        missing = [name for name in names if name not in self.known]
        if missing:
            hint = f"add {FIELDS[missing[0]].means} as a column named {missing[0]}, or say which it is"
            raise ParameterError(f"{why} needs the column {missing[0]}: {self.source.name} has none", hint=hint)

    def where(self, **equal: str) -> "Log":
        """The rows in which columns hold these words: ``log.where(arm="b")``."""
        rows = self.rows
        for name, word in equal.items():
            self.require(name, why=f"{name}={word}")
            rows = rows.filter(rows[name] == word)
        return replace(self, rows=rows)

    def with_arms(self) -> "Log":
        """Return the same log without the rows that have no arm, which are counted as excluded."""
        return replace(self, rows=self.rows.filter(self.rows["arm"].notnull()), excluded=self.excluded.without_arm())

    def __repr__(self) -> str:
        return f"Log({self.source.name!r} on {self.engine}: {', '.join(self.rows.columns)})"

    @property
    def documents(self) -> "Expression":
        """The rows that show a document."""
        return self.rows.filter(self.rows["rank"].notnull())

    def impressions(self, more: Callable[["Expression"], dict[str, Any]] | None = None) -> "Expression":
        """A row for each page: who, when, what was shown and clicked, and to which session it belongs.

        ``more`` makes further columns of the rows of a page.
        """
        from .pages_and_sessions import impressions

        return impressions(self, more)

    def with_dwell(self) -> "Expression":
        """The rows with seconds on each clicked document: as logged, else until the user's next sign, where known."""
        from .pages_and_sessions import with_dwell

        return with_dwell(self)

    def fetch(self, expression: "Expression") -> dict[str, Any]:
        """What an expression comes to, as arrays by column; text as a list."""
        found = self.engine.fetch(expression)
        return {name: _plain(found.column(name)) for name in found.column_names}


def _plain(column: Any) -> Any:
    import pyarrow as pa

    kind = column.type
    if pa.types.is_floating(kind) or (pa.types.is_integer(kind) and not column.null_count):
        return column.to_numpy()
    return column.to_pylist()
