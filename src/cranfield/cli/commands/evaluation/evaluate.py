"""cranfield evaluate: compute measures for runs."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import click

from cranfield.cli.options.evaluate_modes import expect_way
from cranfield.cli.options.topic_options import read_topics
from cranfield.cli.options.usage_errors import Command, OneOf, threads_option
from cranfield.cli.options.value_options import (
    compat_option,
    expect_files,
    measure_option,
    prior_option,
    rel_option,
    said_aspects,
    said_prior,
    scored,
    scores_option,
    side_options,
    topics_option,
)
from cranfield.cli.output.atomic_files import check_place, whole
from cranfield.cli.output.command_output import (
    check_output,
    note,
    output_options,
    progress,
    put,
    scale_option,
    show,
    typed,
)
from cranfield.cli.output.paper_output import expect_paper_alone, paper_option, show_paper
from cranfield.cli.output.table_layout import by_topic
from cranfield.core import Policy, Study, Table, Ties
from cranfield.data import AGGREGATES, RunFile, Values, find_run, find_runs, read_run
from cranfield.measures import (
    CURVES,
    DEFAULT,
    OFFICIAL,
    Scenario,
    requested_lines,
    trec_eval_text,
)
from cranfield.studies import evaluate, measures_of, reading_notes

from .evaluate_on_spark import evaluate_there, landing_of

# Options of trec_eval that are written otherwise here, or not offered.
TREC_EVAL_OPTIONS = {
    "-c": "trec_eval's -c is --topics qrels, the default without --compat",
    "-l": "trec_eval's -l 2 is --rel 2",
    "-n": "trec_eval's -n is not offered: remove the lines of all",
    "-J": "trec_eval's -J is not offered for all measures: write AP(judged_only=True)",
    "-M": "trec_eval's -M 100 is not offered: write cut-offs, such as AP@100",
    "-N": "trec_eval's -N is not offered: write Utility(d=1,collection=1000000)",
    "-R": "trec_eval's -R is not needed: formats are recognised; --prefs reads preferences",
    "-T": "trec_eval's -T is not needed: formats are recognised",
    "-Z": "trec_eval's -Z is not offered: cranfield test --transform z-score standardises values",
}
BALANCED_NOTE = (
    "prefs_avgjg_Rnonrel of trec_eval is another number where a group has more nonrelevant documents than relevant ones"
)
UNJUDGED: dict[str | None, Scenario | None] = {None: None, "as-worst": "as_worst", "as-best": "as_best"}


class EvaluateCommand(Command):
    """A command that recognises options of trec_eval."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read what was typed."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if hint := TREC_EVAL_OPTIONS.get(error.option_name):
                raise click.UsageError(f"there is no option {error.option_name}\nhint: {hint}", ctx) from None
            raise


