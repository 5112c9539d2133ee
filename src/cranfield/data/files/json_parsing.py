"""Parse JSON from untrusted files, and report errors as problems of the input."""

import json
import re
from codecs import BOM_UTF8
from collections.abc import Container, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .input_problems import problem

if TYPE_CHECKING:
    import polars as pl

ROW = 'every line is an object such as {"topic": "1", "document": "d1", …}'
NO_TEXT = r"^([\[{]|true$|false$|-?\d+[.eE])"  # how a list, an object, a truth value or a decimal is written
BLOCK = 1 << 16  # bytes that fit a fast cache
HALF = r"\\u[dD][89a-fA-F]"  # of a character that is written as a pair


def parse_json(text: bytes | str, name: str, hint: str, *, line: int = 0, twice: str = "") -> Any:
    """What a piece of JSON holds; half a character becomes a question mark.

    ``twice`` is the hint where an object has a key two times: without it the last one counts.
    """
    try:
        found = json.loads(text, object_pairs_hook=_object if twice else None)
        if has_halves(text):
            found = json.loads(json.dumps(found, ensure_ascii=False).encode("utf-8", "replace"))
    except json.JSONDecodeError as error:
        told = f"this is not JSON: {error.msg}"
        raise problem(name, "E-JSON", told, hint, line=line or error.lineno) from None
    except RecursionError:
        raise problem(name, "E-JSON", "this is not JSON: it is nested too deeply", hint, line=line) from None
    except UnicodeDecodeError:
        raise problem(name, "E-JSON", "this is not JSON: it is not UTF-8", hint, line=line) from None
    except ValueError as error:
        raise problem(name, "E-DUPKEY", str(error), twice, line=line) from None
    return found


def parse_json_lines(content: bytes, name: str) -> list[dict[str, Any]]:
    """Return the objects of JSON Lines, one in each line that is not blank."""
    rows = []
    for line, text in enumerate(content.removeprefix(BOM_UTF8).split(b"\n"), start=1):
        if text.strip():
            row = parse_json(text, name, ROW, line=line, twice="keep one of them")
            if not isinstance(row, dict):
                raise problem(name, "E-JSON", "the line is no object", ROW, line=line)
            rows.append(row)
    return rows


def as_columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return rows as columns; a row without a cell has None there."""
    return {key: [row.get(key) for row in rows] for key in dict.fromkeys(key for row in rows for key in row)}


def has_converted_ids(frame: "pl.DataFrame", ids: Container[str]) -> bool:
    """Return whether polars may have made text of other cells in a column of ids, because some cells are text."""
    import polars as pl

    texts = [column for column in frame.columns if column in ids and frame.schema[column] == pl.String]
    return any(frame[column].str.contains(NO_TEXT).any() for column in texts)


def has_repeated_keys(content: bytes, frame: "pl.DataFrame", used: Container[str]) -> bool:
    """Return whether a row of JSON Lines may have a used key twice, of which polars keeps the first.

    Every cell that is not null has one colon after its key. Only where there are more, keys are counted.
    """
    import polars as pl

    cells = sum(len(frame) - column.null_count() for column in frame.get_columns())
    view = np.frombuffer(content, np.uint8)
    colons = sum(int(np.count_nonzero(view[at : at + BLOCK] == ord(":"))) for at in range(0, len(view), BLOCK))
    if colons > cells:
        texts = frame.select(pl.col(pl.String).str.count_matches(":", literal=True).sum())
        colons -= sum(texts.row(0)) if texts.width else 0
    if colons <= cells:
        return False
    counts = ((column, content.count(json.dumps(column).encode())) for column in frame.columns if column in used)
    return any(count > len(frame) - frame[column].null_count() for column, count in counts)


def has_halves(text: bytes | str) -> bool:
    """Whether halves of characters are written somewhere, each with its other half or without."""
    found = re.search(HALF, text) if isinstance(text, str) else re.search(HALF.encode(), text)
    return found is not None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of a JSON file; Python's own reader would keep the last of two equal keys without a word."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for i, key in enumerate(keys) if key in keys[:i])
        raise ValueError(f'the key "{twice}" stands twice in one object')
    return found
