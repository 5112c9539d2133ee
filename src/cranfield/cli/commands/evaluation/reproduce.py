"""cranfield reproduce: compare reproduced runs with their originals."""

from typing import Any

import click

from cranfield.cli.options.statistics_options import (
    Between,
    asked_chart,
    chart_options,
    check_chart,
    draw_chart,
    level_option,
    seed_option,
)
from cranfield.cli.options.usage_errors import Command, OneOf, Whole
from cranfield.cli.output.command_output import check_output, output_options, scale_option, show, ties_option, typed
from cranfield.studies import reproduce

USUAL = "AP nDCG@10 P@10"
CHARTS = ("rankings-by-depth", "effect-ratio")


@click.command("reproduce", cls=Command)
@click.argument("qrels", metavar="QRELS")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "--original",
    "originals",
    multiple=True,
    required=True,
    metavar="RUN",
    help="The run as it was; a second one improves on the first, and then runs come in twos.",
)
@click.option("--replicated", metavar="QRELS", help="The runs are of another collection, with these judgments.")
@click.option("-m", "--measure", "measures", multiple=True, metavar="MEASURE", help=f"A measure.  [default: {USUAL}]")
@click.option("--depth", type=Whole(), default=1000, show_default=True, help="Documents that rankings are compared by.")
@click.option(
    "-p",
    "--persistence",
    type=Between(0, 1, example=".9"),
    default=0.9,
    show_default=True,
    help="Persistence p of rank-biased overlap: the probability of continuing to the next rank; repro_eval has "
    "0.95 by default.",
)
@click.option(
    "--tied",
    type=OneOf(["w", "a", "b"]),
    help="Documents of one score in rank-biased overlap: equal (w), in any order (a), the same and corrected (b).  "
    "[default: as --ties says]",
)
@ties_option
@level_option
@click.option(
    "--draws", type=Whole(), default=10_000, show_default=True, help="How often topics are drawn, for intervals."
)
@seed_option
@scale_option
@chart_options(CHARTS, usual=CHARTS[0])
@output_options()
def command(
    qrels: str,
    runs: tuple[str, ...],
    originals: tuple[str, ...],
    measures: tuple[str, ...],
    form: str | None,
    table: str | None,
    output: str | None,
    chart: str | None,
    draw: str,
    **settings: Any,
) -> None:
    """Is a run that was made again the run that it should be?

    Rankings are compared by Kendall's τ union and rank-biased overlap, values by their RMSE and a test. With a second
    original, which improves on the first, the improvement is compared too: the effect ratio is 1 and ΔRI is 0 where it
    is as large as it was.

    \b
    Examples:
      cranfield reproduce qrels.txt b.run --original a.run
      cranfield reproduce qrels.txt a.run b.run --original a.run --original b.run
      cranfield reproduce qrels.txt b.run --original a.run --chart depth.svg
    """
    check_output(form, output)
    check_chart(chart)
    study = reproduce(
        qrels, list(runs), list(measures) or USUAL, originals=list(originals), **settings, command=typed()
    )
    show(study, form=form, table=table, output=output, notes=study["reproduce"].notes, only=("reproduce",))
    draw_chart(study, asked_chart(draw, *study.charts), chart)
