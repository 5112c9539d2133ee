"""Output options, formats, notes and progress bars shared by all commands."""

import os
import shlex
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import TypeVar

import click

from cranfield.cli.options.usage_errors import OneOf, Whole
from cranfield.core import FORMATS, POLICIES, ParameterError, Study, Table
from cranfield.core.rendering import DIGITS, paragraph, pieces, render, visible
from cranfield.data import ORDERS

from .atomic_files import check_place, is_stream, whole
from .closed_pipes import discard_stdout

F = TypeVar("F", bound=Callable[..., object])

FOR_PEOPLE = ("text", "latex", "markdown", "html")  # rounded, laid out
WIDE = 80  # columns of a catalogue
MAX_DIGITS = 15  # decimals that a double holds for values up to 1
DIGITS_KEY = "cranfield.digits"  # in the context of a command
BY_SUFFIX = {"md": "markdown", "tex": "latex", "htm": "html", "txt": "text"}


ties_option = click.option(
    "--ties",
    type=OneOf([str(ties) for ties in ORDERS]),
    default="trec",
    show_default=True,
    help="The order of documents with the same score.",
)


scale_option = click.option(
    "--scale",
    type=OneOf(list(POLICIES)),
    default="note",
    show_default=True,
    help="Where a mean or a test asks more of the numbers than their measure gives.",
)


def typed() -> str:
    """The command as it was typed, for the provenance."""
    return shlex.join(["cranfield", *click.get_current_context().find_root().obj])


def note(text: str) -> None:
    """A word to the user, beside the data."""
    click.echo(f"note: {visible(text)}", err=True)


def output_options(*more: str) -> Callable[[F], F]:
    """Add --format, --table, --output and --digits; the last is for :func:`digits_shown`, not for the command."""

    def add(command: F) -> F:
        forms = OneOf([*FORMATS, "parquet", *more])
        text = "Write to a file, in the format its name ends in."
        command = click.option(
            "--digits",
            type=Whole(least=0, most=MAX_DIGITS),
            expose_value=False,
            callback=_store_digits,
            help=f"Decimals in text, LaTeX, Markdown and HTML; other formats are exact.  [default: {DIGITS}]",
        )(command)
        command = click.option("-o", "--output", metavar="FILE", help=text)(command)
        command = click.option("--table", metavar="NAME", help="Only this table of the result.")(command)
        text = "How to show the result.  [default: text on a terminal, tsv in a pipe]"
        return click.option("--format", "form", type=forms, help=text)(command)

    return add


def _store_digits(ctx: click.Context, param: click.Parameter, digits: int | None) -> None:
    del param
    if digits is not None:
        ctx.meta[DIGITS_KEY] = digits


def digits_shown() -> int:
    """Return the number of decimals that --digits asks for, or the usual one."""
    ctx = click.get_current_context(silent=True)
    return DIGITS if ctx is None else int(ctx.meta.get(DIGITS_KEY, DIGITS))


def show(
    study: Study,
    *,
    form: str | None,
    table: str | None,
    output: str | None,
    layout: Mapping[str, Table] | None = None,
    notes: Sequence[str] = (),
    only: Sequence[str] = (),
) -> None:
    """Write a study to stdout or a file.

    ``layout`` holds tables that people would rather see than the exact rows, ``only`` those that they read at all;
    ``notes`` are said beside the data, or stand in it where it is laid out for people.
    """
    notes = tuple(dict.fromkeys(notes))
    if table:
        study = Study(study.name, {table: study[table]}, study.verdict, study.made_by)
        layout = None
    form = form or usual_format(output, one=len(study.tables) == 1)
    if form == "json":
        put(study.json_pieces(), output)
    elif form in FOR_PEOPLE:
        bold = form == "text" and not output and may_be_bold()
        put(_for_people(_readable(study, only if not table else ()), form, layout or {}, notes, bold=bold), output)
    else:
        _put_table(study, form, output)
    if output or form not in FOR_PEOPLE:
        shows_verdict = form in (*FOR_PEOPLE, "json")
        for line in (*(() if shows_verdict else _doubts(study)), *notes):
            note(line)


def _doubts(study: Study) -> tuple[str, ...]:
    """Return what a reader of a table alone must know: which rows it does not count, and a verdict without trust."""
    verdict: Mapping[str, object] = study.verdict or {}
    excluded = (study.excluded,) if verdict.get("rows_excluded") else ()
    return (*excluded, study.sentence) if verdict.get("trusted") is False else excluded


def _for_people(study: Study, form: str, layout: Mapping[str, Table], notes: Sequence[str], *, bold: bool) -> str:
    tables = [layout.get(name, exact) for name, exact in study.tables.items()]
    tables[0] = replace(tables[0], notes=tuple(notes))
    words = [paragraph(line, form) for line in (study.excluded, study.sentence) if line]
    digits = digits_shown()
    return "\n\n".join([*words, *(render(t, form, bold=bold, digits=digits).rstrip("\n") for t in tables)])


