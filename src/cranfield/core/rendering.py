"""Render tables as text, Markdown, LaTeX, HTML, CSV, TSV or JSON, with rounding only for display.

Text, Markdown, LaTeX and HTML are for people and rounded; CSV, TSV and JSON are for programs and exact.
"""

import math
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from .errors import ParameterError
from .escapes import escape_latex, escape_markdown
from .exact_formats import Cell, csv_pieces, each_cell, exact, json_rows, tsv_pieces

if TYPE_CHECKING:
    from .table import Table

DIGITS: Final = 4  # decimals of a number that people read, unless they ask for another number
_P_VALUES = {"p", "p_adjusted", "p_decide", "p_holm", "p_heterogeneity", "always_p"}
_SMALLEST_P = 1e-10  # the studentised range sticks near 1e-12: below this a p-value is noise
_LARGE = 1e9  # from here on a number is written with its exponent
_BOLD = "\x1b[1m{}\x1b[22m"
_BIDI = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_WIDE = 100  # columns of a paragraph


def render(table: "Table", form: str, *, bold: bool = False, digits: int = DIGITS) -> str:
    """Return the table as text in one of ``FORMATS``.

    ``bold`` is for a terminal that can show it. ``digits`` is the number of decimals where people read the table.
    """
    return "".join(pieces(table, form, bold=bold, digits=digits))


def pieces(table: "Table", form: str, *, bold: bool = False, digits: int = DIGITS) -> Iterator[str]:
    """Yield the text of :func:`render` piece by piece, so that a large table is never in memory as a whole."""
    if form == "text":
        return iter([_text(table, digits, bold=bold)])
    if form in _LAYOUTS:
        return iter([_LAYOUTS[form](table, digits)])
    try:
        return _WRITERS[form](table)
    except KeyError:
        hint = f"there are: {', '.join(FORMATS)}"
        raise ParameterError(f"there is no format named {form!r}", hint=hint) from None


