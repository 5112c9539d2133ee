"""cranfield convert."""

import click

from cranfield.studies import convert

from ._evaluate import ORDERS


@click.command("convert")
@click.argument("source")
@click.argument("target", type=click.Path(dir_okay=False))
@click.option("--as", "kind", type=click.Choice(["run", "qrels"]), help="What the file is.  [default: look at it]")
@click.option("--depth", type=click.IntRange(min=1), help="Keep this many documents of each topic.")
@click.option(
    "--ties",
    type=click.Choice(ORDERS),
    default="trec",
    show_default=True,
    help="The order of documents with the same score.",
)
def command(source: str, target: str, kind: str | None, depth: int | None, ties: str) -> None:
    """Write a run or qrels in the format that TARGET's name ends in.

    .txt .run .trec .qrels are TREC, .tsv is MS MARCO (topic, document, rank), then .json, .jsonl, .parquet and .csv;
    text may end in .gz, .bz2 or .xz too. A run is written in rank order.

    \b
    cranfield convert run.txt.gz run.parquet
    cranfield convert run.txt top10.tsv --depth 10
    """
    data = convert(source, target, kind=kind, depth=depth, ties=ties)
    click.echo(f"{target}: {len(data)} rows, {len(data.topics)} topics", err=True)
