"""cranfield lint."""

import sys

import click

from cranfield.core import ChecksFailed, Study
from cranfield.studies import lint

from ._show import output_options, put, show, typed


@click.command("lint")
@click.argument("files", nargs=-1, required=True)
@click.option("--strict", is_flag=True, help="Warnings fail too.")
@output_options()
def command(files: tuple[str, ...], strict: bool, form: str | None, table: str | None, output: str | None) -> None:
    """Everything that is wrong with runs and qrels.

    What each file is, is seen from its columns. If qrels are among them, the topics of the runs are compared with
    theirs. Exit 3 if there are errors (with --strict: or warnings).

    \b
    cranfield lint runs/*.txt
    cranfield lint qrels.txt run.txt --format json
    """
    study = lint(files, command=typed())
    people = table is None and output is None and (form == "text" or (form is None and sys.stdout.isatty()))
    if people:
        put(_text(study), None)
    else:
        show(study, form=form, table=table, output=output)
    verdict = study.verdict or {}
    if verdict["errors"] or (strict and verdict["warnings"]):
        raise ChecksFailed(study.sentence, hint="mend the files, or see what each code means in the documentation")
    if not people:
        click.echo(study.sentence, err=True)


def _text(study: Study) -> str:
    """Problems as compilers print them: the place first, so that editors can jump there."""
    lines = []
    for row in study["problems"].rows():
        where = f"{row['file']}:{row['line']}" if row["line"] else row["file"]
        lines.append(f"{where}: {row['severity']}: {row['message']} [{row['code']}]")
        lines.append(f"    hint: {row['hint']}")
    return "\n".join([*lines, study.sentence])
