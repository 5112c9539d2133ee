"""Self-contained HTML page of a report, readable offline and without scripts."""

import hashlib
import re
from base64 import b64encode
from dataclasses import replace
from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from cranfield.core import Table, need
from cranfield.core.rendering import render, shown, visible

from .embedded_charts import draw_all
from .embedded_data import MARK, keep
from .methods_used import terms
from .reference_list import Citations, bibliography
from .report import Report, Section, Term
from .table_layout import first_rows, lay

if TYPE_CHECKING:
    from jinja2 import Template

WHOLE = 1_000  # rows up to which a page has all of a table as LaTeX and CSV
MANY = (8, 11, 13)  # columns beyond which a table is printed small, and smaller
SHORT = 15  # rows that are printed on one sheet
KEY = re.compile(r"\((\w+)\)|\b([a-z_]+(?:19|20)\d\d[a-z]*)\b")
NUMBERED = re.compile(r"(ref|figure|chart)-\d")  # anchors that the page gives itself
CODE = re.compile(r"``(.+?)``")


def to_html(report: Report) -> str:
    """The whole page. Equal reports give equal pages, to the byte."""
    page = Page(report)
    sections = [page.section(number, section) for number, section in enumerate(report.sections, 1)]
    explained = {heading: [page.term(term) for term in named] for heading, named in terms(report.sections).items()}
    script = _file("page.js")
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return _template().render(
        report=report,
        sections=sections,
        terms=explained,
        findings=[section for section in sections if section["sentence"]] if len(sections) > 1 else [],
        sources_listed=page.citations.listed(),
        bibtex=page.block("\n\n".join(source.bibtex() for _, source in page.citations.listed())),
        mark=Safe(MARK),
        data=Safe(keep(report).to_json()),
        style=Safe(_file("page.css")),
        script=Safe(script),
        policy=f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{digest}'; "
        "base-uri 'none'; form-action 'none'",
    )


class Safe(str):
    """Text that is HTML already, and goes into the page as it is."""

    __slots__ = ()

    def __html__(self) -> str:
        return str(self)


