"""Iterate over the documents of a corpus file: JSON Lines, TSV, CSV or TREC markup."""

import csv
import html
import lzma
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from cranfield.data.files.columns import NAMES, column_suffix
from cranfield.data.files.compressed_files import PACKERS, open_unpacked
from cranfield.data.files.input_problems import listed, problem
from cranfield.data.files.json_parsing import parse_json
from cranfield.data.files.size_limits import Limits
from cranfield.data.files.text_checks import not_utf8

IDS = ("docno", "doc_id", "_id", "id", "docid", *NAMES["document"])
TEXTS = ("text", "contents", "body", "abstract", "passage", "segment")
TITLES = ("title", "headline")
PLAIN = {2: ("document", "text"), 3: ("document", "title", "text"), 4: ("document", "-", "title", "text")}
HINT = "a document has an id (docno, doc_id, _id, id, docid) and a text (text, contents, body)"
OPEN, CLOSE = re.compile(r"<DOC\b[^>]*>", re.IGNORECASE), re.compile(r"</DOC>", re.IGNORECASE)
NUMBER = re.compile(r"<DOCNO>(.*?)</DOCNO>", re.DOTALL | re.IGNORECASE)
TEXT = re.compile(r"<TEXT\b[^>]*>(.*?)</TEXT>", re.DOTALL | re.IGNORECASE)
TITLE = re.compile(r"<(TITLE|HEADLINE|HEAD|HL|TI)\b[^>]*>(.*?)</\1>", re.DOTALL | re.IGNORECASE)
ASIDE = re.compile(r"<(DOCNO|DOCID|DOCHDR)\b[^>]*>.*?</\1>", re.DOTALL | re.IGNORECASE)  # about the document
GROWN = 64 << 20  # bytes that any file may grow to
TAG = re.compile(r"<!--.*?-->|</?[A-Za-z][^<>]*>", re.DOTALL)


class Found(NamedTuple):
    """A document, and where it stands."""

    file: str
    line: int
    document: str
    title: str
    text: str


def is_corpus(path: Path) -> bool:
    """Whether a file holds documents, by its name or by how it starts."""
    if column_suffix(path):
        return True
    with _opened(path, str(path)) as file:
        return _form(path, file.peek(4096)) != ""


def documents_of(path: Path, name: str, wanted: frozenset[str] | None, limits: Limits | None = None) -> Iterator[Found]:
    """The wanted documents of a text file; no more than one is in memory."""
    with _opened(path, name) as packed:
        start = packed.peek(4096)
        file = packed if limits is None else _within(packed, name, limits, path.stat().st_size)
        match _form(path, start):
            case "json":
                found = _of_json_lines(file, name, wanted)
            case "csv":
                found = _of_cells(_comma_cells(file, name), name, wanted)
            case "tsv":
                found = _of_cells(_tab_cells(file, name), name, wanted)
            case "sgml":
                found = _of_markup(file, name, wanted)
            case _ if not start.strip():
                raise problem(name, "E-EMPTY", "the file has no documents", "is it the right file?")
            case _:
                hint = "write JSON Lines, CSV, TSV, Parquet, or <DOC> with <DOCNO> and <TEXT>"
                raise problem(name, "E-FORMAT", "no documents are to be seen in the file", hint)
        yield from found


def _form(path: Path, start: bytes) -> str:
    """How documents are written in a file: by its suffix, otherwise by its first characters."""
    start = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not start:
        return ""
    if column_suffix(path) == ".csv":
        return "csv"
    if start.startswith(b"{"):
        return "json"
    if start.startswith(b"<"):
        return "sgml" if OPEN.search(start.decode("latin-1")) else ""
    return "tsv" if b"\t" in start.partition(b"\n")[0] else ""


@contextmanager
def _opened(path: Path, name: str) -> Iterator[Any]:
    """A file, unpacked while it is read."""
    packer = PACKERS.get(path.suffix.lower())
    try:
        with open_unpacked(path, packer) as file:
            yield file
    except FileNotFoundError:
        raise problem(name, "E-MISSING", "there is no such file", "check the name of the file") from None
    except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
        message = f"the compressed data is damaged or cut short ({error})" if packer else f"reading failed: {error}"
        code = "E-INFLATE" if packer else "E-READ"
        raise problem(name, code, message, "fetch or pack the file again") from None


def _within(file: Any, name: str, limits: Limits, size: int) -> Iterator[bytes]:
    """The lines of a stranger's file, up to one that is too long or too many."""
    read = 0
    while line := file.readline(limits.line + 1):
        read += len(line)
        if len(line) > limits.line:
            raise problem(name, "E-LINE", f"a line is longer than {limits.line >> 20:,} MB", "is it the right file?")
        if read > limits.bytes:
            told = f"there are more than {limits.bytes >> 20:,} MB in it"
            raise problem(name, "E-SIZE", told, "is it the right file?")
        if read > max(GROWN, limits.ratio * size):
            told = f"the packed file grows more than {limits.ratio} times"
            raise problem(name, "E-RATIO", told, "unpack it, if you trust it")
        yield line


def _decoded(lines: Iterable[bytes], name: str) -> Iterator[str]:
    for number, line in enumerate(lines, start=1):
        try:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            raise not_utf8(name, number) from None


