"""Layout and rounding: the one place where numbers lose digits, at the moment they are shown.

Text, Markdown, LaTeX and HTML are for people and rounded; CSV, TSV and JSON are for programs and exact.
"""

import csv
import io
import json
import math
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from enum import Enum
from html import escape
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from .errors import ParameterError

if TYPE_CHECKING:
    from .table import Table

Cell: TypeAlias = str | int | float | bool | date | None

_P_VALUES = {"p", "p_adjusted"}
_SMALLEST_P = 1e-10  # the studentised range sticks near 1e-12: below this a p-value is noise
_SMALL_P = 1e-4  # below this four decimals would show nearly nothing of a p-value
_LARGE = 1e9  # from here on a number is written with its exponent
_BIDI = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    # After \\ a star or a bracket would be taken for an argument of the line break.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}
_MARKDOWN = {sign: f"\\{sign}" for sign in "\\`*_[]{}|~$!"} | {"<": "&lt;", ">": "&gt;", "&": "&amp;"}


def render(table: "Table", form: str) -> str:
    """The table as text in one of ``FORMATS``."""
    try:
        writer = _WRITERS[form]
    except KeyError:
        hint = f"there are: {', '.join(FORMATS)}"
        raise ParameterError(f"there is no format named {form!r}", hint=hint) from None
    return writer(table)


def plain(value: Any) -> Any:
    """The value as JSON can hold it: a number that does not exist is null, enumerations are their words."""
    if isinstance(value, Mapping):
        return {str(key): plain(inside) for key, inside in value.items()}
    if hasattr(value, "tolist"):  # numpy's arrays and numbers
        return plain(value.tolist())
    if isinstance(value, str | Enum):
        return str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Iterable):
        return [plain(inside) for inside in value]
    if value is None or isinstance(value, int):
        return value
    raise ParameterError(f"{type(value).__name__} has no place in JSON", hint="use text, numbers, lists, mappings")


def to_json(value: Any) -> str:
    """JSON text, never with NaN or Infinity; ASCII, so that any identifier survives any encoding."""
    return json.dumps(plain(value), allow_nan=False, indent=1)