@click.command("evaluate", cls=EvaluateCommand)
@click.argument("qrels", required=False, metavar="QRELS")
@click.argument("runs", nargs=-1, metavar="RUN...")
@measure_option
@click.option("-q", "--per-topic", is_flag=True, help="The values of every topic too.")
@rel_option
@topics_option
@click.option(
    "--aggregate",
    type=OneOf([name for name in AGGREGATES if name != "sum"]),
    help="Over topics, in place of each measure's own; sums stay sums.",
)
@click.option(
    "--baseline",
    "baselines",
    multiple=True,
    metavar="RUN",
    help="Add differences from this run, given by its name or file; with --paper it may be repeated.",
)
@paper_option
@click.option("--curve", type=OneOf(list(CURVES)), help="Precision at levels of recall too.")
@click.option("--chart", metavar="FILE", help="Draw the curve: .svg, .png, .pdf or .html.")
@click.option(
    "--ties",
    type=OneOf([str(ties) for ties in Ties]),
    help="The order of documents with the same score; average: the mean over all orders, bounds: the worst and the "
    "best too.  [default: trec]",
)
@compat_option
@click.option("--residual", is_flag=True, help="Between what the values lie, whatever the unjudged documents are.")
@click.option(
    "--unjudged",
    type=OneOf(["as-worst", "as-best"]),
    help="Take documents that nobody judged as not relevant, or as of the top grade.",
)
@click.option("--prefs", is_flag=True, help="Judgments are preferences: topic group part document level, or qrels.")
@click.option(
    "--series", is_flag=True, help="Runs hold several rankings of a topic: topic sample document rank score tag."
)
@click.option("--equity", is_flag=True, help="Attention of groups, added up over all rankings of a run, too.")
@click.option("--lengths", metavar="FILE", help="How many words each document has, for TBG and U.")
@side_options
@prior_option
@click.option("--gains", is_flag=True, help="Grades may be decimals.")
@scores_option
@scale_option
@click.option(
    "--engine",
    metavar="ADDRESS",
    help="Evaluate tables in Parquet on Spark: spark://HOST:PORT, local[2] or sc://HOST:PORT.  [default: here]",
)
@threads_option
@output_options("trec_eval")
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    per_topic: bool,
    levels: tuple[tuple[float, ...], ...],
    topics: tuple[str, ...],
    aggregate: str | None,
    baselines: tuple[str, ...],
    paper: bool,
    curve: str | None,
    chart: str | None,
    ties: str | None,
    compat: str | None,
    residual: bool,
    unjudged: str | None,
    lengths: str | None,
    subtopics: bool,
    intents: str | None,
    attributes: str | None,
    aspects: tuple[str, ...],
    prefs: bool,
    series: bool,
    equity: bool,
    prior: tuple[str, ...],
    gains: bool,
    scores: str | None,
    scale: Policy,
    engine: str | None,
    threads: int | None,
    form: str | None,
    table: str | None,
    output: str | None,
) -> None:
    """Values of measures for runs: what trec_eval does, faster and stricter.

    QRELS are judgments; a RUN is a file, a folder or a pattern: TREC or MS MARCO text (plain, gz, bz2, xz, zst), JSON,
    Parquet or CSV. - is standard input. Without -m: AP, nDCG@10, RR, P@10, R@1000, Judged@10.

    \b
    Examples:
      cranfield evaluate qrels.txt bm25.txt
      cranfield evaluate qrels.txt runs/ -m "AP nDCG@10" -m "RBP(p=0.5)" -q
      cranfield evaluate qrels.txt runs/ -o values.json
      cranfield evaluate qrels.txt runs/ -m AP --rel 1,2 --baseline cedar-1
      cranfield evaluate qrels.txt runs/ --paper --baseline bm25 --format latex
      cranfield evaluate qrels.txt runs/ --curve pr --chart curve.svg
      cranfield evaluate qrels.txt bm25.txt -m "RBP P@10" --residual
      cranfield evaluate qrels.txt bm25.txt -m all_trec --format trec_eval
      cranfield evaluate qrels.txt runs/ -m "nDCG@10 NRG(nDCG@10)" --prior bm25
      cranfield evaluate subtopics.txt runs/ -m "alpha_nDCG@20 StRecall@20"
      cranfield evaluate qrels.txt runs/ -m AWRF@20 --attributes groups.tsv
      cranfield evaluate qrels.txt drawn.txt --series --attributes groups.tsv
      cranfield evaluate --scores ap.csv --aggregate median
      cranfield evaluate qrels.txt bm25.txt --prefs -m "prefs_simp prefs_pair"
    """
    check_output("given" if form == "trec_eval" else form, output)
    if form == "trec_eval":
        _expect_values_alone({"--aggregate": aggregate, "--baseline": next(iter(baselines), None), "--curve": curve})
    if chart:
        _expect_chart(chart, curve)
    if paper:
        asked = {"--per-topic": per_topic, "--residual": residual, "--equity": equity, "--curve": curve}
        expect_paper_alone({**asked, "--ties bounds": ties == "bounds", "--format trec_eval": form == "trec_eval"})
    elif len(baselines) > 1:
        raise click.UsageError("differences are from one baseline\nhint: name one, or add --paper")
    counting, only = read_topics(topics)
    expect_way(
        {
            "--scores": scores,
            "--engine": engine,
            "--prefs": prefs,
            "--series": series,
            "--rel": levels,
            "--topics both": counting == "both",
            "--curve": curve,
            "--ties": ties,
            "--compat": compat,
            "--residual": residual,
            "--unjudged": unjudged,
            "--equity": equity,
            "--lengths": lengths,
            "--subtopics": subtopics,
            "--intents": intents,
            "--attributes": attributes,
            "--aspect": aspects,
            "--prior": prior,
            "--gains": gains,
        },
        [*filter(None, [qrels]), *runs],
        form,
    )
    shaped: dict[str, Any] = {
        "rel": [level for several in levels for level in several],
        "topics": counting,
        "ties": ties,
        "gains": gains,
        "scale": "ignore" if paper and baselines else scale,  # the tests have more to report about it
    }
    version = compat if compat and compat.startswith("trec_eval") else ""
    lines = (
        requested_lines(measures or OFFICIAL, version)
        if form == "trec_eval" and not (scores or prefs or series)
        else None
    )
    asked_for = measures or DEFAULT if lines is None else [line.measure for line in lines if line.measure] or "NumQ"
    if scores:
        values = _some(scored(scores, measures), only, aggregate)
    elif engine is not None:
        landing = landing_of(form, output)
        shaped.update(aggregate=aggregate, compat=compat, prior=said_prior(prior))
        values = evaluate_there(engine, qrels, runs, asked_for, landing=landing, only=only, **shaped)
        if landing:
            form, output = None, None
    elif prefs:
        policy: Policy = "ignore" if aggregate == "median" else scale
        values = _some(_preferred(qrels, runs, measures, ties, policy), only, aggregate)
    elif series:
        expect_files(qrels, runs)
        shaped.update(attributes=attributes, lengths=lengths, unjudged=UNJUDGED[unjudged])
        values = _some(_of_series(qrels, runs, measures, **shaped), only, aggregate)
    else:
        expect_files(qrels, runs)
        found = _with_baselines(runs, baselines) if baselines else list(runs)
        with progress("reading") as see, progress("measuring") as watch:
            values = evaluate(
                qrels,
                found,
                asked_for,
                only=only,
                aggregate=aggregate,
                curve=curve,
                compat=compat,
                residual=residual,
                unjudged=UNJUDGED[unjudged],
                lengths=lengths,
                subtopics=subtopics,
                intents=intents,
                attributes=attributes,
                aspects=said_aspects(aspects),
                prior=said_prior(prior),
                threads=threads,
                progress=see,
                measuring=watch,
                command=typed(),
                **shaped,
            )
    notes = values.mean().notes
    if form == "trec_eval":
        top = None if values.assessed is None else float(values.assessed.grade.max(initial=0))
        find = partial(measures_of, rel=shaped["rel"], compat=compat, top=top)
        extent: dict[str, Any] = {"per_topic": per_topic, "missing_topics": version == "trec_eval-10"}
        text = trec_eval_text(values, lines, **extent, name_run=not prefs, find=find, version=version)
        put(text, output)
        for line in (*notes, *([BALANCED_NOTE] if prefs and "prefs_avgjg_Rnonrel" in text else [])):
            note(line)
        return
    if paper:
        show_paper(values, baselines, form=form, table=table, output=output, scale=scale, threads=threads)
        return
    study = values.study(per_topic=per_topic, baseline=next(iter(baselines), None))
    if equity:
        study = replace(study, tables={**study.tables, **_equity(qrels, runs, attributes, series=series).tables})
    show(study, form=form, table=table, output=output, layout=_layout(values, study), notes=notes)
    if chart:
        _draw(study, chart)


