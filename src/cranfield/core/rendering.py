"""Render tables as text, Markdown, LaTeX, HTML, CSV, TSV or JSON, with rounding only for display.

Text, Markdown, LaTeX and HTML are for people and rounded; CSV, TSV and JSON are for programs and exact.
"""

import io
import json
import math
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from .errors import ParameterError

if TYPE_CHECKING:
    from .table import Table

Cell: TypeAlias = str | int | float | bool | date | None

_P_VALUES = {"p", "p_adjusted", "p_decide", "p_holm", "p_heterogeneity", "always_p"}
_SMALLEST_P = 1e-10  # the studentised range sticks near 1e-12: below this a p-value is noise
_SMALL_P = 1e-4  # below this four decimals would show nearly nothing of a p-value
_LARGE = 1e9  # from here on a number is written with its exponent
_ROWS = 20_000  # of a table become text at a time, where no row waits for another
_BOLD = "\x1b[1m{}\x1b[22m"
_BIDI = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_FORMULAS = dict(
    zip(
        "αβγδεθλμπρστφχωΓΔΠΣΦ·√∞∓±≤≥≈×∝∫",
        (
            *"alpha beta gamma delta epsilon theta lambda mu pi rho sigma tau varphi chi omega".split(),
            *"Gamma Delta Pi Sigma Phi cdot surd infty mp pm leq geq approx times propto int".split(),
        ),
        strict=True,
    )
)
_WIDE = 100  # columns of a paragraph
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
    # Signs of formulas, which plain fonts lack.
    **{sign: f"$\\{name}$" for sign, name in _FORMULAS.items()},
    **{sign: f"$^{plain}$" for sign, plain in zip("²³⁻¹ⁿ", "23-1n", strict=True)},
    **{sign: f"$_{plain}$" for sign, plain in zip("₊₋ᵢⱼ₀₂₃₍₎", "+-ij023()", strict=True)},
    "−": "$-$",
    "½": r"$\frac{1}{2}$",
}
_MARKDOWN = {sign: f"\\{sign}" for sign in "\\`*_[]{}|~$!"} | {"<": "&lt;", ">": "&gt;", "&": "&amp;"}


def render(table: "Table", form: str, *, bold: bool = False) -> str:
    """The table as text in one of ``FORMATS``; ``bold`` is for a terminal that can show it."""
    return "".join(pieces(table, form, bold=bold))


def pieces(table: "Table", form: str, *, bold: bool = False) -> Iterator[str]:
    """What :func:`render` gives, piece by piece: a large table need not be text as a whole."""
    if form == "text":
        return iter([_text(table, bold=bold)])
    try:
        writer = _WRITERS[form]
    except KeyError:
        hint = f"there are: {', '.join(FORMATS)}"
        raise ParameterError(f"there is no format named {form!r}", hint=hint) from None
    return iter([made]) if isinstance(made := writer(table), str) else made


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


def json_rows(table: "Table", depth: int = 0) -> Iterator[str]:
    """The rows as :func:`to_json` writes them ``depth`` levels deep: a large table in seconds, piece by piece."""
    if not len(table):
        yield "[]"
        return
    edge = "\n" + " " * (depth + 1)
    keys = [f"{edge} {json.dumps(name)}: " for name in table.columns]
    yield "["
    for start in range(0, len(table), _ROWS):
        columns = [
            [key + text for text in _each(table.cells(name, slice(start, start + _ROWS)), _json_cell, json.dumps)]
            for key, name in zip(keys, table.columns, strict=True)
        ]
        rows = (f"{edge}{{{','.join(cells)}{edge}}}" for cells in zip(*columns, strict=True))
        yield "," * (start > 0) + ",".join(rows)
    yield "\n" + " " * depth + "]"


def _json_cell(cell: Cell) -> str:
    if isinstance(cell, float):
        return repr(cell) if math.isfinite(cell) else "null"
    return repr(cell) if type(cell) is int else json.dumps(plain(cell))


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
    # A column such as "p t" names its test, which is none of those that stick.
    if ((column in _P_VALUES or "p" in column.split()) and value < _SMALL_P) or _LARGE <= abs(value) < math.inf:
        return f"{value:.1e}"
    text = f"{value:.4f}"
    return text.removeprefix("-") if text == "-0.0000" else text


