"""Layout: rounded for people, exact for programs, and no cell can break it."""

import csv
import io
import json
import math
from html.parser import HTMLParser

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from cranfield import measures, stats
from cranfield.core import FORMATS, ParameterError, Table
from cranfield.core.exact_formats import plain
from cranfield.core.rendering import render, shown, visible, width

TABLE = Table(
    {"run": ["bm25", "漢字"], "value": [0.123456, None], "topics": [50, 7], "p": [1e-12, 3.2e-6]},
    "Two runs & more",
    notes=("a note",),
)


def test_text_is_aligned_by_terminal_cells() -> None:
    assert str(TABLE).splitlines() == [
        "Two runs & more",
        "run    value  topics        p",
        "bm25  0.1235      50  < 1e-10",
        "漢字               7  3.2e-06",
        "note: a note",
    ]
    assert repr(TABLE) == str(TABLE)


@pytest.mark.parametrize(
    ("value", "column", "text"),
    [
        (0.5, "", "0.5000"),
        (-0.00001, "", "0.0000"),
        (1e-12, "value", "0.0000"),
        (12345678901.5, "", "1.2e+10"),
        (math.inf, "", "inf"),
        (7, "", "7"),
        (10**12, "", "1000000000000"),
        (0.0, "p", "< 1e-10"),
        (9e-11, "p_adjusted", "< 1e-10"),
        (1e-10, "p", "1.0e-10"),
        (0.00005, "p", "5.0e-05"),
        (0.04999, "p", "0.0500"),
        (True, "", "true"),
        (None, "p", ""),
        ("a\tb\x1b[31m", "", "a\\tb\\x1b[31m"),
        ("x\u202ey\u2028", "", "x\\u202ey\\u2028"),
    ],
)
def test_one_cell_for_people(value: object, column: str, text: str) -> None:
    assert shown(value, column) == text  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "column", "digits", "text"),
    [
        (0.45678, "", 3, "0.457"),
        (0.45678, "", 0, "0"),
        (0.5, "", 6, "0.500000"),
        (-0.004, "", 2, "0.00"),
        (-0.4, "", 0, "0"),
        (0.004, "p", 2, "4.0e-03"),  # never 0.00
        (0.04, "p", 2, "0.04"),
        (0.00004, "p", 6, "0.000040"),
        (7, "", 2, "7"),
    ],
)
def test_the_reader_chooses_the_number_of_decimals(value: float, column: str, digits: int, text: str) -> None:
    assert shown(value, column, digits) == text


def test_digits_reach_every_format_for_people_and_no_other() -> None:
    for form in FORMATS:
        few, usual = render(TABLE, form, digits=2), render(TABLE, form)
        assert ("0.12" in few and "0.123" not in few) is (form in {"text", "latex", "markdown", "html"})
        assert (few == usual) is (form in {"json", "tsv", "csv"})
    assert "0.12 " in TABLE.to_latex(digits=2)
    assert "0.12 " in TABLE.to_markdown(digits=2)


def test_width_counts_cells() -> None:
    assert [width(text) for text in ("abc", "漢字", "e\u0301", "ｱ", "Ａ", "👍", "")] == [3, 4, 1, 1, 2, 2, 0]


def test_markdown_html_and_latex_are_rounded_and_escaped() -> None:
    table = Table({"a_b": ["x|y", "<b>"], "v": [0.123456, 1]}, "50% & more")
    assert table.to_markdown().splitlines() == [
        "50% &amp; more",
        "",
        "| a\\_b | v |",
        "| :--- | ---: |",
        "| x\\|y | 0.1235 |",
        "| &lt;b&gt; | 1 |",
    ]
    html = table._repr_html_()
    assert "<caption>50% &amp; more</caption>" in html
    assert '<th scope="col">a_b</th><th scope="col" class="number">v</th>' in html
    assert '<th scope="row">&lt;b&gt;</th><td class="number">1</td>' in html
    latex = table.to_latex()
    assert "\\caption{50\\% \\& more}" in latex
    assert "\\begin{tabular}{lr}\n\\toprule\na\\_b & v \\\\\n\\midrule\nx\\textbar{}y & 0.1235 \\\\" in latex
    assert latex.count("{") == latex.count("}")


def test_latex_has_a_minus_sign_before_numbers_and_a_hyphen_in_names() -> None:
    table = Table(
        {"run": ["-a-b"], "difference": [-0.25], "low": [-0.5], "high": [-1e-9]}, ends={"difference": ("low", "high")}
    )
    assert "-a-b & $-$0.2500 {[}$-$0.5000, 0.0000{]} \\\\" in table.to_latex()
    assert "-0.2500 [-0.5000, 0.0000]" in str(table)


