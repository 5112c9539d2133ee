"""cranfield crowd: merge the labels or pairwise votes of many workers."""

from typing import Any

import click

from cranfield.cli.options.key_value_options import Named, column_option
from cranfield.cli.options.statistics_options import (
    Between,
    asked_chart,
    chart_options,
    check_chart,
    draw_chart,
    level_option,
    seed_option,
)
from cranfield.cli.options.usage_errors import Command, OneOf, Whole, spelled, threads_option
from cranfield.cli.output.atomic_files import check_place, expect_another, whole
from cranfield.cli.output.catalogue_help import list_methods
from cranfield.cli.output.command_output import check_output, note, output_options, progress, show, ties_option, typed
from cranfield.cli.output.table_layout import Cells, lay_out, notes_on
from cranfield.collections import AGGREGATIONS, POINTS
from cranfield.core import Study
from cranfield.data import read_labels, read_qrels, read_votes, write
from cranfield.studies import crowd

DRAWN = ("workers", "aggregations", "label-orders", "label-noise", "machines", "stopping", "strengths")
SHOWN = (
    *("aggregations", "agreement", "workers", "order_changes", "label_noise", "machines", "machine_runs"),
    *("stopping", "strengths"),
)
FEW = {"workers": 15, "label_noise": 15, "machine_runs": 15, "strengths": 20}  # rows
QRELS = (".qrels", ".trec")
OF_LABELS = ("gold", "gold_rel", "use_gold", "by", "machine_qrels", "runs", "measures", "aware", "stopping")
NEEDS = {"measures": "runs", "aware": "runs", "use_gold": "gold", "gold_rel": "gold"}
NEEDED = {"label-orders": "runs", "label-noise": "runs", "stopping": "stopping", "strengths": "pairs"}  # by charts

HELP = f"""Labels of many workers become one: merging, agreement, workers, and the order of runs.

LABELS has a row for each label: topic, document, worker, grade, and a time if it is known (CSV, TSV, JSON Lines,
Parquet; text without a header in this order). -o merged.qrels writes the merged labels as judgments.

\b
Methods, and whose answers count for more:
{list_methods(AGGREGATIONS, lambda method: method.weighs)}

The first --method gives the merged labels; the others are set beside it. Machines (LLM judges) are workers that are
marked, by a column kind, --machine or --machine-qrels; they are never merged with people unless --include-machines says
so: how far they agree, what they confuse, which runs they favour. With --runs: what each method does to the order of
runs, and how far the doubt left in labels reaches.

\b
Examples:
  cranfield crowd labels.csv
  cranfield crowd labels.csv --gold gold.qrels --method mace -o merged.qrels
  cranfield crowd labels.csv --runs runs/ -m nDCG@10 --chart orders.svg
  cranfield crowd labels.csv --machine-qrels llm=llm.qrels --runs runs/
  cranfield crowd votes.txt --columns time,item,worker,grade --stopping
  cranfield crowd pairs.csv --pairs
"""


@click.command("crowd", cls=Command, help=HELP)
@click.argument("labels", metavar="LABELS")
@column_option("holds topic, document, worker, grade, time or kind", "worker=annotator")
@click.option(
    "--columns",
    metavar="A,B,...",
    help="The columns of a text without a header, in order; item is topic_document in one word.",
)
@click.option(
    "--pairs", is_flag=True, help="Rows are votes between two documents: topic, a, b, worker, vote (a, b or n)."
)
@click.option("--worker", metavar="NAME", help="With --pairs: who gave all votes, where no column says it.")
@click.option(
    "--method",
    "methods",
    multiple=True,
    metavar="NAME",
    help="How labels are merged, or all; may be repeated, the first counts.  [default: dawid-skene, beside all others]",
)
@click.option("--grade", "by", type=OneOf(POINTS), help="Which grade a merged label is.  [default: the method's own]")
@click.option("--gold", metavar="QRELS", help="Judgments known to be right.")
@click.option(
    "--gold-rel",
    type=Between(0, example="1"),
    metavar="GRADE",
    help="Gold from this grade on is the highest label, below it the lowest.",
)
@click.option("--use-gold", is_flag=True, help="Merge with gold, instead of only holding labels against it.")
@click.option("--machine", "machines", multiple=True, metavar="NAME", help="A worker, or a pattern, that is a machine.")
@click.option(
    "--machine-qrels",
    type=Named("NAME=QRELS", "llm=llm.qrels"),
    multiple=True,
    help="Judgments that a machine made; may be repeated.",
)
@click.option("--include-machines", is_flag=True, help="Merge machines with people, as workers like any other.")
@click.option("--runs", multiple=True, metavar="RUN", help="A run, a folder or a pattern; may be repeated.")
@click.option("-m", "--measure", "measures", multiple=True, help="For --runs.  [default: nDCG@10]")
@click.option("--aware", metavar="AWARE", help="How values are weighed by worker: AWARE(distance='tau',power=2).")
@click.option("--stopping", is_flag=True, help="How many labels would have been enough?")
@click.option(
    "--draws",
    type=Whole(),
    default=1000,
    show_default=True,
    help="How often items are drawn, for intervals of agreement.",
)
@threads_option
@ties_option
@level_option
@seed_option
@chart_options(DRAWN, usual="workers")
@output_options()
def command(
    labels: str,
    pairs: bool,
    chart: str | None,
    draw: str,
    form: str | None,
    table: str | None,
    output: str | None,
    **settings: Any,
) -> None:
    """Labels of many workers become one."""
    judgments = bool(output) and str(output).lower().removesuffix(".gz").endswith(QRELS)
    if output and judgments:
        check_place(output)
    else:
        check_output(form, output)
    check_chart(chart)
    _check(labels, pairs=pairs, judgments=judgments, output=output, draw=asked_chart(draw, "workers"), given=settings)
    study = _pairs(labels, settings) if pairs else _labels(labels, settings)
    if output and judgments:
        _write_qrels(study, output)
        output = None
    only = [name for name in SHOWN if name in study.tables]
    telling = [name for name in only if name != "workers" or any(study["workers"].cells("spammer"))]
    notes = notes_on(study, [table] if table else telling)
    layout = lay_out(study, FEW, adapt=_adapted)
    show(study, form=form, table=table, output=output, layout=layout, notes=notes, only=only)
    usual = "label-orders" if "orders" in study.tables else study.charts[0]
    draw_chart(study, asked_chart(draw, usual), chart)