def paragraph(text: str, form: str) -> str:
    """Words between tables: escaped as the format wants it, broken into lines where it is plain text."""
    text = visible(text)
    if form == "latex":
        return _replace(text, _LATEX)
    if form == "markdown":
        return _replace(text, _MARKDOWN)
    if form == "html":
        from html import escape  # with its table of entities it takes a millisecond of every start

        return f"<p>{escape(text)}</p>"
    from textwrap import fill

    return fill(text, _WIDE, break_long_words=False, break_on_hyphens=False)


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
    if text.isascii():
        return len(text)
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
    """A table laid out for people: headers, shown cells by row, and which columns are numbers.

    ``safe`` makes a text harmless in the format, ``strong`` makes a cell stand out, ``weak`` is for the other cells of
    a column in which one does.
    """

    def __init__(
        self,
        table: "Table",
        safe: Callable[[str], str],
        strong: Callable[[str], str],
        weak: Callable[[str], str] = str,
    ) -> None:
        inside = {name for ends in table.ends.values() for name in ends}
        names = [name for name in table.columns if name not in inside]
        marked = {name for _, name in table.best}
        self.numeric = [_is_numeric(table.cells(name)) for name in names]
        at_end = marked - set(table.ends)  # where the mark is the last thing in the cell
        self.header = [(weak if name in at_end else str)(safe(visible(name))) for name in names]
        columns = []
        for name in names:
            cells = _shown_cells(table, name, safe)
            if name in marked:
                cells = [(strong if (row, name) in table.best else weak)(cell) for row, cell in enumerate(cells)]
            if name in table.ends:
                low, high = (_shown_cells(table, end, safe) for end in table.ends[name])
                cells = [f"{c} {_between(a, b, safe)}".rstrip() for c, a, b in zip(cells, low, high, strict=True)]
            columns.append(cells)
        self.rows = list(zip(*columns, strict=True))
        self.best = {(row, names.index(name)) for row, name in table.best}
        self.caption = safe(visible(table.caption))
        self.notes = [safe(f"note: {visible(note)}") for note in table.notes]


def _shown_cells(table: "Table", name: str, safe: Callable[[str], str]) -> list[str]:
    return _each(table.cells(name), lambda cell: safe(shown(cell, name)), lambda word: safe(shown(word)))


def _between(low: str, high: str, safe: Callable[[str], str]) -> str:
    """Two ends as an interval; nothing where there are none."""
    return f"{safe('[')}{low}, {high}{safe(']')}" if low or high else ""


def _text(table: "Table", *, bold: bool = False) -> str:
    grid = _Grid(table, safe=str, strong=lambda cell: f"{cell}*", weak=lambda cell: f"{cell} ")
    lines = [grid.header, *grid.rows]
    widths = [max(map(width, column)) for column in zip(*lines, strict=True)]

    def pad(text: str, size: int, *, right: bool) -> str:
        space = " " * (size - width(text))
        return space + text if right else text + space

    laid = []
    for row, line in enumerate(lines, -1):
        cells = [pad(c, w, right=n) for c, w, n in zip(line, widths, grid.numeric, strict=True)]
        if bold and grid.best:
            cells = [_BOLD.format(cell) if (row, i) in grid.best else cell for i, cell in enumerate(cells)]
        laid.append("  ".join(cells).rstrip())
    said = [grid.caption] * bool(grid.caption) + ["* best"] * bool(grid.best)
    return "\n".join([*([", ".join(said)] if said else []), *laid, *grid.notes])


def _markdown(table: "Table") -> str:
    grid = _Grid(table, safe=lambda text: _replace(text, _MARKDOWN), strong=lambda cell: f"**{cell}**")
    rule = f"|{'|'.join(' ---: ' if numeric else ' :--- ' for numeric in grid.numeric)}|"
    lines = [f"| {' | '.join(cells)} |" for cells in (grid.header, *grid.rows)]
    parts = [grid.caption, "\n".join([lines[0], rule, *lines[1:]]), *grid.notes]
    return "\n\n".join(part for part in parts if part)


