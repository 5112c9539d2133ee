"""Documents, topics and judgments from ir_datasets, by id: ``ir_datasets:beir/scifact/test``.

Its data is fetched when it is first read, and kept in the folder that the variable IR_DATASETS_HOME names.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, Literal

from cranfield.core import CranfieldError, need
from cranfield.data.topics.corpus_files import Found
from cranfield.data.topics.topic_text import DESCRIPTION, TITLE

from .data_source import DATASET
from .input_problems import problem

SITE = "https://ir-datasets.com"
WORDS = {"docs": "documents", "queries": "topics", "qrels": "judgments"}
Kind = Literal["docs", "queries", "qrels"]


def knows_datasets() -> bool:
    """Whether ir_datasets is installed."""
    return find_spec("ir_datasets") is not None


def find_dataset(name: str, kind: Kind = "docs") -> Any:
    """What ir_datasets has under an id; nothing is fetched yet."""
    with _reading(name):
        library = need("ir_datasets", extra="datasets")
        wanted = name.removeprefix(DATASET)
        try:
            found = library.load(wanted)
        except KeyError:
            from difflib import get_close_matches

            near = get_close_matches(wanted, library.registry, n=3)
            hint = f"did you mean {' or '.join(near)}?" if near else f"{SITE} lists the ids"
            raise problem(name, "E-DATASET", "ir_datasets knows no such id", hint) from None
        if not found.has(kind):
            hint = f"another id of the same collection may have them: {SITE}"
            raise problem(name, "E-DATASET", f"the dataset has no {WORDS[kind]}", hint)
    return found


def dataset_documents(name: str, wanted: frozenset[str] | None = None) -> Iterator[Found]:
    """The documents of a dataset one after the other, or those of them that are wanted."""
    found = find_dataset(name)
    with _reading(name):
        for document in found.docs_iter():
            if wanted is None or document.doc_id in wanted:
                title = str(getattr(document, "title", None) or "").strip()
                yield Found(name, 0, document.doc_id, title, _said(document).removeprefix(title).strip())


def dataset_topics(name: str) -> list[dict[str, str]]:
    """The topics of a dataset, the texts of each under the names that it gives them."""
    found = find_dataset(name, "queries")
    with _reading(name):
        language = found.queries_lang() or ""
        return [{**_asked(query), "id": query.query_id, "language": language} for query in found.queries_iter()]


def dataset_judgments(name: str) -> dict[str, list[Any]]:
    """The judgments of a dataset in columns."""
    found = find_dataset(name, "qrels")
    with _reading(name):
        rows = list(found.qrels_iter())
    columns = {"topic": "query_id", "document": "doc_id", "grade": "relevance"}
    if rows and hasattr(rows[0], "subtopic_id"):
        columns["subtopic"] = "subtopic_id"
    return {ours: [getattr(row, theirs) for row in rows] for ours, theirs in columns.items()}


def _texts(record: Any) -> dict[str, str]:
    return {part: text for part, text in record._asdict().items() if isinstance(text, str)}


def _said(record: Any) -> str:
    """All that a document or a topic says."""
    if hasattr(record, "default_text"):
        return str(record.default_text()).strip()
    return "\n".join(text for part, text in _texts(record).items() if part not in ("doc_id", "query_id")).strip()


def _asked(query: Any) -> dict[str, str]:
    there = _texts(query)
    return there if any(there.get(part) for part in (*TITLE, *DESCRIPTION)) else there | {"title": _said(query)}


@contextmanager
def _reading(name: str) -> Iterator[None]:
    """Say in our words what goes wrong there: no connection, no licence, no room, a damaged file."""
    try:
        yield
    except CranfieldError:
        raise
    except Exception as error:
        said = (
            error.args[0] if error.args and isinstance(error.args[0], str) else str(error)
        )  # the rest is for programs
        why = said.partition("\n")[0][:300] or type(error).__name__
        hint = f"is there a connection, and room in IR_DATASETS_HOME? {SITE} says what it needs"
        raise problem(name, "E-FETCH", f"the data cannot be had: {why}", hint) from error
