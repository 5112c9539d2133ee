"""cranfield fuse: fuse several runs into one."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from cranfield.cli.options.usage_errors import Command, Whole
from cranfield.cli.output.atomic_files import check_place, is_stream, whole
from cranfield.cli.output.command_output import note, progress, put, ties_option
from cranfield.core import InputError, parameters
from cranfield.data import Problem, Run, RunFile, RunFrame, find_runs, run_name, write
from cranfield.fusion import FUSIONS
from cranfield.studies import fuse, reading_notes

SINGLY = 3  # so many runs that lack topics are named one by one


def _methods() -> str:
    """The catalogue, one method a line."""
    rows = []
    for cls in FUSIONS:
        settings = ",".join(f"{setting.name}={setting.default!r}" for setting in parameters(cls))
        rows.append((f"{cls.name}({settings})" if settings else cls.name, cls.formula))
    width = max(len(written) for written, _ in rows) + 2
    return "\n".join(f"  {written.ljust(width)}{formula}" for written, formula in rows)


HELP = f"""Several runs become one: what they say together.

A RUN is a file, a folder or a pattern; two or more are needed. The result is written to FILE in the format that its
name ends in (.txt .run .trec are TREC, then .tsv .json .jsonl .parquet .csv; text also .gz .bz2 .xz), or to standard
output as TREC text. Tied documents stand by their ids, descending.

\b
Methods (Σ is over the runs that have the document):
{_methods()}

norm is 'min-max' (0 to 1), 'z-score' or 'none', for each run and topic by itself. A document that a run does not have
gets nothing from it; topics that some runs lack are fused from the others.

\b
Examples:
  cranfield fuse a.run b.run -o fused.run
  cranfield fuse runs/ --method "combmnz(norm='z-score')" -o fused.parquet
  cranfield fuse a.run b.run --method "rrf(k=10)" --depth 100 --name both
"""


@click.command("fuse", cls=Command, help=HELP)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option("-o", "--output", metavar="FILE", help="Write to a file, in the format its name ends in.")
@click.option("--method", default="rrf", show_default=True, metavar="METHOD", help="How scores or ranks become one.")
@click.option(
    "--depth",
    type=Whole(),
    default=1000,
    show_default=True,
    help="Documents of each topic: so many are taken from every run, and so many are kept.",
)
@click.option("--name", help="The tag of the run.  [default: the file's name, or the method's]")
@ties_option
def command(runs: tuple[str, ...], output: str | None, method: str, depth: int, name: str | None, ties: str) -> None:
    """Several runs become one."""
    found = find_runs(list(runs))
    if output:
        check_place(output)
        _expect_another_file(output, found)
    if output and not is_stream(output):
        name = name or run_name(Path(output))
    with progress("reading") as see:
        fused = fuse(found, method=method, depth=depth, name=name, ties=ties, progress=see)
    if output:
        with whole(output) as place:
            write(fused, place)
        lost = " (MS MARCO keeps the ranks, not the scores)" if ".tsv" in output.lower() else ""
        click.echo(f"{output}: {len(fused)} rows, {len(fused.topics)} topics{lost}", err=True)
    else:
        put(_trec_text(fused), None)
    for text in reading_notes([fused.source]):
        note(text)
    _tell([problem for problem in fused.source.problems.kept if problem.code == "W-MISSING"])


def _tell(problems: Sequence[Problem]) -> None:
    """Name the runs that lack topics, and count them where they are many."""
    for problem in problems[:SINGLY]:
        note(f"{problem.where}: {problem.message}; {problem.hint}")
    rest = len(problems) - SINGLY
    if rest > 0:
        note(f"{rest} more run{'s lack' if rest > 1 else ' lacks'} topics that others have")


def _expect_another_file(output: str, found: Sequence[Run | RunFile | RunFrame]) -> None:
    """Refuse to write over what is read."""
    target = Path(output)
    for run in found:
        file = run.path if isinstance(run, RunFile) else Path(run.source.name)
        if target.is_file() and file.exists() and target.samefile(file):
            raise InputError(f"{output}: this file is one of the runs", hint="write to another file: -o fused.run")


def _trec_text(fused: Run) -> str:
    """The run as it would stand in a file."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "fused.txt"
        write(fused, file)
        return file.read_text(encoding="utf-8")