class Page:
    """What a page counts while it is made: figures, tables, citations, anchors."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.citations = Citations(bibliography())
        self.figures = self.tables = 0
        self.anchors = {"main", "contents", "found", "methods", "references", "made", "cranfield-report"}

    def section(self, number: int, section: Section) -> dict[str, Any]:
        """A section as the template wants it."""
        charts, undrawn = draw_all(section.study, tuple(section.charts or ()))
        headed = (section.tables or {}).items()
        return {
            "anchor": self.anchor(section.title, number),
            "title": section.title,
            "summary": self.told(section.summary),
            "sentence": self.told(section.study.sentence),
            "words": [self.told(text) for text in section.words],
            "cited": self.cited(section.cite),
            "figures": [self.figure(chart) for chart in charts],
            "tables": [self.table(section, *names) for names in headed if names[0] not in section.details],
            "details": [self.table(section, *names) for names in headed if names[0] in section.details],
            "notes": [self.told(note) for note in (*section.notes, *undrawn)],
        }

    def figure(self, chart: Any) -> dict[str, Any]:
        """A chart with its number."""
        self.figures += 1
        return {
            "number": self.figures,
            "svg": Safe(chart.svg(self.figures)),
            "shows": self.told(chart.shows),
            "cited": self.cited(chart.cite),
        }

    def table(self, section: Section, name: str, heading: str) -> dict[str, Any]:
        """A table with its number, cut to what a page shows."""
        self.tables += 1
        whole = section.study[name]
        laid = lay(whole, section.columns.get(name, ()))
        part = first_rows(laid.table, section.rows)
        kept = laid.table if len(whole) <= WHOLE else part
        caption = visible(whole.caption)
        columns = len(part.columns) - 2 * len(part.ends)
        paper = replace(laid, table=kept).on_paper()
        return {
            "number": self.tables,
            "anchor": self.anchor(heading, self.tables, kind="table"),
            "heading": heading,
            "caption": "" if caption.casefold() == heading.casefold() else self.told(caption),
            "same": laid.same,
            "html": self.numbered(
                _upright(part) if len(part) == 1 and columns > MANY[0] else render(_bare(part), "html")
            ),
            "short": len(part) <= SHORT,
            "size": sum(columns > many for many in MANY),
            "sorts": 1 < len(whole) == len(part),
            "cut": f"the first {len(part):,} of {len(whole):,} rows; the rest is in the data of this page"
            if len(part) < len(whole)
            else "",
            "empty": not len(whole),
            "notes": [self.told(note) for note in (*laid.below, *whole.notes)],
            "held": "" if len(kept) == len(whole) else f" ({len(kept):,} of {len(whole):,} rows)",
            "latex": self.block(paper.to_latex()),
            "csv": self.block(first_rows(whole, len(kept)).to_csv()),
        }

    def term(self, term: Term) -> dict[str, Any]:
        """A definition with its sources."""
        return {
            "name": term.name,
            "definition": self.coded(term.definition),
            "formula": term.formula,
            "assumes": self.told(term.assumes),
            "cited": self.cited(term.cite),
        }

    def cited(self, keys: str) -> list[tuple[str, int | None]]:
        """Some keys with their numbers."""
        return [(key, self.citations.number(key)) for key in re.split(r"[,\s]+", keys) if key]

    def told(self, text: str) -> "Safe":
        """Words in which keys of the bibliography have become numbers."""
        return self.numbered(escape(visible(text)))

    def numbered(self, html: str) -> "Safe":
        """HTML in which keys of the bibliography have become numbers."""

        def numbered(found: re.Match[str]) -> str:
            number = self.citations.number(found[1] or found[2])
            return f'<a href="#ref-{number}">[{number}]</a>' if number else found[0]

        return Safe(KEY.sub(numbered, html))

    def coded(self, text: str) -> "Safe":
        """Words of a docstring: what stands between double backticks is code."""
        return Safe(CODE.sub(r"<code>\1</code>", self.told(text)))

    def block(self, text: str) -> "Safe":
        """Lines as they are, harmless to look at."""
        return Safe("\n".join(escape(visible(line)) for line in text.split("\n")))

    def anchor(self, title: str, number: int, *, kind: str = "section") -> str:
        """A name for a place on the page: that of its title where letters allow it and nothing else has it."""
        slug = "-".join(re.findall(r"[a-z0-9]+", title.casefold()))[:60]
        slug = f"on-{slug}" if NUMBERED.match(slug) else slug
        while not slug or slug in self.anchors:
            slug = f"{kind}-{number}" if not slug else f"{slug}-{number}"
        self.anchors.add(slug)
        return slug


def _bare(table: Table) -> Table:
    """The cells alone: caption and notes stand outside what scrolls."""
    return Table(table.data, best=table.best, ends=table.ends)


def _upright(table: Table) -> str:
    """The only row of a wide table, a line for each of its columns."""
    row = {name: escape(shown(cell, name)) for name, cell in table.rows()[0].items()}
    inside = {name for ends in table.ends.values() for name in ends}
    for name, (low, high) in table.ends.items():
        row[name] += f" [{row[low]}, {row[high]}]" if row[low] or row[high] else ""
    lines = [
        f'<tr><th scope="row">{escape(visible(name))}</th><td class="number">{cell}</td></tr>'
        for name, cell in row.items()
        if name not in inside
    ]
    return "\n".join(["<table>", "<tbody>", *lines, "</tbody>", "</table>"])


@cache
def _file(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


@cache
def _template() -> "Template":
    jinja2 = need("jinja2", extra="report")
    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_visible,
        loader=jinja2.FunctionLoader(_file),
    )
    return environment.get_template("page.html")


def _visible(value: Any) -> Any:
    """Text that comes from outside is made harmless wherever it is printed; what is made here already is."""
    return visible(value) if type(value) is str else value