def _latex(table: "Table") -> str:
    grid = _Grid(table, safe=lambda text: _replace(text, _LATEX), strong=lambda cell: f"\\textbf{{{cell}}}")
    spec = "".join("r" if numeric else "l" for numeric in grid.numeric)
    header, *body = (f"{' & '.join(cells)} \\\\" for cells in (grid.header, *grid.rows))
    return "\n".join(
        [
            "\\begin{table}",
            "\\centering",
            *([f"\\caption{{{grid.caption}}}"] if grid.caption else []),
            f"\\begin{{tabular}}{{{spec}}}",
            "\\toprule",
            header,
            "\\midrule",
            *body,
            "\\bottomrule",
            "\\end{tabular}",
            *(f"\\par\\footnotesize {note}" for note in grid.notes),
            "\\end{table}",
        ]
    )


def _html(table: "Table") -> str:
    from html import escape

    grid = _Grid(table, safe=escape, strong=lambda cell: f"<b>{cell}</b>")
    kind = [' class="number"' if numeric else "" for numeric in grid.numeric]

    def row(cells: Sequence[str]) -> str:
        first = f'<th scope="row"{kind[0]}>{cells[0]}</th>' if cells else ""
        rest = (f"<td{k}>{c}</td>" for c, k in zip(cells[1:], kind[1:], strict=True))
        return f"<tr>{first}{''.join(rest)}</tr>"

    head = "".join(f'<th scope="col"{k}>{c}</th>' for c, k in zip(grid.header, kind, strict=True))
    caption = f"<caption>{grid.caption}</caption>" if grid.caption else ""
    body = "\n".join(map(row, grid.rows))
    notes = "".join(f"\n<p>{note}</p>" for note in grid.notes)
    return f"<table>{caption}\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>{notes}"


class _LastLine(io.StringIO):
    """What the csv module wrote, without its line end."""

    def write(self, line: str, /) -> int:
        self.line = line.removesuffix("\r\n")
        return len(line)


def _csv(table: "Table") -> Iterator[str]:
    # Written with \r\n so that the module quotes both characters (3.11 quotes only those of its own line end),
    # and joined with \n.
    out = _LastLine()
    import csv

    writer = csv.writer(out, lineterminator="\r\n")

    def line(cells: Sequence[str]) -> str:
        writer.writerow(cells)
        return f"{out.line}\n"

    yield line(table.columns)
    for rows in _exact_rows(table, safe=str):
        yield "".join(map(line, rows))


def _tsv(table: "Table") -> Iterator[str]:
    signs = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
    yield "\t".join(name.translate(signs) for name in table.columns) + "\n"
    for rows in _exact_rows(table, safe=lambda text: text.translate(signs)):
        yield "".join(f"{line}\n" for line in map("\t".join, rows))


def _exact_rows(table: "Table", safe: Callable[[str], str]) -> Iterator[Iterable[tuple[str, ...]]]:
    """The rows with every digit, some thousands at a time."""
    for start in range(0, len(table), _ROWS):
        part = slice(start, start + _ROWS)
        columns = (_each(table.cells(name, part), _exact, safe) for name in table.columns)
        yield zip(*columns, strict=True)


def _each(cells: Iterable[Cell], other: Callable[[Cell], str], word: Callable[[str], str]) -> list[str]:
    """Cells as text: ids and names come again and again, so that each is looked at once."""
    known: dict[str, str] = {}
    return [
        (known.get(cell) or known.setdefault(cell, word(cell))) if isinstance(cell, str) else other(cell)
        for cell in cells
    ]


def _replace(text: str, signs: Mapping[str, str]) -> str:
    return "".join(signs.get(sign, sign) for sign in text)


_WRITERS: Final[dict[str, Callable[["Table"], str | Iterator[str]]]] = {
    "text": _text,
    "json": json_rows,
    "tsv": _tsv,
    "csv": _csv,
    "latex": _latex,
    "markdown": _markdown,
    "html": _html,
}
FORMATS: Final = tuple(_WRITERS)
