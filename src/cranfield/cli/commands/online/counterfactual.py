"""cranfield counterfactual: estimate the reward of other policies from a log."""

import textwrap
from typing import Any

import click

from cranfield.cli.options.key_value_options import column_option
from cranfield.cli.options.log_options import ranks_from_option
from cranfield.cli.options.statistics_options import check_chart, draw_chart, level_option, seed_option
from cranfield.cli.options.usage_errors import Command, OneOf, Whole
from cranfield.cli.output.command_output import check_output, output_options, progress, show, typed
from cranfield.cli.output.table_layout import Cells, lay_out, notes_on
from cranfield.online import ESTIMATORS, PROPENSITIES, SLATE_ESTIMATORS, PositionBased
from cranfield.studies import counterfactual

WIDE = 76  # columns of help
SHOWN = ("policies", "estimates")


def _listed() -> str:
    """The estimators of both catalogues."""
    lines = []
    for said, catalogue in (("of one document", ESTIMATORS), ("of pages", SLATE_ESTIMATORS)):
        names = ", ".join(cls.name for cls in catalogue if cls is not PositionBased)  # it needs chances at all ranks
        lines += textwrap.wrap(f"{said}: {names}", WIDE, initial_indent="  ", subsequent_indent=" " * 4)
    return "\n".join(lines)


def _kinds() -> str:
    lines = []
    for name, means in PROPENSITIES.items():
        lines += textwrap.wrap(f"{name}: {means}", WIDE, initial_indent="  ", subsequent_indent=" " * 4)
    return "\n".join(lines)


HELP = f"""What would another policy have earned, had it been live when this log was made?

LOG has a row for each document shown: clicked (or reward), propensity, the chance with which it was shown, and user if
it is known (CSV, TSV, JSON Lines, Parquet). Pages of several documents need impression and rank too. A policy is a
column with the chance that it shows the same (target, or --policy), or a run, which shows its own documents and no
others; a run needs topic and document.

\b
Propensities of pages are one of:
{_kinds()}

\b
Estimators:
{_listed()}

Those that need a model find it in the columns model and expected_POLICY. ess is how many impressions of the policy
itself would tell as much; a mean weight that is not 1 says that propensities are wrong, or that the log never tried
what the policy shows.

\b
Examples:
  cranfield counterfactual shown.csv
  cranfield counterfactual shown.csv --policy target --policy uniform
  cranfield counterfactual shown.csv --estimator 'snips ips(clip=10)'
  cranfield counterfactual pages.csv --run new.run --propensity counted
"""


@click.command("counterfactual", cls=Command, help=HELP)
@click.argument("log", metavar="LOG")
@click.option(
    "--policy",
    "policies",
    multiple=True,
    metavar="COLUMN",
    help="A column with the chances of a policy; may be repeated.  [default: target]",
)
@click.option("--run", "runs", multiple=True, metavar="RUN", help="A run as a policy; may be repeated.")
@click.option(
    "--estimator",
    "estimators",
    multiple=True,
    metavar="NAME",
    help="How it is estimated; may be repeated, the first counts.  [default: those that suit the log]",
)
@click.option(
    "--propensity",
    type=OneOf(list(PROPENSITIES)),
    default="given",
    show_default=True,
    help="What the log's propensities are.",
)
@ranks_from_option
@column_option("holds reward, clicked, propensity, impression, rank, topic, document, user or model", "reward=revenue")
@click.option(
    "--interval",
    type=OneOf(["normal", "bootstrap"]),
    default="normal",
    show_default=True,
    help="How intervals over users are made.",
)
@click.option(
    "--draws", type=Whole(), default=2000, show_default=True, help="How often users are drawn, for the bootstrap."
)
@level_option
@seed_option
@click.option("--chart", metavar="FILE", help="Draw policies beside the log: .svg, .png, .pdf or .html.")
@output_options()
def command(
    log: str,
    named: tuple[tuple[str, str], ...],
    policies: tuple[str, ...],
    runs: tuple[str, ...],
    estimators: tuple[str, ...],
    form: str | None,
    table: str | None,
    output: str | None,
    chart: str | None,
    **settings: Any,
) -> None:
    """What another policy would have earned."""
    check_output(form, output)
    check_chart(chart)
    with progress("reading"):
        study = counterfactual(
            log,
            policies=list(policies),
            runs=list(runs) or None,
            estimators=list(estimators) or None,
            columns=dict(named) or None,
            command=typed(),
            **settings,
        )
    show(
        study,
        form=form,
        table=table,
        output=output,
        layout=lay_out(study, {}, adapt=_adapted),
        notes=notes_on(study),
        only=SHOWN,
    )
    draw_chart(study, "policies", chart)


def _adapted(name: str, cells: Cells) -> Cells:
    """Without what a single policy has twice: a p that nothing was corrected in."""
    same = name == "policies" and cells.get("p") == cells.get("p_adjusted")
    return {column: each for column, each in cells.items() if not (same and column == "p_adjusted")}
