"""cranfield lint: report problems in run and qrels files."""

from collections.abc import Mapping, Sequence
from typing import Any

import click

from cranfield.cli.options.usage_errors import Command
from cranfield.cli.output.command_output import check_output, output_options, progress, put, show, typed, usual_format
from cranfield.core import ChecksFailed, Verdict
from cranfield.core.rendering import visible
from cranfield.studies import lint


@click.command("lint", cls=Command)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--corpus",
    metavar="CORPUS",
    help="File, folder or ir_datasets id of the documents. Report ids that it lacks, and documents with equal texts.",
)
@click.option("--gains", is_flag=True, help="Grades may be decimals.")
@click.option("--subtopics", is_flag=True, help="The second column of the judgments is a subtopic.")
@click.option("--strict", is_flag=True, help="Warnings fail too.")
@output_options()
def command(
    files: tuple[str, ...],
    corpus: str | None,
    gains: bool,
    subtopics: bool,
    strict: bool,
    form: str | None,
    table: str | None,
    output: str | None,
) -> None:
    """Everything that is wrong with runs and qrels, without evaluating them.

    What each FILE is, is seen from its columns; of a folder, every file is looked at. If qrels are among them, the
    topics of the runs are compared with theirs. Exit 3 if there are errors (with --strict: or warnings).

    \b
    Examples:
      cranfield lint runs/*.txt
      cranfield lint qrels.txt runs/ --strict
      cranfield lint qrels.txt bm25.txt --format json
      cranfield lint qrels.txt runs/ --corpus corpus.jsonl.gz
    """
    if "-" in files:
        raise click.UsageError("standard input cannot be looked at twice\nhint: save it to a file and name that")
    check_output(form, output)
    with progress("looking") as see, progress("reading the corpus") as reading:
        options: dict[str, Any] = {"gains": gains, "subtopics": subtopics, "progress": see, "reading": reading}
        study = lint(files, corpus=corpus, command=typed(), **options)
    if table is None and (form or usual_format(output, one=True)) == "text":
        put("".join(f"{line}\n" for line in problem_lines(study["problems"].rows())), output)
    else:
        show(study, form=form, table=table, output=output)
    verdict = study.verdict or Verdict()
    if verdict["errors"] or (strict and verdict["warnings"]):
        raise ChecksFailed(study.sentence, hint="the hint of each problem says how to mend it")
    click.echo(study.sentence, err=True)


def problem_lines(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Problems as compilers print them: the place first, so that editors can jump there."""
    lines = []
    for row in rows:
        where = f"{row['file']}:{row['line']}" if row["line"] else row["file"]
        lines.append(visible(f"{where}: {row['severity']}: {row['message']} [{row['code']}]"))
        lines.append(visible(f"    hint: {row['hint']}"))
    return lines