def test_programs_get_every_digit() -> None:
    table = Table({"x": [0.1 + 0.2, math.nan], "y": ["a\tb", "c\\\n"]})
    assert table.to_csv() == 'x,y\n0.30000000000000004,a\tb\n,"c\\\n"\n'
    assert table.to_tsv() == "x\ty\n0.30000000000000004\ta\\tb\n\tc\\\\\\n\n"
    assert json.loads(table.to_json()) == [{"x": 0.1 + 0.2, "y": "a\tb"}, {"x": None, "y": "c\\\n"}]


def test_json_has_no_number_that_does_not_exist() -> None:
    table = Table({"x": [math.inf, -math.inf, math.nan]})
    assert json.loads(table.to_json(), parse_constant=pytest.fail) == [{"x": None}] * 3
    with pytest.raises(ParameterError, match="object has no place in JSON"):
        plain(object())


def test_an_unknown_format_is_answered_with_those_there_are() -> None:
    with pytest.raises(ParameterError, match="no format named 'xls'") as caught:
        render(TABLE, "xls")
    assert caught.value.hint == f"there are: {', '.join(FORMATS)}"


tables = st.integers(1, 3).flatmap(
    lambda wide: st.lists(st.lists(st.text(max_size=8), min_size=wide, max_size=wide), min_size=1, max_size=4)
)
nasty = [["a,b\"c'\r", "\r\n|\\"], ["\x00\x1b[0m", "</table><script>"], ["=1+1", "\\\\ [x] *y* _z_"]]


def _table(rows: list[list[str]]) -> Table:
    return Table({f"c{i}": list(column) for i, column in enumerate(zip(*rows, strict=True))}, "cap")


@given(rows=tables)
@example(rows=nasty)
@pytest.mark.parametrize("form", FORMATS)
def test_any_text_renders_in_any_format(rows: list[list[str]], form: str) -> None:
    assert render(_table(rows), form)


@given(rows=tables)
@example(rows=nasty)
def test_csv_reads_back(rows: list[list[str]]) -> None:
    assert list(csv.reader(io.StringIO(_table(rows).to_csv(), newline="")))[1:] == rows


@given(rows=tables)
@example(rows=nasty)
def test_tsv_reads_back_by_splitting(rows: list[list[str]]) -> None:
    lines = [line.split("\t") for line in _table(rows).to_tsv().removesuffix("\n").split("\n")]
    assert [[_unescape(cell) for cell in line] for line in lines[1:]] == rows


def _unescape(text: str) -> str:
    signs = {"t": "\t", "n": "\n", "r": "\r", "\\": "\\"}
    out, rest = "", text
    while rest:
        if rest[0] == "\\":
            out, rest = out + signs[rest[1]], rest[2:]
        else:
            out, rest = out + rest[0], rest[1:]
    return out


@given(rows=tables)
@example(rows=nasty)
def test_json_reads_back(rows: list[list[str]]) -> None:
    assert [list(row.values()) for row in json.loads(_table(rows).to_json())] == rows


@given(rows=tables)
@example(rows=nasty)
def test_text_keeps_one_line_per_row(rows: list[list[str]]) -> None:
    lines = str(_table(rows)).split("\n")
    assert len(lines) == len(rows) + 2
    assert all(line == visible(line) for line in lines)


@given(rows=tables)
@example(rows=nasty)
def test_html_reads_back(rows: list[list[str]]) -> None:
    class Cells(HTMLParser):
        """Collects the text of body cells."""

        def __init__(self) -> None:
            super().__init__()
            self.rows: list[list[str]] = []

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            if tag == "tr":
                self.rows.append([])
            elif tag in {"td", "th"}:
                self.rows[-1].append("")

        def handle_data(self, data: str) -> None:
            if self.rows and self.rows[-1]:
                self.rows[-1][-1] += data.strip("\n")

    parser = Cells()
    parser.feed(_table(rows)._repr_html_())
    parser.close()
    assert parser.rows[1:] == [[visible(cell) for cell in row] for row in rows]


@given(rows=tables)
@example(rows=nasty)
def test_markdown_reads_back(rows: list[list[str]]) -> None:
    tokens = MarkdownIt("commonmark").enable("table").parse(_table(rows).to_markdown())
    inside = [token for token in tokens if token.type == "inline"][1:]  # after the caption
    found = ["".join(child.content for child in token.children or ()) for token in inside]
    header = len(rows[0])
    wanted = [visible(cell).strip() for row in rows for cell in row]
    assert [" ".join(cell.split()) for cell in found[header:]] == [" ".join(cell.split()) for cell in wanted]


def test_every_sign_of_the_catalogues_has_its_latex() -> None:
    # What pdflatex knows by itself: letters with accents, dashes, dots.
    known = set("éöüäßŠšč–—…’“”")
    studies = (measures.explained(), stats.methods_explained())
    text = "".join(table.to_latex() for study in studies for table in study.tables.values())
    assert {sign for sign in text if ord(sign) > 127} <= known
    assert r"$\omega$$^2$" in Table({"a": ["ω²"]}).to_latex()