def _readable(study: Study, only: Sequence[str]) -> Study:
    """The study without tables that nobody reads as text."""
    kept = {name: table for name, table in study.tables.items() if not only or name in only}
    return replace(study, tables=kept)


def by_family(known: Table, titles: Mapping[str, str], more: str) -> str:
    """A catalogue as people read it: family by family, each name with its definition; ``more`` stands last."""
    rows = [{key: str(cell) for key, cell in row.items()} for row in known.rows()]
    lines: list[str] = []
    indent = 2 + max(len(row["name"]) for row in rows) + 2
    for family in dict.fromkeys(row["family"] for row in rows):
        lines += [""] * bool(lines) + [titles.get(family, family)]
        for row in (row for row in rows if row["family"] == family):
            start = f"  {row['name']}".ljust(indent)
            about = row["definition"].replace("``", "")
            lines += textwrap.wrap(about, WIDE, initial_indent=start, subsequent_indent=" " * indent)
    return "\n".join([*lines, "", more])


def may_be_bold() -> bool:
    """Whether stdout is a terminal that shows more than plain text, and nobody asked for plain text."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _put_table(study: Study, form: str, output: str | None) -> None:
    """Write the one table that a table format holds: the most detailed, which stands last."""
    *others, (name, table) = study.tables.items()
    if form != "parquet":
        put(pieces(table, form), output)
    elif output:
        with whole(output) as place:
            table.to_parquet(place)
    else:
        raise ParameterError("Parquet is not for a terminal or a pipe", hint=f"name a file: -o {name}.parquet")
    if others:
        names = [other for other, _ in others]
        rest = f"{names[0]} gives the other" if len(names) == 1 else f"gives another: {', '.join(names)}"
        note(f"{form} holds one table, here {name}; --table {rest}")


def put(text: str | Iterable[str], output: str | None) -> None:
    """Write text, whole or in pieces, to stdout or to a file."""
    parts = [text] if isinstance(text, str) else text
    if output:
        with whole(output) as place, place.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
            file.writelines(_ended(parts))
    else:
        try:
            for part in _ended(parts):
                click.echo(part, nl=False)
        except BrokenPipeError:  # a chart and a requirement still follow
            discard_stdout()


def _ended(parts: Iterable[str]) -> Iterator[str]:
    """The parts, with a line end after the last one if it has none; nothing stays nothing."""
    last = ""
    for part in parts:
        last = part or last
        yield part
    if last and not last.endswith("\n"):
        yield "\n"


def usual_format(output: str | None, *, one: bool) -> str:
    """The format nobody asked for: that of the file's name; else text on a terminal, tsv in a pipe for one table."""
    if output and not is_stream(output):
        suffix = Path(output).suffix.lower().lstrip(".")
        form = BY_SUFFIX.get(suffix, suffix)
        if form not in FORMATS and form != "parquet":
            what = f"no format ends in .{suffix}" if suffix else "the name does not say which format"
            hint = (
                f"add --format, or end the name in .txt .{' .'.join((*FORMATS[1:4], 'md', 'tex', 'html', 'parquet'))}"
            )
            raise ParameterError(f"{output}: {what}", hint=hint)
        return form
    return "text" if sys.stdout.isatty() or not one else "tsv"


def check_output(form: str | None, output: str | None) -> None:
    """Refuse a file that could not be written before the long work, not after it."""
    if output and form is None:
        usual_format(output, one=True)
    if output:
        check_place(output)


class Bar:
    """A bar on stderr for work that takes longer than a second; nothing where nobody watches."""

    def __init__(self, label: str) -> None:
        self.label, self.started, self.ended = label, 0.0, False
        self.bar: click._termui_impl.ProgressBar[int] | None = None
        self.lock = Lock()  # files are read side by side

    def __call__(self, done: int, total: int) -> None:
        """Show how far the work has come."""
        with self.lock:
            self.started = self.started or time.monotonic()  # of the first news: other work may come before
            if self.ended:
                return
            if self.bar is None and time.monotonic() - self.started > 1 and 0 < done < total:
                self.bar = click.progressbar(length=total, label=self.label, file=sys.stderr)
                self.bar.__enter__()
            if self.bar is not None and done > self.bar.pos:
                self.bar.update(done - self.bar.pos)
            if done >= total:
                self.close()

    def close(self) -> None:
        """End the line of the bar."""
        if self.bar is not None and not self.ended:
            self.bar.__exit__(None, None, None)
        self.ended = True


@contextmanager
def progress(label: str) -> Iterator[Bar | None]:
    """A bar for the work inside, if stderr is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    bar = Bar(label)
    try:
        yield bar
    finally:
        bar.close()
