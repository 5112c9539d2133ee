"""cranfield compare: decide whether one run is better than another."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import click

from cranfield.cli.options.statistics_options import (
    Between,
    asked_chart,
    chart_options,
    check_chart,
    draw_chart,
    draws_option,
    level_option,
    seed_option,
)
from cranfield.cli.options.usage_errors import Command, OneOf, Whole, refuse_without_effect
from cranfield.cli.options.value_options import Given, notes_of, values_options
from cranfield.cli.output.command_output import (
    check_output,
    may_be_bold,
    note,
    output_options,
    progress,
    put,
    scale_option,
    show,
    typed,
    usual_format,
)
from cranfield.cli.output.comparison_text import levels_of, shown_pairs, text_of_pair
from cranfield.cli.output.paper_output import paper_option, show_paper
from cranfield.cli.output.table_layout import notes_on
from cranfield.core import ChecksFailed, Inconclusive, Study, Table, Verdict
from cranfield.data import SPARSE, Values, proportion_single
from cranfield.stats import BASES
from cranfield.studies import (
    RULES,
    compare,
    readable_evidence,
    wide_dominance,
    wide_outcomes,
    wide_overall,
)

DENSE_MEASURE, SPARSE_MEASURE = "AP", "RR@10"  # where none is named
CHARTS = ("outcomes", "topic-differences", "dominance", "rank-pairs")
DETAILS = ("overall", "harm", "dominance", "splits", "meaning", "movers")
OF_COLLECTIONS = ("verdicts", "pooled", "collections", "friedman", "placed")
FOR_PEOPLE = ("text", "latex", "markdown", "html")
NOT_OF_A_PAPER = ("pairs", "sota", "by", "cutoff", "depth", "decide", "margins", "require", "details", "chart", "draw")
NOT_OF_COLLECTIONS = (*NOT_OF_A_PAPER[1:9], "tests", "correct", "draws", "seed", "paper", "draw")


class Margin(click.ParamType[tuple[str, float]]):
    """Margin of a measure or facet: NAME=NUMBER, or a number for the first measure."""

    name = "[WHAT=]X"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, float]:
        """Return the name and the margin."""
        if isinstance(value, tuple):
            return value
        what, _, number = str(value).rpartition("=")
        return what.strip(), Between(0, example=".01").convert(number, param, ctx)


@click.command("compare", cls=Command)
@values_options
@click.option("--pair", "pairs", nargs=2, multiple=True, metavar="A B", help="Only this pair of runs; may be repeated.")
@click.option("--baseline", metavar="RUN", help="Compare every other run with this one.")
@click.option(
    "--sota", metavar="FILE", help="Compare each state of the art with the one before: a table of runs with dates."
)
@click.option(
    "--collections",
    metavar="FILE",
    help="Several collections at once: a table with collection, qrels, system, run (or collection, scores).",
)
@click.option(
    "--by",
    type=OneOf(list(BASES)),
    default="measure",
    show_default=True,
    help="What decides: the first measure, or the outcomes of topics (answered or not, then the ranking where both "
    "answer).",
)
@click.option(
    "--cutoff",
    type=Whole(),
    help="Rank within which a relevant document answers a topic.  [default: cutoff of the first measure, else 100]",
)
@click.option("--depth", type=Whole(), default=1000, show_default=True, help="Rank down to which dominance compares.")
@click.option(
    "-t",
    "--test",
    "tests",
    multiple=True,
    metavar="TEST",
    help="Paired test of the measures; the first one decides, --details shows all.  [default: t]",
)
@click.option(
    "--decide",
    default="signed-rank",
    show_default=True,
    metavar="WORDS",
    help='Test of ranks and correction over pairs for the outcome rule: "t holm".',
)
@click.option(
    "--correct",
    metavar="NAME",
    help="Correction of p-values and intervals over several pairs.  [default: holm]",
)
@click.option(
    "--margin",
    "margins",
    type=Margin(),
    multiple=True,
    help="Difference that does not matter: a number for the first measure, nDCG@10=.02 for any measure, answered=.01 "
    "for the proportion of topics answered, ranking=.5 for ranks. May be repeated.",
)
@click.option(
    "--require",
    "require",
    multiple=True,
    metavar="RULE",
    help=f"Exit 3 if a rule is not met, 4 if that is not decided: {', '.join(RULES[:4])}, "
    '"min nDCG@10 .4", "max-drop nDCG@10 .02". May be repeated.',
)
@click.option("--details", is_flag=True, help="Also show outcomes, all tests, dominance and more topics.")
@level_option
@draws_option
@seed_option
@scale_option
@paper_option
@chart_options(CHARTS, usual="topic-differences")
@output_options()
def command(
    given: Given,
    tests: tuple[str, ...],
    collections: str | None,
    margins: tuple[tuple[str, float], ...],
    details: bool,
    paper: bool,
    chart: str | None,
    draw: str,
    form: str | None,
    table: str | None,
    output: str | None,
    **settings: Any,
) -> None:
    """Is run B really better than run A? A verdict with its evidence.

    The first measure decides by a paired test. The other measures, the topics answered, the rank of the first
    relevant document and dominance are further evidence. The verdict is better, worse, mixed, equivalent or
    inconclusive. Without -m the measure is AP, or RR@10 where topics have one relevant document.

    \b
    Examples:
      cranfield compare qrels.txt a.run b.run -m nDCG@10
      cranfield compare qrels.txt a.run b.run -m "RR@10 AP" --chart topics.svg
      cranfield compare qrels.txt runs/ --baseline bm25 -t signed-rank
      cranfield compare qrels.txt a.run b.run --by outcomes --details
      cranfield compare qrels.txt a.run b.run -m nDCG@10 --margin .02
      cranfield compare qrels.txt runs/ --sota runs.csv
      cranfield compare --collections beir.csv -m nDCG@10 --baseline bm25
      cranfield compare qrels.txt old.run new.run -m nDCG@10 --require no-harm
    """
    check_output(form, output)
    check_chart(chart)
    if collections:
        refuse_without_effect(NOT_OF_COLLECTIONS, "with --collections")
        _collections(given, collections, form, table, output, chart, settings)
        return
    if paper:
        refuse_without_effect(NOT_OF_A_PAPER, "with --paper")
    level = given.levels[0][0] if given.levels else 1
    values, notes = _values(given, level)
    if paper:
        _show_paper(given, values, tests, settings, form=form, table=table, output=output)
        return
    named_margins = {what or str(values.measures[0]): number for what, number in margins}
    with progress("comparing") as watch:
        study = compare(
            values,
            tests or None,
            margins=named_margins,
            rel=level,
            threads=given.threads,
            progress=watch,
            **settings,
        )
    notes = tuple(dict.fromkeys((*notes, *notes_of(values), *study["verdicts"].notes)))
    _show(study, notes, form, table, output, details=details)
    draw_chart(study, asked_chart(draw, *["outcomes"] * (settings["by"] == "outcomes")), chart)
    _enforce(study)


def _show_paper(given: Given, values: Values, tests: tuple[str, ...], settings: dict[str, Any], **output: Any) -> None:
    """Write the table of means with marks against the baseline."""
    if settings["baseline"] is None:
        raise click.UsageError("--paper marks differences from a baseline\nhint: name a run: --baseline RUN")
    kept: dict[str, Any] = {name: settings[name] for name in ("level", "draws", "seed", "scale")}
    kept |= {"test": tests[0] if tests else "t", "correct": settings["correct"] or "holm", "threads": given.threads}
    show_paper(values, [settings["baseline"]], **kept, **output)


def _values(given: Given, level: float) -> tuple[Values, tuple[str, ...]]:
    """Read the values; without a named measure choose one that fits the labels, and say which."""
    if given.measures or given.scores:
        return given.read(DENSE_MEASURE), ()
    values = given.read(f"{DENSE_MEASURE} {SPARSE_MEASURE}")
    single = proportion_single(values, level)
    sparse = single is not None and single >= SPARSE
    measure = values.measures[1 if sparse else 0]
    why = f"{single:.0%} of topics have one relevant document" if sparse else "the first measure of evaluate"
    return values.of_measures([measure]), (f"no measure is named, so {measure} decides ({why})",)


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
    show(_without_notes(study), form=form, table=table, output=output, notes=notes_on(study), only=OF_COLLECTIONS)
    draw_chart(study, "forest", chart)


def _show(
    study: Study, notes: Sequence[str], form: str | None, table: str | None, output: str | None, *, details: bool
) -> None:
    """Write one screen on a pair, one row for each of several pairs, or the exact tables."""
    chosen = form or usual_format(output, one=False)
    bare = _without_notes(study)
    if table or chosen not in FOR_PEOPLE:
        show(bare, form=form, table=table, output=output, notes=notes)
        return
    single = len(study["verdicts"]) == 1
    if chosen == "text" and single:
        bold = not output and may_be_bold()
        put("\n".join(text_of_pair(study, bold=bold, details=details)), output)
    else:
        laid = {"evidence": _captioned(readable_evidence(study))} if single else {"verdicts": shown_pairs(study)}
        if details:
            laid |= _detail_tables(bare)
        show(replace(bare, tables=laid), form=chosen, table=None, output=output)
    for line in notes:
        note(line)


def _without_notes(study: Study) -> Study:
    """Return the study with tables that have no notes, which the output shows once."""
    return replace(study, tables={name: replace(one, notes=()) for name, one in study.tables.items()})


def _captioned(table: Table) -> Table:
    """Return the table with its notes in the caption, where a paper has them."""
    return replace(table, caption="; ".join([table.caption, *table.notes]), notes=())


def _detail_tables(study: Study) -> dict[str, Table]:
    """Return the tables behind a verdict, laid out as papers print them."""
    laid = {name: study[name] for name in DETAILS if name in study.tables and len(study[name])}
    laid["overall"] = wide_overall(study)
    if "outcomes" in study.tables:
        laid = {"outcomes": wide_outcomes(study), **laid}
    if "dominance" in laid:
        laid["dominance"] = levels_of(wide_dominance(study))
    return laid


def _enforce(study: Study) -> None:
    """End with exit status 3 or 4 where a requirement is not met or not decided."""
    if "requirements" not in study.tables:
        return
    verdict = study.verdict or Verdict()
    if verdict["met"]:
        note(f"requirement met: {verdict['requirement']}: {verdict['why']}")
        return
    failure = Inconclusive if verdict["met"] is None else ChecksFailed
    state = "not decided" if verdict["met"] is None else "not met"
    raise failure(f"requirement {state}: {verdict['requirement']}: {verdict['why']}")
