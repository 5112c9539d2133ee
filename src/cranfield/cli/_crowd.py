"""cranfield crowd."""

from collections.abc import Sequence
from typing import Any

import click

from cranfield.core import ParameterError, Study, parameters
from cranfield.crowds import AGGREGATIONS, POINTS
from cranfield.data import Labels, join_labels, labels_from_qrels, read_labels, read_qrels, read_votes, write
from cranfield.studies import crowd

from ._files import check_place, whole
from ._layout import Cells, lay_out, notes_on
from ._leaderboard import Named
from ._show import check_output, output_options, progress, show, ties_option, typed
from ._statistics import asked_chart, chart_options, check_chart, draw_chart, level_option, seed_option
from ._usage import Command, OneOf, Whole

DRAWN = ("workers", "aggregations", "label-orders", "label-noise", "machines", "stopping", "strengths")
SHOWN = (
    *("aggregations", "agreement", "workers", "order_changes", "label_noise", "machines", "machine_runs"),
    *("stopping", "strengths"),
)
FEW = {"workers": 15, "label_noise": 15, "machine_runs": 15, "strengths": 20}  # rows
QRELS = (".qrels", ".trec")
OF_LABELS = ("gold", "gold_rel", "use_gold", "by", "machine_qrels", "runs", "measures", "aware")


def _methods() -> str:
    """The catalogue, one method a line."""
    rows = []
    for cls in AGGREGATIONS:
        settings = ",".join(f"{setting.name}={setting.default!r}" for setting in parameters(cls))
        rows.append((f"{cls.name}({settings})" if settings else cls.name, cls.weighs))
    lines = [
        f"  {name.ljust(26)}{weighs}" if len(name) < 26 else f"  {name}\n{' ' * 28}{weighs}" for name, weighs in rows
    ]
    return "\n".join(lines)


HELP = f"""Labels of many workers become one: merging, agreement, workers, and the order of runs.

LABELS has a row for each label: topic, document, worker, grade, and a time if it is known (CSV, TSV, JSON Lines,
Parquet; text without a header in this order). -o merged.qrels writes the merged labels as judgments.

\b
Methods, and whose answers count for more:
{_methods()}

The first --method gives the merged labels; the others are set beside it. Machines (LLM judges) are workers that are
marked, by a column kind, --machine or --machine-qrels; they are never merged with people unless --include-machines says
so: how far they agree, what they confuse, which runs they favour. With --runs: what each method does to the order of
runs, and how far the doubt left in labels reaches.

\b
Examples:
  cranfield crowd labels.csv
  cranfield crowd labels.csv --gold gold.qrels --method "majority mace" -o merged.qrels
  cranfield crowd labels.csv --runs runs/ -m nDCG@10 --chart orders.svg
  cranfield crowd labels.csv --machine-qrels llm=llm.qrels --runs runs/
  cranfield crowd votes.txt --columns time,item,worker,grade --stopping
  cranfield crowd pairs.csv --pairs
"""


@click.command("crowd", cls=Command, help=HELP)
@click.argument("labels", metavar="LABELS")
@click.option(
    "--column",
    "named",
    type=Named("WHAT=NAME", "worker=annotator"),
    multiple=True,
    help="Which column holds topic, document, worker, grade, time or kind, if its name does not say so.",
)
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
    help="How labels are merged; may be repeated, the first one counts.  [default: dawid-skene, beside all others]",
)
@click.option("--grade", "by", type=OneOf(POINTS), help="Which grade a merged label is.  [default: the method's own]")
@click.option("--gold", metavar="QRELS", help="Judgments known to be right.")
@click.option("--gold-rel", type=float, help="Gold from this grade on is the highest label, below it the lowest.")
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
@click.option("--draws", type=Whole(), default=1000, show_default=True, help="Of items, for intervals of agreement.")
@click.option("--threads", type=Whole(), help="How many threads work.  [default: one per processor]")
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
    if settings["named"] and settings["columns"]:
        raise click.UsageError("--column and --columns are for different files\nhint: --columns names all of them")
    study = _pairs(labels, settings) if pairs else _labels(labels, settings)
    if output and judgments:
        _write_qrels(study, output)
        output = None
    only = [name for name in SHOWN if name in study.tables]
    notes = notes_on(study, [table] if table else only)
    layout = lay_out(study, FEW, adapt=_adapted)
    show(study, form=form, table=table, output=output, layout=layout, notes=notes, only=only)
    usual = "label-orders" if "orders" in study.tables else study.charts[0]
    draw_chart(study, asked_chart(draw, usual), chart)


