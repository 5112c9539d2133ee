"""cranfield scale: show the scale of measures and the values they can take."""

from typing import Any

import click

from cranfield.cli.options.statistics_options import (
    asked_chart,
    chart_options,
    check_chart,
    draw_chart,
    level_option,
    seed_option,
)
from cranfield.cli.options.usage_errors import Command, Whole, Wholes, threads_option
from cranfield.cli.output.command_output import check_output, output_options, progress, show, typed
from cranfield.cli.output.table_layout import lay_out, notes_on
from cranfield.stats import CORRECTIONS
from cranfield.studies import scale

FEW = {"values": 40, "solvability": 10, "changes": 25, "axioms": 100, "scores": 20}
SHOWN = ("scales", "values", "solvability")
CHANGED = ("changed", "changes", "scales")
ALL = ("scales", "axioms", "permissible")
COUNTS = Wholes(least=0, hint="give a number, or one for each grade: 3,2")


@click.command("scale", cls=Command)
@click.argument("measures", nargs=-1, metavar="[MEASURE...]")
@click.option("--length", type=Whole(), help="Documents in a ranking.  [default: the longest cut-off]")
@click.option(
    "--relevant",
    type=COUNTS,
    help="Relevant documents of the topic; 3,2 with --grades 2.  [default: as many as fit]",
)
@click.option("--grades", type=Whole(), help="Grades above 0.  [default: 1, relevant or not]")
@click.option("--qrels", metavar="FILE", help="Judgments, with --runs: what would change for these runs?")
@click.option("--runs", multiple=True, metavar="RUN", help="A run, a folder or a pattern; may be repeated.")
@click.option(
    "--correct",
    default="holm",
    show_default=True,
    metavar="NAME",
    help=f"For the pairs of runs: {', '.join(CORRECTIONS.names())}.",
)
@threads_option
@level_option
@seed_option
@chart_options(("spacing", "changes"), usual="spacing")
@output_options()
def command(
    measures: tuple[str, ...],
    relevant: tuple[int, ...] | None,
    qrels: str | None,
    runs: tuple[str, ...],
    chart: str | None,
    draw: str,
    form: str | None,
    table: str | None,
    output: str | None,
    **settings: Any,
) -> None:
    """What do a measure's numbers mean, and what may be done with them?

    All rankings of so many documents are gone through: which values the measure takes, how far they lie apart, which
    differences no two rankings have. With --qrels and --runs: what changes for these runs when the measure is put at
    equal steps, the mean becomes the median, or the t test the sign test. Without a measure: the whole catalogue.

    \b
    Examples:
      cranfield scale                              (what all measures claim)
      cranfield scale RR@3
      cranfield scale P R AP RR DCG --length 4 --relevant 4 --chart steps.svg
      cranfield scale nDCG@5 --grades 2 --relevant 3,2
      cranfield scale RR@3 --table solvability
      cranfield scale AP@10 --qrels qrels.txt --runs runs/
      cranfield evaluate qrels.txt runs/ -m "AP@10 interval(AP@10)"
    """
    check_output(form, output)
    check_chart(chart)
    if bool(qrels) != bool(runs):
        raise click.UsageError("--qrels and --runs belong together\nhint: --qrels qrels.txt --runs runs/")
    with progress("reading") as see, progress("going through rankings") as watch:
        study = scale(
            list(measures) or None,
            relevant=relevant,
            qrels=qrels,
            runs=list(runs) or None,
            progress=watch,
            reading=see,
            command=typed(),
            **settings,
        )
    only = CHANGED if "changed" in study.tables else SHOWN if "values" in study.tables else ALL
    notes = notes_on(study, [table] if table else only)
    show(study, form=form, table=table, output=output, layout=lay_out(study, FEW), notes=notes, only=only)
    draw_chart(study, asked_chart(draw, *study.charts[:1]), chart)