def shown(value: Cell, column: str = "") -> str:
    """One cell for people: four decimals, whole numbers plain, tiny p-values never as zero, nothing where missing."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return _shown_number(value, column)
    return visible(_exact(value))


def _shown_number(value: float, column: str) -> str:
    if column in _P_VALUES and value < _SMALLEST_P:
        return f"< {_SMALLEST_P:.0e}"
    if (column in _P_VALUES and value < _SMALL_P) or _LARGE <= abs(value) < math.inf:
        return f"{value:.1e}"
    text = f"{value:.4f}"
    return text.removeprefix("-") if text == "-0.0000" else text


def visible(text: str) -> str:
    """The text on one line, with control and direction-changing characters spelled out.

    Names come from strangers' files: an escape sequence must not reach a terminal, a line end not break a table.
    """
    if text.isprintable():
        return text
    return "".join(sign if _harmless(sign) else sign.encode("unicode_escape").decode("ascii") for sign in text)


def _harmless(sign: str) -> bool:
    return sign.isprintable() or (unicodedata.category(sign) in {"Zs", "Cf", "Co", "Cn"} and sign not in _BIDI)


def width(text: str) -> int:
    """How many terminal cells the text takes: two for wide East Asian characters, none for combining marks."""
    return sum(
        0 if unicodedata.category(sign) in {"Mn", "Me", "Cf"} else 1 + (unicodedata.east_asian_width(sign) in "WF")
        for sign in text
    )


def _is_numeric(cells: Sequence[Cell]) -> bool:
    """Whether a column is laid out as numbers: something in it is one, and the rest is missing."""
    there = [cell for cell in cells if cell is not None]
    return bool(there) and all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in there)


def _exact(value: Cell) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, date):
        return value.isoformat()
    return repr(value) if isinstance(value, float) else str(value)


class _Grid:
    """A table laid out for people: headers, shown cells by row, and which columns are numbers."""

    def __init__(self, table: "Table") -> None:
        columns = {name: table.cells(name) for name in table.columns}
        self.numeric = [_is_numeric(cells) for cells in columns.values()]
        self.header = [visible(name) for name in columns]
        self.rows = list(zip(*([shown(c, name) for c in cells] for name, cells in columns.items()), strict=True))
        self.caption = visible(table.caption)
        self.notes = [visible(note) for note in table.notes]


def _text(table: "Table") -> str:
    grid = _Grid(table)
    lines = [grid.header, *grid.rows]
    widths = [max(map(width, column)) for column in zip(*lines, strict=True)]

    def pad(text: str, size: int, *, right: bool) -> str:
        space = " " * (size - width(text))
        return space + text if right else text + space

    laid = [
        "  ".join(pad(c, w, right=n) for c, w, n in zip(line, widths, grid.numeric, strict=True)).rstrip()
        for line in lines
    ]
    return "\n".join([*([grid.caption] if grid.caption else []), *laid, *(f"note: {note}" for note in grid.notes)])


def _markdown(table: "Table") -> str:
    grid = _Grid(table)

    def line(cells: Iterable[str]) -> str:
        return f"| {' | '.join(_replace(cell, _MARKDOWN) for cell in cells)} |"

    rule = f"|{'|'.join(' ---: ' if numeric else ' :--- ' for numeric in grid.numeric)}|"
    body = "\n".join([line(grid.header), rule, *map(line, grid.rows)])
    parts = [_replace(grid.caption, _MARKDOWN), body, *(f"note: {_replace(n, _MARKDOWN)}" for n in grid.notes)]
    return "\n\n".join(part for part in parts if part)


def _latex(table: "Table") -> str:
    grid = _Grid(table)

    def line(cells: Iterable[str]) -> str:
        return f"{' & '.join(_replace(cell, _LATEX) for cell in cells)} \\\\"

    caption = [f"\\caption{{{_replace(grid.caption, _LATEX)}}}"] if grid.caption else []
    spec = "".join("r" if numeric else "l" for numeric in grid.numeric)
    notes = [f"\\par\\footnotesize note: {_replace(note, _LATEX)}" for note in grid.notes]
    return "\n".join(
        [
            "\\begin{table}",
            "\\centering",
            *caption,
            f"\\begin{{tabular}}{{{spec}}}",
            "\\toprule",
            line(grid.header),
            "\\midrule",
            *map(line, grid.rows),
            "\\bottomrule",
            "\\end{tabular}",
            *notes,
            "\\end{table}",
        ]
    )


def _html(table: "Table") -> str:
    grid = _Grid(table)
    kind = [' class="number"' if numeric else "" for numeric in grid.numeric]

    def row(cells: Sequence[str]) -> str:
        first = f'<th scope="row"{kind[0]}>{escape(cells[0])}</th>' if cells else ""
        rest = (f"<td{k}>{escape(c)}</td>" for c, k in zip(cells[1:], kind[1:], strict=True))
        return f"<tr>{first}{''.join(rest)}</tr>"

    head = "".join(f'<th scope="col"{k}>{escape(c)}</th>' for c, k in zip(grid.header, kind, strict=True))
    caption = f"<caption>{escape(grid.caption)}</caption>" if grid.caption else ""
    body = "\n".join(map(row, grid.rows))
    notes = "".join(f"\n<p>note: {escape(note)}</p>" for note in grid.notes)
    return f"<table>{caption}\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>{notes}"


class _LastLine(io.StringIO):
    """What the csv module wrote, without its line end."""

    def write(self, line: str, /) -> int:
        self.line = line.removesuffix("\r\n")
        return len(line)


def _csv(table: "Table") -> str:
    # Written with \r\n so that the module quotes both characters (3.11 quotes only those of its own line end),
    # and joined with \n.
    out = _LastLine()
    writer = csv.writer(out, lineterminator="\r\n")
    lines = []
    for row in [table.columns, *_exact_rows(table)]:
        writer.writerow(row)
        lines.append(out.line)
    return "\n".join(lines) + "\n"


def _tsv(table: "Table") -> str:
    signs = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
    lines = [table.columns, *_exact_rows(table)]
    return "".join("\t".join(_replace(cell, signs) for cell in line) + "\n" for line in lines)


def _exact_rows(table: "Table") -> Iterable[tuple[str, ...]]:
    return zip(*(map(_exact, table.cells(name)) for name in table.columns), strict=True)


def _json(table: "Table") -> str:
    return to_json(table.rows())


def _replace(text: str, signs: Mapping[str, str]) -> str:
    return "".join(signs.get(sign, sign) for sign in text)


_WRITERS: Final[dict[str, Callable[["Table"], str]]] = {
    "text": _text,
    "json": _json,
    "tsv": _tsv,
    "csv": _csv,
    "latex": _latex,
    "markdown": _markdown,
    "html": _html,
}
FORMATS: Final = tuple(_WRITERS)
