"""cranfield report: write a report on runs as HTML or PDF."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from cranfield.cli.options.key_value_options import Named, column_option
from cranfield.cli.options.statistics_options import level_option, seed_option
from cranfield.cli.options.usage_errors import Command, Whole
from cranfield.cli.options.value_options import Given, notes_of, values_options
from cranfield.cli.output.atomic_files import check_place, whole
from cranfield.cli.output.command_output import note, progress, scale_option
from cranfield.core import ParameterError
from cranfield.data import read_entries

from .leaderboard import Shares, private_of

USUAL = "AP nDCG@10 RR@100 P@10"
QUIETLY = "cranfield.quietly"  # in the context of `rerun`, which has more to say
SUFFIXES = (".html", ".htm", ".pdf")


@click.command("report", cls=Command)
@values_options
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    metavar="FILE",
    help="Where to write it: .html (one page that opens offline) or .pdf; may be repeated.",
)
@click.option("--parts", metavar="FOLDER", help="Also every table as LaTeX and CSV, every chart as SVG, PNG and PDF.")
@click.option("--title", metavar="TEXT", help="What stands at the top.")
@click.option("--pair", "pairs", nargs=2, multiple=True, metavar="A B", help="Only this pair of runs; may be repeated.")
@click.option(
    "--baseline",
    metavar="RUN",
    help="Compare every other run with this one.  [default: the first two of the leaderboard]",
)
@click.option("--entries", metavar="FILE", help="Who submitted which run when: run, group, date, baseline, costs.")
@column_option("of --entries holds run, group, date, baseline or description", "group=team", to="columns")
@click.option(
    "--private", multiple=True, metavar="TOPICS", help="Topics that are kept off the board (301,302 or @FILE)."
)
@click.option("--private-qrels", metavar="FILE", help="Judgments of other topics that are kept off the board.")
@click.option("--private-scores", metavar="FILE", help="Scores of other topics, beside --scores.")
@click.option(
    "--labels",
    type=Named("NAME=QRELS", "trec=qrels.txt"),
    multiple=True,
    help="Another set of judgments for the same topics; may be repeated.",
)
@click.option("--cost", "costs", multiple=True, metavar="NAME", help="A column of --entries to show beside the mean.")
@click.option("--flip", "flips", type=Shares(), default=(), help="What if such shares of the labels were wrong?")
@click.option(
    "--cutoff",
    type=Whole(),
    help="Rank within which a relevant document answers a topic.  [default: cutoff of the first measure, else 100]",
)
@click.option("--draws", type=Whole(), default=10_000, show_default=True, help="How often topics are drawn again.")
@level_option
@seed_option
@scale_option
def command(
    given: Given,
    outputs: tuple[str, ...],
    parts: str | None,
    entries: str | None,
    columns: tuple[tuple[str, str], ...],
    private: tuple[str, ...],
    private_qrels: str | None,
    private_scores: str | None,
    labels: tuple[tuple[str, str], ...],
    **settings: Any,
) -> None:
    """Write a report on runs: verdicts, tables, charts, methods with citations, and the command that makes it.

    The page opens offline and without scripts. `cranfield rerun` makes it again and reports what changed.

    \b
    Examples:
      cranfield report qrels.txt a.run b.run -o report.html
      cranfield report qrels.txt runs/ --entries runs.csv -o report.html
      cranfield report qrels.txt runs/ --baseline bm25 -o report.pdf --parts paper
    """
    if not outputs:
        raise click.UsageError("there is no file to write the report to\nhint: name one: -o report.html")
    for output in outputs:
        if Path(output).suffix.lower() not in SUFFIXES:
            raise ParameterError(f"{output}: a report is .html or .pdf", hint="end the name in .html or .pdf")
        check_place(output)
    from cranfield.reports import report_on, to_html, to_pdf, write_parts  # charts take their time

    known = read_entries(entries, columns=dict(columns), costs=settings["costs"]) if entries else None
    values = given.read(USUAL)
    labelled = {name: replace(given, qrels=file).read(USUAL) for name, file in labels}
    held = private_of(given, private, private_qrels, private_scores, USUAL)
    root = click.get_current_context().find_root()
    with progress("comparing") as watch:
        report = report_on(
            values,
            entries=known,
            private=held,
            labels=labelled,
            rel=given.levels[0][0] if given.levels else 1,
            threads=given.threads,
            command=root.obj,
            progress=watch,
            **settings,
        )
    for output in outputs:
        with whole(output) as place:
            if Path(output).suffix.lower() == ".pdf":
                to_pdf(report, place)
            else:
                place.write_text(to_html(report), encoding="utf-8")
    written = write_parts(report, parts) if parts else []
    if root.meta.get(QUIETLY):
        return
    for output in outputs:
        click.echo(f"wrote {output}", err=True)
    if parts:
        click.echo(f"wrote {len(written)} files to {parts}", err=True)
    for section in report.sections:
        if section.study.sentence:
            click.echo(section.study.sentence)
    for line in notes_of(values):
        note(line)
