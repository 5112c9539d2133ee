"""Titles and texts of documents, all or selected, from a corpus that may be larger than memory."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from cranfield._native import Strings
from cranfield.core import InputError
from cranfield.data.files.columns import column_suffix, read_frame
from cranfield.data.files.compressed_files import PACKERS
from cranfield.data.files.data_source import Source, digest, is_dataset
from cranfield.data.files.input_problems import Problem, Problems, problem
from cranfield.data.files.ir_datasets import dataset_documents
from cranfield.data.files.rows import Wanted, check_columns, find_columns, read_rows
from cranfield.data.files.size_limits import Limits

from .corpus_files import IDS, TEXTS, TITLES, Found, documents_of, is_corpus

if TYPE_CHECKING:
    import polars as pl

WANTED = Wanted("documents", {"document": IDS, "title": TITLES, "text": TEXTS}, (("document", "text"),))
Names: TypeAlias = frozenset[str] | None
ROWS_AT_ONCE = 20_000  # of a Parquet file that is streamed


@dataclass(frozen=True, eq=False, repr=False)  # no slots: places are found once
class Corpus:
    """What documents say: their titles, empty where there is none, and their texts."""

    documents: tuple[str, ...]
    title: tuple[str, ...]
    text: tuple[str, ...]
    source: Source

    def __len__(self) -> int:
        return len(self.documents)

    def __repr__(self) -> str:
        return f"Corpus({self.source.name!r}: {len(self)} documents)"

    @cached_property
    def place(self) -> dict[str, int]:
        """Where each document stands."""
        return {document: i for i, document in enumerate(self.documents)}

    def of(self, document: str) -> str | None:
        """The text of a document; ``None`` if it is not there."""
        place = self.place.get(document)
        return None if place is None else self.text[place]


def read_corpus(data: Any, *, wanted: Collection[str] | None = None, name: str | None = None) -> Corpus:
    """The text of documents from a file, a folder of files, a frame, a dict of document and text, or a dataset.

    A file is JSON Lines, JSON, CSV, TSV, Parquet or TREC's ``<DOC>``; packed or not. A dataset is what ir_datasets has
    under an id: ``ir_datasets:beir/scifact``. With ``wanted`` only these documents are kept, and of text files one
    document at a time is in memory.
    """
    if isinstance(data, Corpus):
        return data
    kept = None if wanted is None else frozenset([wanted] if isinstance(wanted, str) else wanted)
    if not isinstance(data, str | PathLike):
        name = name or "corpus"
        return _collect(_of_object(data, name, kept), name, kept)
    if is_dataset(data):
        return _collect(dataset_documents(data, kept), name or data, kept)
    path = Path(fspath(data))
    name = name or str(path)
    if not path.is_dir():
        return _collect(_of_file(path, name, kept), name, kept)
    files, problems = _files(path)
    return _collect((found for file in files for found in _of_file(file, str(file), kept)), name, kept, problems)


def each_document(
    path: str | PathLike[str], *, name: str | None = None, limits: Limits | None = None
) -> Iterator[Found]:
    """The documents of a file or dataset one after the other, as for :func:`read_corpus`; none may be named twice.

    ``limits`` are for text that a stranger hands in, a document on each line or over several.
    """
    seen: set[str] = set()
    name = name or fspath(path)
    for one in dataset_documents(path) if is_dataset(path) else _of_file(Path(fspath(path)), name, None, limits):
        if one.document in seen:
            raise _twice(one)
        seen.add(one.document)
        yield one
    if not seen:
        raise problem(name, "E-EMPTY", "there are no documents", "is it the right file?")


def stream_corpus(data: Any, *, name: str | None = None) -> Iterator[Found]:
    """Yield the documents of whatever :func:`read_corpus` reads, one at a time; ids may repeat.

    Of text and Parquet no more than a part is in memory.
    """
    if isinstance(data, Corpus):
        for one in zip(data.documents, data.title, data.text, strict=True):
            yield Found(data.source.name, 0, *one)
    elif not isinstance(data, str | PathLike):
        yield from _of_object(data, name or "corpus", None)
    elif is_dataset(data):
        yield from dataset_documents(data, None)
    else:
        path = Path(fspath(data))
        for file in _files(path)[0] if path.is_dir() else [path]:
            shown = str(file) if file != path or name is None else name
            if column_suffix(file) == ".parquet" and file.suffix.lower() not in PACKERS:
                for part in _parquet_parts(file, shown):
                    yield from _of_rows(part, shown, None)
            else:
                yield from _of_file(file, shown, None)


def _twice(one: Found) -> InputError:
    message = f"document {one.document} is there twice"
    return problem(one.file, "E-DUPDOC", message, "keep one text for each document", line=one.line)


def _collect(found: Iterator[Found], name: str, wanted: Names, problems: Problems | None = None) -> Corpus:
    documents: dict[str, Found] = {}
    for one in found:
        if one.document in documents:
            raise _twice(one)
        documents[one.document] = one
    if not documents and wanted is None:
        raise problem(name, "E-EMPTY", "there are no documents", "is it the right file?")
    title, text = (tuple(getattr(one, own) for one in documents.values()) for own in ("title", "text"))
    known = digest(*(Strings(list(column)) for column in (documents, title, text)))
    return Corpus(tuple(documents), title, text, Source(name, known, "corpus", problems or Problems()))


def _files(folder: Path) -> tuple[list[Path], Problems]:
    """The files of a folder that hold documents, and which do not."""
    inside = sorted(path for path in folder.rglob("*") if path.is_file())
    visible = [path for path in inside if not any(part.startswith(".") for part in path.relative_to(folder).parts)]
    files = [path for path in visible if is_corpus(path)]
    if not files:
        raise problem(str(folder), "E-FOLDER", "no file of the folder holds documents", "is it the right folder?")
    hint = "harmless if it is a note about the collection"
    others = [path for path in visible if path not in set(files)]
    odd = tuple(Problem(str(path), 0, "W-SKIPPED", "the file holds no documents", hint) for path in others)
    return files, Problems(odd[:100], (("W-SKIPPED", len(odd)),) if odd else ())


def _of_file(path: Path, name: str, wanted: Names, limits: Limits | None = None) -> Iterator[Found]:
    match column_suffix(path):
        case ".parquet":
            return _of_rows(_of_parquet(path, name, wanted), name, wanted)
        case ".json":
            return _of_rows(path, name, wanted)
    return documents_of(path, name, wanted, limits)


def _of_parquet(path: Path, name: str, wanted: Names) -> "pl.DataFrame":
    import polars as pl

    if path.is_file() and path.suffix.lower() not in PACKERS:
        rows = _scan_parquet(path, name)
    else:
        rows = read_frame(path, "read_parquet").lazy()
    places = find_columns(rows.collect_schema().names(), WANTED, {}, name)
    if wanted is not None and "document" in places:
        rows = rows.filter(pl.col(places["document"]).cast(pl.String).str.strip_chars().is_in(list(wanted)))
    return rows.select(places.values()).collect()


def _scan_parquet(path: Path, name: str) -> "pl.LazyFrame":
    import polars as pl

    try:
        rows = pl.scan_parquet(path)
        rows.collect_schema()
    except FileNotFoundError:
        raise problem(name, "E-MISSING", "there is no such file", "check the name of the file") from None
    except (pl.exceptions.PolarsError, OSError) as error:
        first = str(error).partition("\n")[0]
        raise problem(name, "E-FORMAT", f"the file cannot be read: {first}", "is it Parquet?") from None
    return rows


def _parquet_parts(path: Path, name: str) -> "Iterator[pl.DataFrame]":
    """Yield the rows of a Parquet file, so many at a time."""
    import polars as pl

    rows = _scan_parquet(path, name)
    columns = list(find_columns(rows.collect_schema().names(), WANTED, {}, name).values())
    total = rows.select(pl.len()).collect().item()
    for start in range(0, total, ROWS_AT_ONCE):
        yield rows.select(columns).slice(start, ROWS_AT_ONCE).collect()


def _of_object(data: Any, name: str, wanted: Names) -> Iterator[Found]:
    if isinstance(data, Mapping) and all(isinstance(value, str) for value in data.values()):
        data = {"document": list(data), "text": list(data.values())}
    elif isinstance(data, Mapping) and all(isinstance(value, Mapping) for value in data.values()):
        keys = dict.fromkeys(key for record in data.values() for key in record)
        columns = {key: [record.get(key) for record in data.values()] for key in keys}
        data = {"document": list(data), **columns}
    return _of_rows(data, name, wanted)


def _of_rows(data: Any, name: str, wanted: Names) -> Iterator[Found]:
    """The documents of something that has columns, and is in memory."""
    import polars as pl

    rows = read_rows(data, name, WANTED, None)
    check_columns(rows, WANTED, WANTED.plain[0])
    titles = rows.columns.get("title", pl.Series([None] * len(rows), dtype=pl.String))
    words = (
        rows.words("document"),
        *(column.cast(pl.String).fill_null("") for column in (titles, rows.columns["text"])),
    )
    for document, title, text in zip(*words, strict=True):
        if wanted is None or document in wanted:
            yield Found(name, 0, document, title.strip(), text.strip())
