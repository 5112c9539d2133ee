"""cranfield compare: decide whether one run is better than another."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import click

from cranfield.cli.options.statistics_options import (
    Between,
    chart_options,
    check_chart,
    draw_chart,
    draws_option,
    level_option,
    seed_option,
)
from cranfield.cli.options.usage_errors import Command, OneOf, Whole
from cranfield.cli.options.value_options import Given, notes_of, values_options
from cranfield.cli.output.command_output import (
    check_output,
    may_be_bold,
    output_options,
    progress,
    put,
    scale_option,
    show,
    typed,
    usual_format,
)
from cranfield.cli.output.comparison_text import levels_of, text_of_pair
from cranfield.cli.output.table_layout import notes_on
from cranfield.core import ChecksFailed, Study
from cranfield.core.rendering import visible
from cranfield.studies import compare, wide_dominance, wide_outcomes, wide_overall

USUAL = "RR@100"
CHARTS = ("outcomes", "topic-differences", "dominance", "rank-pairs")
REQUIRED = ("better", "strict", "no-harm")
SHOWN = ("verdicts", "overall", "harm", "dominance", "splits", "meaning", "movers")
OF_COLLECTIONS = ("pooled", "collections", "friedman", "placed")


class Margin(click.ParamType[tuple[str, float]]):
    """What is no harm: a number for the measure, or a facet or measure and its number."""

    name = "[WHAT=]X"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, float]:
        """What the text names, and how much."""
        if isinstance(value, tuple):
            return value
        what, _, number = str(value).rpartition("=")
        return what.strip(), Between(0, example=".01").convert(number, param, ctx)


@click.command("compare", cls=Command)
@values_options
@click.option("--pair", "pairs", nargs=2, multiple=True, metavar="A B", help="Only this pair of runs; may be repeated.")
@click.option("--baseline", metavar="RUN", help="Every other run beside this one.")
@click.option("--sota", metavar="FILE", help="A table of runs with dates: each state of the art beside the one before.")
@click.option(
    "--collections",
    metavar="FILE",
    help="Several collections at once: a table with collection, qrels, system, run (or collection, scores).",
)
@click.option(
    "--cutoff",
    type=Whole(),
    help="A topic is answered where a relevant document stands in the first N.  [default: that of the measure]",
)
@click.option("--depth", type=Whole(), default=1000, show_default=True, help="How deep dominance looks.")
@click.option(
    "-t", "--test", "tests", multiple=True, metavar="TEST", help="Tests of the whole measure.  [default: as in lin2021]"
)
@click.option(
    "--decide",
    default="signed-rank",
    show_default=True,
    metavar="WORDS",
    help='By what the verdict is found: a test of ranks, a correction over all pairs, or both: "t holm".',
)
@click.option(
    "--correct", default="bonferroni", show_default=True, metavar="NAME", help="The correction of p_adjusted."
)
@click.option(
    "--margin",
    "margins",
    type=Margin(),
    multiple=True,
    help="Is b worse by less than this? A number is about the first measure; answered=.01 is a share of topics, "
    "ranking=.5 is in ranks.",
)
@click.option(
    "--require",
    type=OneOf(list(REQUIRED)),
    help="Exit 3 unless b is better (do no harm), better in both facets (strict), or not worse (no-harm).",
)
@level_option
@draws_option
@seed_option
@scale_option
@chart_options(CHARTS, usual="outcomes")
@output_options()
def command(
    given: Given,
    tests: tuple[str, ...],
    collections: str | None,
    margins: tuple[tuple[str, float], ...],
    require: str | None,
    chart: str | None,
    draw: str,
    form: str | None,
    table: str | None,
    output: str | None,
    **settings: Any,
) -> None:
    """Is B really better than A? Outcomes first, then averages, then a verdict in words.

    Each topic has one of four outcomes: neither run finds a relevant document, only A, only B, both do. Answered
    topics are counted against each other, and ranks compared where both answer. Strictly better is better in both;
    better without harm is better in one and not worse in the other.

    \b
    Examples:
      cranfield compare qrels.txt a.run b.run
      cranfield compare qrels.txt a.run b.run -m "RR@10 AP" --chart outcomes.svg
      cranfield compare qrels.txt runs/ --baseline bm25 --decide "t holm"
      cranfield compare qrels.txt a.run b.run --margin answered=.01
      cranfield compare qrels.txt runs/ --sota runs.csv
      cranfield compare --collections beir.csv -m nDCG@10 --baseline bm25
      cranfield compare qrels.txt old.run new.run --require better  (or exit 3)
    """
    check_output(form, output)
    check_chart(chart)
    if collections:
        _collections(given, collections, form, table, output, chart, settings)
        return
    values = given.read(USUAL)
    wanted = {what or str(values.measures[0]): number for what, number in margins}
    if given.levels:
        settings["rel"] = given.levels[0][0]
    more: dict[str, Any] = {"tests": tests} if tests else {}
    with progress("comparing") as watch:
        study = compare(values, margins=wanted, threads=given.threads, progress=watch, **more, **settings)
    kept = study["verdicts" if "verdicts" in study.tables else "overall"].notes
    _show(study, (*notes_of(values), *kept), form, table, output)
    draw_chart(study, draw, chart)
    if require:
        _check(study, require)


def _collections(
    given: Given,
    collections: str,
    form: str | None,
    table: str | None,
    output: str | None,
    chart: str | None,
    settings: dict[str, Any],
) -> None:
    from cranfield.studies import across  # few ask for it

    words = [*filter(None, [given.qrels, given.scores]), *given.runs]
    if words:
        hint = "the table names the judgments and the runs"
        raise click.UsageError(f"--collections stands alone, but there is {words[0]} too\nhint: {hint}")
    kept = {name: settings[name] for name in ("pairs", "baseline", "level", "scale")}
    with progress("reading") as watch:
        study = across(
            collections,
            given.measures or "nDCG@10",
            ties=given.ties,
            compat=given.compat,
            threads=given.threads,
            progress=watch,
            command=typed(),
            **kept,
        )
    show(study, form=form, table=table, output=output, notes=notes_on(study), only=OF_COLLECTIONS)
    draw_chart(study, "forest", chart)


def _show(study: Study, notes: Sequence[str], form: str | None, table: str | None, output: str | None) -> None:
    """One pair as people read it; many pairs as papers print them; the exact tables otherwise."""
    chosen = form or usual_format(output, one=False)
    plain = replace(study, tables={name: replace(one, notes=()) for name, one in study.tables.items()})
    if table or "outcomes" not in study.tables or chosen not in ("text", "latex", "markdown", "html"):
        show(plain, form=form, table=table, output=output, notes=notes, only=SHOWN)
    elif chosen == "text" and len(study["verdicts"]) == 1:
        bold = not output and may_be_bold()
        put("\n".join([*text_of_pair(plain, bold=bold), *(f"note: {visible(note)}" for note in notes)]), output)
    else:
        laid = {"outcomes": wide_outcomes(plain), "overall": wide_overall(plain)}
        if "dominance" in plain.tables:
            laid["dominance"] = levels_of(wide_dominance(plain))
        if any(plain["splits"].cells("incomparable")) if "splits" in plain.tables else False:
            laid["splits"] = plain["splits"]
        laid |= {"harm": plain["harm"]} if "harm" in plain.tables else {}
        show(replace(plain, tables=laid), form=form, table=None, output=output, notes=notes)


def _check(study: Study, require: str) -> None:
    """Fail where a verdict that was asked for is not there."""
    if "verdicts" not in study.tables:
        raise ChecksFailed("there is no verdict to require", hint="outcomes need judgments and runs, or values of RR")
    harmless = {"better": ("do_no_harm", ("b",)), "strict": ("strict", ("b",))}
    for row in study["verdicts"].rows():
        if require == "no-harm":
            worse = [
                f for f in study["facets"].rows() if (f["a"], f["b"]) == (row["a"], row["b"]) and f["better"] == "a"
            ]
            failed = bool(worse)
        else:
            name, good = harmless[require]
            failed = row[name] not in good
        if failed:
            raise ChecksFailed(f"{row['b']} against {row['a']} is not {require}", hint=str(row["sentence"]))
