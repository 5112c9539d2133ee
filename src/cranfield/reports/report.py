"""A report and its sections: one study each, with verdict, text, tables and charts."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from cranfield.core import Input, ParameterError, Provenance, Study, definition

ROWS = 25  # of a table that a page shows


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """Something a reader may have to look up: its name, what it is, where it comes from."""

    name: str
    definition: str
    formula: str = ""
    assumes: str = ""
    cite: str = ""  # keys of references.bib, commas between them

    @classmethod
    def of(cls, declared: type, *, name: str = "") -> "Term":
        """What a measure, a test or another declaration says of itself."""
        return cls(
            name=name or getattr(declared, "name", declared.__name__),
            definition=definition(declared),
            formula=getattr(declared, "formula", ""),
            assumes=getattr(declared, "assumes", ""),
            cite=getattr(declared, "cite", ""),
        )


@dataclass(frozen=True, slots=True)
class Section:
    """One study of a report: its verdict, an explanation, and the tables and charts that are shown.

    ``tables`` maps the tables to their headings (an empty heading: the name); without it all tables are shown. Long
    tables are cut to ``rows``. The tables named in ``details`` are folded away below the others and the charts.
    ``summary`` is printed above the verdict on the first page. ``charts`` defaults to those of the study. ``terms``
    are added to the methods of the report, and ``cite`` names the sources of the explanation.
    """

    title: str
    study: Study
    words: Sequence[str] = ()
    tables: Mapping[str, str] | None = None
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)  # table: which of its columns, and in what order
    charts: Sequence[str] | None = None
    notes: Sequence[str] = ()
    terms: Sequence[Term] = ()
    cite: str = ""
    rows: int = ROWS
    details: Collection[str] = ()
    summary: str = ""

    def __post_init__(self) -> None:
        words = (self.words,) if isinstance(self.words, str) else tuple(self.words)
        tables = dict.fromkeys(self.study.tables, "") if self.tables is None else dict(self.tables)
        columns = {name: tuple(chosen) for name, chosen in self.columns.items()}
        for name in {**tables, **columns}:
            known = self.study[name]
            for column in columns.get(name, ()):
                known.column(column)
        if unknown := [name for name in self.details if name not in tables]:
            hint = f"the section shows: {', '.join(tables)}"
            raise ParameterError(f"the section does not show the table {unknown[0]!r}", hint=hint)
        charts = self.study.charts if self.charts is None else tuple(self.charts)
        if strange := [name for name in charts if name not in self.study.charts]:
            hint = f"it has: {', '.join(self.study.charts) or 'none'}"
            raise ParameterError(f"the study {self.study.name} has no chart named {strange[0]!r}", hint=hint)
        if self.rows < 1:
            raise ParameterError(f"a table cannot show {self.rows} rows", hint="show one row or more")
        kept = {
            "words": words,
            "tables": MappingProxyType({name: heading or _headed(name) for name, heading in tables.items()}),
            "columns": MappingProxyType(columns),
            "charts": charts,
            "notes": tuple(self.notes),
            "terms": tuple(self.terms),
            "details": frozenset(self.details),
        }
        for name, value in kept.items():
            object.__setattr__(self, name, value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Sections under a title, and how to make them again: ``command`` is what was typed after ``cranfield``."""

    title: str
    sections: tuple[Section, ...]
    made_by: Provenance
    command: tuple[str, ...] = ()
    language: str = "en"


def compose(sections: Iterable[Section], *, title: str, command: Sequence[str] = ()) -> Report:
    """A report of some sections; what made it is what made its studies."""
    from shlex import join

    kept = tuple(sections)
    if not kept:
        raise ParameterError("the report has no section", hint="give the answer of one study or more")
    made = [section.study.made_by for section in kept if section.study.made_by is not None]
    seeds = [one.seed for one in made if one.seed is not None]
    inputs: dict[Input, None] = dict.fromkeys(source for one in made for source in one.inputs)
    made_by = Provenance(
        command=join(["cranfield", *command]) if command else "",
        inputs=tuple(inputs),
        measures=tuple(dict.fromkeys(measure for one in made for measure in one.measures)),
        seed=seeds[0] if seeds else None,
    )
    return Report(title=title, sections=kept, made_by=made_by, command=tuple(command))


def _headed(name: str) -> str:
    """A table's name as a heading."""
    words = name.replace("_", " ")
    return words[:1].upper() + words[1:]
