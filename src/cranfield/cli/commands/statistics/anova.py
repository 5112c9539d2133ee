"""cranfield anova: analyse the variance of many runs and test all pairs."""

from dataclasses import replace
from typing import Any

import click

from cranfield.cli.options.statistics_options import check_chart, draw_chart, draws_option, level_option, seed_option
from cranfield.cli.options.usage_errors import Command, OneOf
from cranfield.cli.options.value_options import Given, notes_of, values_options
from cranfield.cli.output.command_output import check_output, output_options, progress, scale_option, show
from cranfield.core import Study, Table
from cranfield.stats import CORRECTIONS, TRANSFORMS, shorten
from cranfield.studies import anova

SHOWN = ("anova", "systems", "levels", "components", "dependability", "assumptions")


@click.command("anova", cls=Command)
@values_options
@click.option(
    "--model",
    type=OneOf(["two-way", "one-way"]),
    default="two-way",
    show_default=True,
    help="Whether topics are a source of their own.",
)
@click.option(
    "--after",
    default="tukey",
    show_default=True,
    metavar="TEST",
    help="The test of all pairs; `cranfield tests` lists them.",
)
@click.option(
    "--correct",
    metavar="NAME",
    help=f"Where the test does not correct itself: {', '.join(CORRECTIONS.names())}.  [default: holm; bootstrap: bh]",
)
@click.option("--df", type=OneOf(["error", "inf"]), help="Degrees of freedom of Tukey's error; inf: it is known.")
@click.option("--ranks", is_flag=True, help="Kruskal–Wallis and Friedman too.")
@click.option(
    "--factors",
    metavar="FILE",
    help="Table with a column run and one column per factor of runs; each factor is tested against the runs within it.",
)
@click.option(
    "--nested/--crossed",
    default=None,
    help="Nest each factor in the one before, or cross them.  [default: one is nested, several are crossed]",
)
@click.option("--interactions", is_flag=True, help="Separate topic × factor from the error.")
@click.option("--random", type=OneOf(["topic"]), help="Test a factor as if the topics were a sample of all topics.")
@click.option(
    "--covariate",
    "covariates",
    metavar="NAME",
    multiple=True,
    help="Take a factor as a number with one slope, not as levels; may be repeated.",
)
@click.option(
    "--replicates",
    type=OneOf(["repeated", "factor", "interacting"]),
    default="repeated",
    show_default=True,
    help="What a replicate column means: mere repetitions, a source of its own, one that meets topics and systems.",
)
@click.option("--transform", metavar="NAME", help=f"Transform the values first: {', '.join(TRANSFORMS.names())}.")
@click.option("--norms", metavar="FILE", help="What z-score, webber, sakai and urbano go by, in place of these runs.")
@click.option("--bootstrap", is_flag=True, help="Draw errors again instead of taking them for normal.")
@level_option
@draws_option
@seed_option
@scale_option
@click.option("--chart", metavar="FILE", help="Draw the means with their intervals: .svg, .png, .pdf or .html.")
@click.option("--boxes", metavar="FILE", help="Draw the values of every run as boxes.")
@output_options()
def command(
    given: Given,
    factors: str | None,
    form: str | None,
    table: str | None,
    output: str | None,
    chart: str | None,
    boxes: str | None,
    **settings: Any,
) -> None:
    """Do any of many runs differ, and which? Analysis of variance, then all pairs.

    Scores with a column named replicate, shard, seed or variant beside the topic tell the interaction of topic and
    system from error.

    \b
    Examples:
      cranfield anova qrels.txt runs/ -m AP
      cranfield anova --scores ap.csv --scale-of AP --chart runs.svg
      cranfield anova --scores ap.csv --after nemenyi --ranks
      cranfield anova --scores ap.csv --factors groups.csv
      cranfield anova --scores shards.csv --format latex
    """
    check_output(form, output)
    check_chart(chart)
    check_chart(boxes)
    values = given.read("AP", replicated=True)
    with progress("testing") as watch:
        study = anova(values, factors=factors, threads=given.threads, progress=watch, **settings)
    notes = (*notes_of(values), *study["anova"].notes)
    show(study, form=form, table=table, output=output, layout=_layout(study), notes=notes, only=SHOWN)
    draw_chart(study, "intervals", chart)
    draw_chart(study, "boxes", boxes)


def _layout(study: Study) -> dict[str, Table]:
    """Long rows of letters shortened; of what is assumed, only why it matters where it does."""
    systems, assumed = study["systems"], study["assumptions"]
    letters = [shorten(str(cell)) for cell in systems.cells("letters")]
    why = tuple(f"{row['check']}: {row['why']}" for row in assumed.rows() if row["matters"])
    kept = {name: assumed[name] for name in assumed.columns if name != "why"}
    return {
        "systems": replace(systems, data={**systems.data, "letters": letters}),
        "assumptions": replace(assumed, data=kept, notes=why),
    }