def _labels(file: str, settings: dict[str, Any]) -> Study:
    """Labels of documents."""
    if settings["worker"]:
        raise click.UsageError("--worker is about votes between documents\nhint: add --pairs, or leave it out")
    for option, needs in (("measures", "runs"), ("aware", "runs"), ("use_gold", "gold"), ("gold_rel", "gold")):
        if settings[option] and not settings[needs]:
            name = {"measures": "measure"}.get(option, option.replace("_", "-"))
            raise click.UsageError(f"--{name} needs --{needs}\nhint: give --{needs} too, or leave it out")
    read = _with_machines(read_labels(file, columns=_columns(settings), machines=settings["machines"]), settings)
    with progress("merging") as watch:
        return crowd(
            read,
            methods=list(settings["methods"]) or _usual(),
            machines=settings["include_machines"],
            runs=list(settings["runs"]) or None,
            measures=list(settings["measures"]) or "nDCG@10",
            progress=watch,
            command=typed(),
            **{name: settings[name] for name in ("by", "gold", "gold_rel", "use_gold", "aware", "stopping")},
            **{name: settings[name] for name in ("draws", "level", "ties", "seed", "threads")},
        )


def _pairs(file: str, settings: dict[str, Any]) -> Study:
    """Votes between two documents."""
    from cranfield.studies import preferences

    for option in OF_LABELS:
        if settings[option]:
            name = {"measures": "measure", "by": "grade"}.get(option, option.replace("_", "-"))
            raise click.UsageError(f"--{name} is about labels of documents\nhint: leave it out, or leave out --pairs")
    given: Any = {"columns": _columns(settings), "machines": settings["machines"]}
    votes = read_votes(file, worker=settings["worker"], **given)
    with progress("comparing") as watch:
        return preferences(
            votes,
            methods=list(settings["methods"]) or "mace",
            machines=settings["include_machines"],
            level=settings["level"],
            seed=settings["seed"],
            progress=watch,
            command=typed(),
        )


def _usual() -> Sequence[str]:
    from cranfield.studies._crowd import USUAL

    return USUAL


def _columns(settings: dict[str, Any]) -> Any:
    if settings["columns"]:
        names = [name.strip() for name in settings["columns"].split(",")]
        if not all(names):
            raise click.UsageError("--columns has an empty name\nhint: --columns topic,document,worker,grade")
        return names
    return dict(settings["named"]) or None


def _with_machines(read: Labels, settings: dict[str, Any]) -> Labels:
    """The labels, and those of judgments that machines made."""
    given = dict(settings["machine_qrels"])
    if len(given) < len(settings["machine_qrels"]):
        raise click.UsageError("two machines have one name\nhint: give each of --machine-qrels a name of its own")
    return join_labels([read, labels_from_qrels(given, machines=list(given))]) if given else read


def _write_qrels(study: Study, output: str) -> None:
    """The merged labels as judgments."""
    table = study.tables.get("labels")
    if table is None:
        raise ParameterError("votes between documents are no judgments", hint="write a table: -o strengths.csv")
    rows = {name: table.cells(name) for name in ("topic", "document", "grade")}
    with whole(output) as place:
        write(read_qrels(rows, gains=True, name=output), place)
    click.echo(f"{output}: {len(table)} rows", err=True)


def _adapted(name: str, cells: Cells) -> Cells:
    """Columns that fit a terminal."""
    dropped = {
        "workers": {"kind", "low", "high", "weight", "agreement", "drift_p"},
        "aggregations": {"likelihood", "rounds"},
        "agreement": {"items", "workers"},
    }.get(name, set())
    return {column: each for column, each in cells.items() if column not in dropped}