def _check(labels: str, *, pairs: bool, judgments: bool, output: str | None, draw: str, given: dict[str, Any]) -> None:
    """Refuse before the long work what does not go together."""
    if given["named"] and given["columns"]:
        raise click.UsageError("--column and --columns are for different files\nhint: --columns names all of them")
    if pairs and judgments:
        raise click.UsageError("votes between documents are no judgments\nhint: write a table: -o strengths.csv")
    if given["worker"] and not pairs:
        raise click.UsageError("--worker is about votes between documents\nhint: add --pairs, or leave it out")
    for option in OF_LABELS if pairs else ():
        if given[option]:
            raise click.UsageError(
                f"{spelled(option)} is about labels of documents\nhint: leave it out, or leave out --pairs"
            )
    for option, needs in NEEDS.items():
        if given[option] and not given[needs]:
            raise click.UsageError(f"{spelled(option)} needs --{needs}\nhint: give --{needs} too, or leave it out")
    needed = NEEDED.get(draw)
    if needed and not (pairs if needed == "pairs" else given[needed]):
        raise click.UsageError(f"the chart {draw} needs --{needed}\nhint: give --{needed}, or choose another chart")
    expect_another(output, (labels, given["gold"], *dict(given["machine_qrels"]).values(), *given["runs"]))


def _labels(file: str, settings: dict[str, Any]) -> Study:
    """Labels of documents."""
    machine_qrels = dict(settings["machine_qrels"])
    if len(machine_qrels) < len(settings["machine_qrels"]):
        raise click.UsageError("two machines have one name\nhint: give each of --machine-qrels a name of its own")
    methods: Any = {"methods": list(settings["methods"])} if settings["methods"] else {}
    read = read_labels(file, columns=_columns(settings), machines=settings["machines"])
    with progress("merging") as watch:
        return crowd(
            read,
            machines=settings["include_machines"],
            machine_qrels=machine_qrels,
            runs=list(settings["runs"]) or None,
            measures=list(settings["measures"]) or "nDCG@10",
            progress=watch,
            command=typed(),
            **methods,
            **{name: settings[name] for name in ("by", "gold", "gold_rel", "use_gold", "aware", "stopping")},
            **{name: settings[name] for name in ("draws", "level", "ties", "seed", "threads")},
        )


def _pairs(file: str, settings: dict[str, Any]) -> Study:
    """Votes between two documents."""
    from cranfield.studies import preferences

    given: Any = {"columns": _columns(settings), "machines": settings["machines"]}
    votes = read_votes(file, worker=settings["worker"], **given)
    with progress("comparing") as watch:
        return preferences(
            votes,
            methods=list(settings["methods"]) or "mace",
            machines=settings["include_machines"],
            progress=watch,
            command=typed(),
            **{name: settings[name] for name in ("draws", "level", "seed")},
        )


def _columns(settings: dict[str, Any]) -> Any:
    if settings["columns"]:
        names = [name.strip() for name in settings["columns"].split(",")]
        if not all(names):
            raise click.UsageError("--columns has an empty name\nhint: --columns topic,document,worker,grade")
        return names
    return dict(settings["named"]) or None


def _write_qrels(study: Study, output: str) -> None:
    """The merged labels as judgments."""
    table = study["labels"]
    rows = {name: table.cells(name) for name in ("topic", "document", "grade")}
    with whole(output) as place:
        write(read_qrels(rows, gains=True, name=output), place)
    click.echo(f"{output}: {len(table)} rows", err=True)
    if not all(float(str(grade)).is_integer() for grade in rows["grade"]):
        note(f"{output} has grades with decimals: cranfield evaluate --gains reads them")


def _adapted(name: str, cells: Cells) -> Cells:
    """Columns that fit a terminal, without those that say the same of all."""
    dropped = {
        "workers": {"low", "high", "weight", "gold", "agreement", "drift", "drift_p"},
        "aggregations": {"likelihood", "rounds"},
        "agreement": {"items", "workers"},
    }.get(name, set())
    shown = {column: each for column, each in cells.items() if column not in dropped}
    if name == "aggregations" and not any(cells["gold"]):
        del shown["gold"]
    if name == "workers":
        shown["spammer"] = ["yes" if one else None for one in cells["spammer"]]
        plain = {"kind": {"person"}, "spammer": {None}}
        shown = {column: each for column, each in shown.items() if set(each) != plain.get(column)}
        if {"gold_accuracy", "why"} <= shown.keys():
            del shown["informed"]
    return shown
