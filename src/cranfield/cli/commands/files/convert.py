"""cranfield convert: write a run or qrels file in another format."""

from typing import Any

import click

from cranfield.cli.options.usage_errors import Command, OneOf, Whole
from cranfield.cli.output.atomic_files import whole
from cranfield.cli.output.command_output import note, ties_option
from cranfield.data import Run
from cranfield.studies import convert, reading_notes


@click.command("convert", cls=Command)
@click.argument("source", metavar="SOURCE")
@click.argument("target", metavar="TARGET")
@click.option("--as", "kind", type=OneOf(["run", "qrels"]), help="What the file is.  [default: look at it]")
@click.option("--run", metavar="NAME", help="The run to convert, where a table has several.")
@click.option("--depth", type=Whole(), help="Keep this many documents of each topic.")
@ties_option
@click.option("--gains", is_flag=True, help="Grades may be decimals.")
@click.option("--subtopics", is_flag=True, help="The second column of the judgments is a subtopic.")
@click.option("--metadata", metavar="FILE", help="Write what this file of YAML says of the run into its header.")
def command(
    source: str,
    target: str,
    kind: str | None,
    run: str | None,
    depth: int | None,
    ties: str,
    gains: bool,
    subtopics: bool,
    metadata: str | None,
) -> None:
    """Write a run or qrels in the format that TARGET's name ends in.

    .txt .run .trec .qrels are TREC, .tsv is MS MARCO (topic, document, rank), then .json, .jsonl, .parquet and .csv;
    text may end in .gz, .bz2 or .xz too. A run is written in rank order. What a run says of itself in its header
    (ir_metadata) is kept in TREC text.

    \b
    Examples:
      cranfield convert bm25.txt bm25.parquet
      cranfield convert bm25.txt top10.tsv.gz --depth 10
      cranfield convert qrels.txt qrels.json
      cranfield convert bm25.txt described.txt --metadata bm25.yaml
    """
    if source == "-" and kind is None:
        hint = "say what it is: --as run or --as qrels"
        raise click.UsageError(f"standard input cannot be looked at first\nhint: {hint}")
    with whole(target) as place:
        options: dict[str, Any] = {"gains": gains, "subtopics": subtopics, "metadata": metadata}
        data = convert(source, place, kind=kind, run=run, depth=depth, ties=ties, **options)
    lost = " (MS MARCO keeps the ranks, not the scores)" if isinstance(data, Run) and ".tsv" in target.lower() else ""
    for text in reading_notes([data.source]):
        note(text)
    click.echo(f"{target}: {len(data)} rows, {len(data.topics)} topics{lost}", err=True)