def _some(values: Values, only: list[str] | None, aggregate: str | None) -> Values:
    """Of these topics alone, where some are named."""
    return replace(values if only is None else values.only(only), by=aggregate)


def _preferred(
    prefs: str | None, runs: tuple[str, ...], measures: tuple[str, ...], ties: str | None, scale: Policy
) -> Values:
    """Values of preference measures, the usual ones where none is named."""
    from cranfield.measures import PREFERENCES, preference_values

    if prefs is None or not runs:
        raise click.UsageError("preferences and a RUN are missing\nhint: cranfield evaluate prefs.txt run.txt --prefs")
    asked = [word for text in measures for word in text.split()] or PREFERENCES.names()
    order = ties or Ties.TREC
    in_memory = [read_run(run, ties=order) for run in find_runs(list(runs))]
    values = preference_values(prefs, in_memory, asked, ties=order, scale=scale, command=typed())
    return replace(values, notes=(*reading_notes(run.source for run in in_memory), *values.notes))


def _of_series(qrels: str | None, runs: tuple[str, ...], measures: tuple[str, ...], **shaped: Any) -> Values:
    """Values of runs that hold several rankings of a topic."""
    from cranfield.studies import series

    asked = measures or ("EE_L EE_D EE_R" if shaped["attributes"] else DEFAULT)
    return series(qrels, list(runs), asked, command=typed(), **shaped)


