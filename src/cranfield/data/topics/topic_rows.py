"""Read topics from tab-separated lines, CSV, JSON, frames and dictionaries."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from cranfield.core import InputError
from cranfield.data.files.input_problems import listed, problem
from cranfield.data.files.json_parsing import parse_json

from .topic_text import LANGUAGE, NARRATIVE, NUMBER, SUBTOPICS, TITLE, TopicText, named_parts, plain

IDS = ("id", "_id", "qid", "query_id", "topic_id", "query-id", "q_id", "question_id", *NUMBER, "topic")
PARTS = (*TITLE, "description", "desc", "question", *NARRATIVE, *LANGUAGE)
LINE = (
    "a line reads: topic, a tab, its text; what has more columns needs a header: topic, title, description, narrative"
)
OBJECT = 'a topic reads: {"id": "301", "title": "…", "description": "…", "narrative": "…"}'
Rows = Iterable[tuple[int, Mapping[str, Any]]]  # the line, 0 where there is none, and the cells by name


def from_lines(text: str, name: str) -> list[tuple[int, TopicText]]:
    """The topics of a file with one line for each: after a tab its text, or columns with a header."""
    lines = [(n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip() and not line.startswith("#")]
    if not lines:
        raise problem(name, "E-EMPTY", "there is no topic in it", LINE)
    rows = _tabbed(lines, name) if "\t" in lines[0][1] else _commas(text, name)
    return from_rows(rows, name)


def _tabbed(lines: Sequence[tuple[int, str]], name: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    cells = [(number, line.split("\t")) for number, line in lines]
    first = [cell.strip().casefold() for cell in cells[0][1]]
    header = first if first[0] in IDS and set(first[1:]) & set(PARTS) else ["id", "text"]
    for number, row in cells[header is first :]:
        if len(row) != len(header):
            message = f"the line has {len(row)} column{'s' * (len(row) != 1)}, not {len(header)}"
            raise problem(name, "E-FIELDS", message, LINE, line=number)
        yield number, dict(zip(header, row, strict=True))


def _commas(text: str, name: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    header: list[str] = []
    after = 0  # the line that the row before ended on
    try:
        for row in reader:
            line, after = after + 1, reader.line_num
            if not any(cell.strip() for cell in row):
                continue
            if not header:
                header = [cell.strip().casefold() for cell in row]
                if not set(header) & set(IDS):
                    raise problem(name, "E-COLUMNS", "there is no column for the topic", LINE, line=line)
            elif len(row) != len(header):
                message = f"the line has {len(row)} column{'s' * (len(row) != 1)}, the header {len(header)}"
                raise problem(name, "E-FIELDS", message, "put quotes around a text with commas", line=line)
            else:
                yield line, dict(zip(header, row, strict=True))
    except csv.Error as error:
        raise problem(name, "E-FORMAT", f"this is not CSV: {error}", LINE, line=after + 1) from None


def from_json(text: str, name: str) -> list[tuple[int, TopicText]]:
    """The topics of JSON Lines, or of a JSON list or object."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    try:
        whole = _parsed(text, name)
    except InputError:
        try:
            _parsed(lines[0][1], name)
        except InputError:  # not one object on each line: the file as a whole is wrong
            pass
        else:
            return from_rows([(number, _parsed(line, name, line=number)) for number, line in lines], name)
        raise
    one = isinstance(whole, dict) and any(_is_id(cell) for key, cell in whole.items() if key.casefold() in IDS)
    return from_object([whole] if one else whole, name)


def _parsed(text: str, name: str, *, line: int = 0) -> Any:
    return parse_json(text, name, OBJECT, line=line, twice=OBJECT)


def from_object(data: Any, name: str) -> list[tuple[int, TopicText]]:
    """The topics of a dict (of texts, of dicts, of columns), a list of dicts, or a frame."""
    if isinstance(data, Mapping):
        if data and all(isinstance(row, list | tuple) for row in data.values()):
            columns = {str(key): list(column) for key, column in data.items()}
            if len(set(map(len, columns.values()))) > 1:
                raise problem(name, "E-COLUMNS", "the columns differ in length", "give every topic a cell in each")
            rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        else:
            rows = [
                {**row, "id": topic} if isinstance(row, Mapping) else {"id": topic, "text": row}
                for topic, row in data.items()
            ]
    elif isinstance(data, list | tuple):
        rows = list(data)
    else:
        return from_object(_columns(data, name), name)
    return from_rows([(0, row) for row in rows], name)


def _columns(data: Any, name: str) -> dict[str, list[Any]]:
    """The columns of a frame, whoever made it."""
    if type(data).__module__.startswith("polars") and hasattr(data, "collect"):
        data = data.collect()  # a LazyFrame
    # pyarrow's Table has .columns too: they are the data, its names are elsewhere.
    names = next((list(getattr(data, key)) for key in ("column_names", "columns") if hasattr(data, key)), None)
    if names is None or not hasattr(data, "__getitem__"):
        hint = "give a file name, a frame with columns topic and title, or a dict"
        raise problem(name, "E-KIND", f"an object of type {type(data).__name__} holds no topics", hint)
    return {str(key): _cells(data[key]) for key in names}


def _cells(column: Any) -> list[Any]:
    for way in ("to_list", "to_pylist", "tolist"):  # polars and pandas, pyarrow, numpy
        if hasattr(column, way):
            return list(getattr(column, way)())
    return list(column)


def from_rows(rows: Rows, name: str) -> list[tuple[int, TopicText]]:
    """The topics of rows whose cells have the names that the field uses."""
    return [(line, _text(row, name, line, place)) for place, (line, row) in enumerate(rows)]


def _text(row: Any, name: str, line: int, place: int) -> TopicText:
    where = "" if line else f"row {place} (from 0): "
    if not isinstance(row, Mapping):
        raise problem(name, "E-JSON", f"{where}this is no object", OBJECT, line=line)
    cells = {str(key).strip().casefold(): cell for key, cell in row.items()}
    key = next((key for key in IDS if _is_id(cells.get(key))), None)
    if key is None:
        hint = f"there are: {listed(cells, most=8)}; the topic may be called {', '.join(IDS[:5])}"
        raise problem(name, "E-TOPIC", f"{where}the topic has no number", hint, line=line)
    number = cells.pop(key)
    told: dict[str, str] = {}
    for part in PARTS:
        cell = cells.get(part)
        if isinstance(cell, list | tuple | Mapping):
            raise problem(name, "E-TYPE", f"{where}{part} of topic {number} is no text", OBJECT, line=line)
        told[part] = "" if cell is None or cell != cell else plain(str(cell))  # pandas has NaN where nothing is
    if key != "topic" and isinstance(topic := cells.get("topic"), str) and not any(told[part] for part in TITLE):
        told["title"] = plain(topic)
    subtopics = next((cells[key] for key in SUBTOPICS if isinstance(cells.get(key), list | tuple)), ())
    return TopicText(
        topic=plain(str(number)),
        language=next((told[key].lower() for key in LANGUAGE if told[key]), ""),
        subtopics=tuple(plain(str(one)) for one in subtopics),
        **named_parts(told),
    )


def _is_id(cell: Any) -> bool:
    """Whether this can be what a topic is called: a word or a whole number."""
    return bool(cell.strip()) if isinstance(cell, str) else isinstance(cell, int) and not isinstance(cell, bool)
