"""A report and its sections: one study each, with verdict, text, tables and charts."""

from collections.abc import Iterable, Mapping, Sequence
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
    """One study of a report: its verdict, words about it, the tables and charts that are shown.

    ``tables`` says which tables, and what stands above each (nothing: its name); without it all are shown. Long ones
    are cut to ``rows``. ``charts`` are those of the study unless given. ``terms`` adds what the study's tables do not
    name to the methods of the report, ``cite`` the sources of the words.
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

    def __post_init__(self) -> None:
        words = (self.words,) if isinstance(self.words, str) else tuple(self.words)
        tables = dict.fromkeys(self.study.tables, "") if self.tables is None else dict(self.tables)
        columns = {name: tuple(chosen) for name, chosen in self.columns.items()}
        for name in {**tables, **columns}:
            known = self.study[name]
            for column in columns.get(name, ()):
                known.column(column)
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