def _equity(qrels: str | None, runs: tuple[str, ...], attributes: str | None, *, series: bool) -> Study:
    """How far attention is from relevance, over all rankings of each run."""
    from cranfield.studies import equity

    if attributes is None or qrels is None:
        raise click.UsageError(
            "--equity needs groups of documents\nhint: --attributes FILE says which group each is in"
        )
    return equity(qrels, list(runs), attributes=attributes, together=series)


def _with_baselines(runs: Sequence[str], baselines: Sequence[str]) -> list[Any]:
    """Return the runs; refuse a baseline that is not one of them before they are read."""
    found = find_runs(list(runs))
    files = [str(run.path) if isinstance(run, RunFile) else run.source.name for run in found]
    for baseline in baselines:
        find_run([run.name for run in found], files, baseline)
    return found


def _expect_values_alone(asked: dict[str, str | None]) -> None:
    for option, given in asked.items():
        if given is not None:
            raise click.UsageError(f"trec_eval has no form for {option}\nhint: --format text and json have")


def _expect_chart(chart: str, curve: str | None) -> None:
    """Refuse a picture that cannot be drawn before the long work, not after it."""
    if curve is None:
        raise click.UsageError("--chart has nothing to draw\nhint: ask for a curve: --curve pr")
    from cranfield.charts import check_suffix

    check_suffix(chart)
    check_place(chart)


def _draw(study: Study, chart: str) -> None:
    from cranfield.charts import draw, save

    picture = draw(study, study.charts[0])
    with whole(chart) as place:
        save(picture, place)


def _layout(values: Values, study: Study) -> dict[str, Table]:
    """The tables as people would rather see them: short, and wide."""
    layout = {"values": values.mean()}
    if values.curve:
        layout["curve"] = _by_run(study["curve"], values.curve.along, values.curve.of)
    if "per_topic" in study.tables:
        layout["per_topic"] = replace(by_topic(study["per_topic"], values, "value"), caption="by topic")
    if "differences" in study.tables:
        layout["differences"] = by_topic(study["differences"], values, "difference")
    return layout


def _by_run(rows: Table, along: str, of: str) -> Table:
    """One row per run, one column per point of the curve."""
    points = list(dict.fromkeys(rows.cells(along)))
    runs = rows.cells("run")[:: len(points)]
    columns = {f"{point:g}": rows.cells(of)[i :: len(points)] for i, point in enumerate(points)}
    return Table({"run": runs, **columns}, rows.caption, rows.made_by)
