"""What every command shares: options, the command line as it was typed, progress, and how results are shown."""

import shlex
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import click

from cranfield.core import FORMATS, ParameterError, Study, Table
from cranfield.core.render import render

F = TypeVar("F", bound=Callable[..., object])

FOR_PEOPLE = ("text", "latex", "markdown", "html")  # rounded, laid out


def typed() -> str:
    """The command as it was typed, for the provenance."""
    return shlex.join(["cranfield", *sys.argv[1:]])


def note(text: str) -> None:
    """A word to the user, beside the data."""
    click.echo(f"note: {text}", err=True)


def output_options(*more: str) -> Callable[[F], F]:
    """Add --format, --table and --output."""

    def add(command: F) -> F:
        forms = click.Choice([*FORMATS, "parquet", *more])
        command = click.option("-o", "--output", type=click.Path(dir_okay=False), help="Write to a file.")(command)
        command = click.option("--table", help="Only this table of the result.")(command)
        text = "How to show the result: text on a terminal, else tsv where there is one table."
        return click.option("--format", "form", type=forms, help=text)(command)

    return add


def show(study: Study, *, form: str | None, table: str | None, output: str | None, layout: Table | None = None) -> None:
    """Write a study to stdout or a file; ``layout`` is the table that people would rather see than the exact rows."""
    wanted = study[table] if table else None
    form = form or _usual(study, output, one=wanted is not None or len(study.tables) == 1)
    if form == "parquet":
        _parquet(wanted or _only(study), output)
        return
    if form == "json":
        text = study.to_json()
    elif wanted is not None:
        text = render(wanted, form)
    elif form in FOR_PEOPLE:
        tables = [layout] if layout else []
        tables += [t for name, t in study.tables.items() if not (layout and name == "values")]
        words = [study.sentence] if study.sentence else []
        text = "\n\n".join([*words, *(render(t, form).rstrip("\n") for t in tables)])
    else:
        text = render(_only(study), form)
    put(text, output)


def put(text: str, output: str | None) -> None:
    """Write text to stdout or to a file."""
    text = text if text.endswith("\n") else text + "\n"
    if output:
        Path(output).write_text(text, encoding="utf-8", errors="backslashreplace", newline="")
    else:
        click.echo(text, nl=False)


def _usual(study: Study, output: str | None, *, one: bool) -> str:
    """The format nobody asked for: that of the file's name, text on a terminal, tsv in a pipe."""
    if output:
        suffix = Path(output).suffix.lower().lstrip(".")
        by_name = {"md": "markdown", "tex": "latex", "htm": "html", "txt": "text"}.get(suffix, suffix)
        if by_name in FORMATS or by_name == "parquet":
            return by_name
    if sys.stdout.isatty() or not one:
        return "text"
    del study
    return "tsv"


def _only(study: Study) -> Table:
    """The one table that a one-table format can hold: the most detailed, which stands last."""
    return list(study.tables.values())[-1]


def _parquet(table: Table, output: str | None) -> None:
    if not output:
        raise ParameterError("Parquet is not for a terminal or a pipe", hint="name a file: -o values.parquet")
    table.to_parquet(output)


class Bar:
    """A bar on stderr for work that takes longer than a second; nothing where nobody watches."""

    def __init__(self, label: str) -> None:
        self.label, self.started = label, time.monotonic()
        self.bar: click._termui_impl.ProgressBar[int] | None = None

    def __call__(self, done: int, total: int) -> None:
        """Show how far the work has come."""
        if self.bar is None and time.monotonic() - self.started > 1 and 0 < done < total:
            self.bar = click.progressbar(length=total, label=self.label, file=sys.stderr)
            self.bar.__enter__()
        if self.bar is not None:
            self.bar.update(done - self.bar.pos)

    def close(self) -> None:
        """End the line of the bar."""
        if self.bar is not None:
            self.bar.__exit__(None, None, None)


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
