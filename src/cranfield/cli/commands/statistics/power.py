"""cranfield power: compute sample size, detectable difference or power."""

from dataclasses import replace
from typing import Any

import click

from cranfield.cli.options.statistics_options import Between, check_chart, draw_chart, level_option
from cranfield.cli.options.usage_errors import Command, OneOf, Whole
from cranfield.cli.options.value_options import Given, notes_of, values_options
from cranfield.cli.output.command_output import check_output, output_options, scale_option, show, typed
from cranfield.core import Provenance
from cranfield.stats import DESIGNS, PILOTS
from cranfield.studies import power


@click.command("power", cls=Command)
@values_options
@click.option(
    "--design",
    default="t",
    show_default=True,
    metavar="NAME",
    help=f"What is planned: {', '.join(DESIGNS.names())}; `cranfield tests` explains them.",
)
@click.option("--difference", type=Between(0, example=".05"), help="The smallest difference that matters.")
@click.option("-n", "--size", type=Whole(least=2), help="How many topics there are.")
@click.option(
    "--power", type=Between(0, 1, example=".8"), default=0.8, show_default=True, help="How often it should be found."
)
@click.option("--variance", type=Between(0, example=".02"), help="Instead of a pilot.")
@click.option(
    "--pilot",
    type=OneOf(list(PILOTS)),
    help="Which variance of the pilot counts.  [default: the design's own]",
)
@click.option("--pair", nargs=2, metavar="A B", help="Only these two runs of the pilot.")
@level_option
@scale_option
@click.option("--chart", metavar="FILE", help="Draw the curve over topics: .svg, .png, .pdf or .html.")
@output_options()
def command(
    given: Given,
    size: int | None,
    form: str | None,
    table: str | None,
    output: str | None,
    chart: str | None,
    **settings: Any,
) -> None:
    """How many topics does it take? Or: which difference can so many topics show?

    The variance comes from a pilot: judged runs, or a table of scores; or it is given. With --difference the answer is
    the number of topics, with --size the smallest difference, with both the power.

    \b
    Examples:
      cranfield power --scores ap.csv --difference .05
      cranfield power qrels.txt runs/ -m nDCG@10 --size 50
      cranfield power --variance .02 --difference .05 --size 100
      cranfield power --scores ap.csv --design anova --difference .1
      cranfield power --scores ap.csv --difference .05 --chart power.svg
      cranfield power --scores ap.csv --design interval --difference .05
    """
    check_output(form, output)
    check_chart(chart)
    values = given.read("AP", needed=False)
    study = power(values, topics=size, **settings)
    if values is None:  # no file brought the command along
        study = replace(study, made_by=Provenance(command=typed()))
    show(
        study, form=form, table=table, output=output, notes=(*notes_of(values), *study["power"].notes), only=("power",)
    )
    draw_chart(study, "power", chart)