def shown(value: Cell, column: str = "", digits: int = DIGITS) -> str:
    """Return one cell for people: decimals rounded, whole numbers plain, tiny p-values never as zero, "" if missing."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return _shown_number(value, column, digits)
    return visible(exact(value))


def _shown_number(value: float, column: str, digits: int) -> str:
    if column in _P_VALUES and value < _SMALLEST_P:
        return f"< {_SMALLEST_P:.0e}"
    # A column such as "p t" names its test, which is none of those that stick.
    if ((column in _P_VALUES or "p" in column.split()) and value < 10**-digits) or _LARGE <= abs(value) < math.inf:
        return f"{value:.1e}"
    text = f"{value:.{digits}f}"
    return text if text.strip("-0.") else text.removeprefix("-")


def paragraph(text: str, form: str) -> str:
    """Words between tables: escaped as the format wants it, broken into lines where it is plain text."""
    text = visible(text)
    if form == "latex":
        return escape_latex(text)
    if form == "markdown":
        return escape_markdown(text)
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


@dataclass(frozen=True, slots=True)
class _Style:
    """How a format shows a cell.

    ``safe`` escapes a text, ``strong`` emphasises a cell, and ``weak`` is for the other cells of a column in which one
    is emphasised. ``raised`` puts a mark behind a cell; the number is the width of the widest mark of the column.
    ``minus`` starts a negative number.
    """

    safe: Callable[[str], str]
    strong: Callable[[str], str]
    raised: Callable[[str, int], str]
    weak: Callable[[str], str] = str
    minus: str = "-"
    best: str = ", the best of each column in bold"  # what a caption with a legend says about emphasis


_TEXT_STYLE = _Style(
    safe=str,
    strong=lambda cell: f"{cell}*",
    raised=lambda mark, wide: f" {mark}{' ' * (wide - width(mark))}" if wide else "",
    weak=lambda cell: f"{cell} ",
    best="",
)
_MARKDOWN_STYLE = _Style(
    safe=escape_markdown,
    strong=lambda cell: f"**{cell}**",
    raised=lambda mark, _: f"<sup>{mark}</sup>" if mark else "",
)
_LATEX_STYLE = _Style(
    safe=escape_latex,
    strong=lambda cell: f"\\textbf{{{cell}}}",
    raised=lambda mark, _: f"\\textsuperscript{{{mark}}}" if mark else "",
    minus="−",
)


class _Grid:
    """A table laid out for people: headers, shown cells by row, and which columns are numbers."""

    def __init__(self, table: "Table", style: _Style, digits: int) -> None:
        inside = {name for ends in table.ends.values() for name in ends}
        names = [name for name in table.columns if name not in inside]
        emphasised = {name for _, name in table.best}
        at_end = emphasised - set(table.ends)  # where the emphasis is the last thing in the cell
        self.numeric = [_is_numeric(table.cells(name)) for name in names]
        self.header = []
        columns = []
        for name in names:
            cells = _shown_cells(table, name, style, digits)
            if name in emphasised:
                strong = [(row, name) in table.best for row in range(len(cells))]
                cells = [(style.strong if best else style.weak)(c) for c, best in zip(cells, strong, strict=True)]
            if name in table.ends:
                low, high = (_shown_cells(table, end, style, digits) for end in table.ends[name])
                cells = [f"{c} {_between(a, b, style.safe)}".rstrip() for c, a, b in zip(cells, low, high, strict=True)]
            marks = [style.safe(visible(table.marks.get((row, name), ""))) for row in range(len(cells))]
            widest = max(map(width, marks), default=0)
            columns.append([cell + style.raised(mark, widest) for cell, mark in zip(cells, marks, strict=True)])
            header = (style.weak if name in at_end else str)(style.safe(visible(name)))
            self.header.append(header + style.raised("", widest))
        self.rows = list(zip(*columns, strict=True))
        self.best = {(row, names.index(name)) for row, name in table.best}
        marked = {name for _, name in table.marks}
        # Numbers of equal length are aligned on the left as well, where marks of different width do not shift them.
        self.right = [
            numeric and not (name in marked and _equally_long(table, name, digits))
            for name, numeric in zip(names, self.numeric, strict=True)
        ]
        self.caption = style.safe(visible(table.caption))
        self.legend = style.safe(visible(table.legend))
        if style.best and self.legend:
            self.caption = f"{self.caption}{style.best * bool(self.best)}. {self.legend}"
        self.notes = [style.safe(f"note: {visible(note)}") for note in table.notes]


def _shown_cells(table: "Table", name: str, style: _Style, digits: int) -> list[str]:
    def number(cell: Cell) -> str:
        text = shown(cell, name, digits)
        return style.safe(f"{style.minus}{text[1:]}" if text.startswith("-") else text)

    return each_cell(table.cells(name), number, lambda word: style.safe(shown(word)))


def _equally_long(table: "Table", name: str, digits: int) -> bool:
    return len({len(cell) for cell in _shown_cells(table, name, _TEXT_STYLE, digits) if cell}) == 1


def _between(low: str, high: str, safe: Callable[[str], str]) -> str:
    """Two ends as an interval; nothing where there are none."""
    return f"{safe('[')}{low}, {high}{safe(']')}" if low or high else ""


def _text(table: "Table", digits: int, *, bold: bool = False) -> str:
    grid = _Grid(table, _TEXT_STYLE, digits)
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
    legend = [paragraph(grid.legend, "text")] if grid.legend else []
    return "\n".join([*([", ".join(said)] if said else []), *laid, *legend, *grid.notes])


def _markdown(table: "Table", digits: int) -> str:
    grid = _Grid(table, _MARKDOWN_STYLE, digits)
    rule = f"|{'|'.join(' ---: ' if right else ' :--- ' for right in grid.right)}|"
    lines = [f"| {' | '.join(cells)} |" for cells in (grid.header, *grid.rows)]
    parts = [grid.caption, "\n".join([lines[0], rule, *lines[1:]]), *grid.notes]
    return "\n\n".join(part for part in parts if part)


def _latex(table: "Table", digits: int) -> str:
    grid = _Grid(table, _LATEX_STYLE, digits)
    spec = "".join("r" if right else "l" for right in grid.right)
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
            "\\end{table}",
            *(f"% note: {visible(note)}" for note in table.notes),
        ]
    )


def _html(table: "Table", digits: int) -> str:
    from html import escape

    style = _Style(
        safe=escape,
        strong=lambda cell: f"<b>{cell}</b>",
        raised=lambda mark, _: f"<sup>{mark}</sup>" if mark else "",
    )
    grid = _Grid(table, style, digits)
    kind = [' class="number"' if right else "" for right in grid.right]

    def row(cells: Sequence[str]) -> str:
        first = f'<th scope="row"{kind[0]}>{cells[0]}</th>' if cells else ""
        rest = (f"<td{k}>{c}</td>" for c, k in zip(cells[1:], kind[1:], strict=True))
        return f"<tr>{first}{''.join(rest)}</tr>"

    head = "".join(f'<th scope="col"{k}>{c}</th>' for c, k in zip(grid.header, kind, strict=True))
    caption = f"<caption>{grid.caption}</caption>" if grid.caption else ""
    body = "\n".join(map(row, grid.rows))
    notes = "".join(f"\n<p>{note}</p>" for note in grid.notes)
    return f"<table>{caption}\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>{notes}"


_LAYOUTS: Final[dict[str, Callable[["Table", int], str]]] = {
    "text": _text,
    "latex": _latex,
    "markdown": _markdown,
    "html": _html,
}
_WRITERS: Final[dict[str, Callable[["Table"], Iterator[str]]]] = {
    "json": json_rows,
    "tsv": tsv_pieces,
    "csv": csv_pieces,
}
FORMATS: Final = ("text", *_WRITERS, "latex", "markdown", "html")
