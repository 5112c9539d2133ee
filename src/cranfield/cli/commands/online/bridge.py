"""cranfield bridge: measure how well offline measures predict online outcomes."""

from typing import Any

import click

from cranfield.cli.options.key_value_options import column_option
from cranfield.cli.options.log_options import ranks_from_option
from cranfield.cli.options.statistics_options import check_chart, draw_chart, engine_option, level_option, seed_option
from cranfield.cli.options.usage_errors import Command, OneOf, Whole
from cranfield.cli.options.value_options import Given, notes_of, values_options
from cranfield.cli.output.command_output import check_output, output_options, progress, show, typed
from cranfield.cli.output.table_layout import Cells, lay_out, notes_on
from cranfield.studies import bridge

BY = ("kendall", "spearman", "pearson")


@click.command("bridge", cls=Command)
@values_options
@click.option(
    "--online", metavar="FILE", help="What users made of the runs: a table, or a log with --outcome.  [required]"
)
@click.option(
    "--outcome", metavar="MEASURE", help="The online measure to take from a log whose arms are the runs: ctr."
)
@click.option("--lower", is_flag=True, help="Of what is in the table, less is better.")
@column_option("holds run, value or error (of a log: arm, user, ...)", "value=ctr")
@ranks_from_option
@engine_option
@click.option("--by", type=OneOf(BY), default="kendall", show_default=True, help="What puts measures in order.")
@click.option(
    "--draws",
    type=Whole(),
    default=1000,
    show_default=True,
    help="How often topics and outcomes are drawn, for intervals.",
)
@level_option
@seed_option
@click.option("--chart", metavar="FILE", help="Draw offline values beside outcomes: .svg, .png, .pdf or .html.")
@output_options()
def command(
    given: Given,
    lower: bool,
    named: tuple[tuple[str, str], ...],
    form: str | None,
    table: str | None,
    output: str | None,
    chart: str | None,
    **settings: Any,
) -> None:
    """Does offline predict online? What measures say of runs, beside what users did.

    The table of --online has a row for each run: run, value, and error, the standard error of the value, if it is
    known. Runs go by the names of their files. With --outcome it is a log of result pages whose column arm names the
    run; `cranfield ab` reads the same.

    For every measure: correlations over runs with their intervals, the share of pairs of runs that stand the same way
    round (agreement), the same of those pairs that both tell apart, and how often it predicts best when other topics
    and users are drawn (p_best).

    \b
    Examples:
      cranfield bridge qrels.txt runs/ --online ctr.csv
      cranfield bridge qrels.txt runs/ -m 'AP nDCG@10 RR' --online ctr.csv
      cranfield bridge qrels.txt runs/ --online ctr.csv --chart bridge.svg
      cranfield bridge qrels.txt runs/ --online arms.csv --outcome ctr
    """
    check_output(form, output)
    check_chart(chart)
    if not settings["online"]:
        hint = "give a table with a row for each run: --online ctr.csv"
        raise click.UsageError(f"there is nothing to predict: --online is missing\nhint: {hint}")
    if settings["engine"] and not settings["outcome"]:
        raise click.UsageError("--engine is about a log\nhint: add --outcome, or leave it out")
    values = given.read("AP nDCG@10 RR P@10")
    with progress("reading users"):
        study = bridge(values, lower=lower or None, columns=dict(named) or None, command=typed(), **settings)
    layout = lay_out(study, {"points": 20}, adapt=_adapted)
    notes = (*notes_of(values), *notes_on(study))
    show(study, form=form, table=table, output=output, layout=layout, notes=notes, only=("bridge",))
    draw_chart(study, "bridge", chart)


def _adapted(name: str, cells: Cells) -> Cells:
    """Columns that fit a terminal: what measures are put in order by, agreement, and what follows from them."""
    kept = [column for column in cells if not column.startswith(("pearson", "spearman"))]
    return {column: cells[column] for column in kept} if name == "bridge" else cells