def _of_json_lines(lines: Iterable[bytes], name: str, wanted: frozenset[str] | None) -> Iterator[Found]:
    for number, line in enumerate(_decoded(lines, name), start=1):
        if not line.strip():
            continue
        record = parse_json(line, name, HINT, line=number)
        if not isinstance(record, dict):
            raise problem(name, "E-JSON", "the line is no object", HINT, line=number)
        document = _document(record, name, number)
        if wanted is None or document in wanted:
            text = _first(record, TEXTS)
            if text is None and not record.keys() & set(TEXTS):
                message = f"there is no text, but {listed(record, most=8)}"
                raise problem(name, "E-COLUMNS", message, HINT, line=number)
            title = _first(record, TITLES) or ""
            if not isinstance(text or "", str) or not isinstance(title, str):
                raise problem(name, "E-TYPE", f"the text of document {document} is no text", HINT, line=number)
            yield Found(name, number, document, title.strip(), (text or "").strip())


def _first(record: Mapping[str, Any], aliases: Sequence[str]) -> Any:
    return next((record[alias] for alias in aliases if alias in record), None)


def _document(record: Mapping[str, Any], name: str, line: int) -> str:
    found = _first(record, IDS)
    if isinstance(found, bool) or not isinstance(found, str | int) or not str(found).strip():
        raise problem(name, "E-NULL", f"there is no id of the document, but {listed(record, most=8)}", HINT, line=line)
    return str(found).strip()


def _tab_cells(lines: Iterable[bytes], name: str) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(_decoded(lines, name), start=1):
        if line.strip():
            yield number, line.rstrip("\r\n").split("\t")


def _comma_cells(lines: Iterable[bytes], name: str) -> Iterator[tuple[int, list[str]]]:
    before = csv.field_size_limit(2**31 - 1)  # a document may be long
    try:
        reader, start = csv.reader(_decoded(lines, name), strict=True), 0
        try:
            for cells in reader:
                if any(cells):
                    yield start + 1, cells
                start = reader.line_num
        except csv.Error as error:
            hint = "are its quotation marks in pairs?"
            raise problem(name, "E-FORMAT", f"the row cannot be read: {error}", hint, line=start + 1) from None
    finally:
        csv.field_size_limit(before)


def _of_cells(rows: Iterator[tuple[int, list[str]]], name: str, wanted: frozenset[str] | None) -> Iterator[Found]:
    """Documents as rows, under a header or without one."""
    line, cells = next(rows, (1, []))
    header = [cell.strip().casefold() for cell in cells]
    given = {
        own: next((header.index(alias) for alias in aliases if alias in header), None)
        for own, aliases in (("document", IDS), ("title", TITLES), ("text", TEXTS))
    }
    named = given["document"] is not None and given["text"] is not None
    if not named and len(cells) not in PLAIN:
        message = f"the line has {len(cells)} columns, and no names for them"
        raise problem(name, "E-COLUMNS", message, f"a line reads: document text; {HINT}", line=line)
    if not named:
        given = {own: PLAIN[len(cells)].index(own) if own in PLAIN[len(cells)] else None for own in given}
        rows = chain([(line, cells)], rows)
    width = len(cells)
    for number, cells in rows:
        if len(cells) != width:
            message = f"the line has {len(cells)} columns, the first has {width}"
            raise problem(name, "E-FIELDS", message, "every line has the same columns", line=number)
        document, title, text = ("" if place is None else cells[place].strip() for place in given.values())
        if not document:
            raise problem(name, "E-NULL", "there is no document", HINT, line=number)
        if wanted is None or document in wanted:
            yield Found(name, number, document, title, text)


def _of_markup(lines: Iterable[bytes], name: str, wanted: frozenset[str] | None) -> Iterator[Found]:
    """Documents between ``<DOC>`` and ``</DOC>``; old collections are in Latin 1."""
    for number, inside in _marked(lines, name):
        called = NUMBER.search(inside)
        document = called[1].strip() if called else ""
        if not document:
            raise problem(name, "E-NULL", "the document has no DOCNO", "write <DOCNO>id</DOCNO>", line=number)
        if wanted is None or document in wanted:
            title = TITLE.search(inside)
            parts = TEXT.findall(inside) or [TITLE.sub(" ", ASIDE.sub(" ", inside), count=1)]
            yield Found(
                name, number, document, " ".join(_bare(title[2]).split()) if title else "", _bare("\n".join(parts))
            )


def _bare(marked: str) -> str:
    return html.unescape(TAG.sub(" ", marked)).strip()


def _marked(lines: Iterable[bytes], name: str) -> Iterator[tuple[int, str]]:
    """Where each document starts, and what is in it."""
    start, parts = 0, list[str]()
    for number, raw in enumerate(lines, start=1):
        line = _in_some_code(raw)
        while line:
            opened, closed = OPEN.search(line), CLOSE.search(line)
            if not start:
                start, line = (number, line[opened.end() :]) if opened else (0, "")
            elif opened and not (closed and closed.start() < opened.start()):
                raise problem(name, "E-FORMAT", "the document above is not closed", "write </DOC>", line=number)
            else:
                parts.append(line[: closed.start()] if closed else line)
                line = line[closed.end() :] if closed else ""
                if closed:
                    yield start, "".join(parts)
                    start, parts = 0, []
    if start:
        raise problem(
            name, "E-FORMAT", "the document is not closed: was the file cut short?", "write </DOC>", line=start
        )


def _in_some_code(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("latin-1")
