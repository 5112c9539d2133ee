"""cranfield rerun."""

import shlex
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from cranfield.core import ChecksFailed, InputError, Study

from ._files import check_place
from ._show import check_output, output_options, show
from ._usage import Command

ALREADY = ("-o", "--output", "--parts")


@click.command("rerun", cls=Command)
@click.argument("report", metavar="REPORT")
@click.option("--save", metavar="FILE", help="Keep the new report: .html.")
@click.option("--require", "strict", is_flag=True, help="Exit 3 if anything changed.")
@output_options()
def command(
    report: str, save: str | None, strict: bool, form: str | None, table: str | None, output: str | None
) -> None:
    """Make a report again, from the files it names, and say what changed.

    Stand in the folder in which it was made. Inputs are told apart by their digests, numbers to the last digit.

    \b
    Examples:
      cranfield rerun report.html
      cranfield rerun report.html --save new.html --require
    """
    check_output(form, output)
    if save:
        check_place(save)
    if not Path(report).is_file():
        raise InputError(f"{report}: there is no such file", hint="check the name", code="E-MISSING", file=report)
    from cranfield.reports import changes, changes_sentence, read_report

    before = read_report(report)
    if before.command[:1] != ("report",):
        hint = "only pages of `cranfield report` can be made again"
        raise InputError(f"{report} does not say which command made it", hint=hint, file=report)
    click.echo(f"running: {shlex.join(['cranfield', *before.command])}", err=True)
    with TemporaryDirectory() as scratch:
        place = save or str(Path(scratch) / "report.html")
        _again(before.command, place)
        found = changes(before, read_report(place))
    study = Study("rerun", {"changes": found}, {"changes": len(found), "sentence": changes_sentence(found)})
    if len(found) or form or output:
        show(study, form=form or (None if output else "text"), table=table, output=output)
    else:
        click.echo(study.sentence)
    if strict and len(found):
        raise ChecksFailed(f"{report} is not what it was", hint=changes_sentence(found))


def _again(typed: tuple[str, ...], place: str) -> None:
    """Run the command that was typed, with one page as its only output."""
    from ._report import QUIETLY
    from ._report import command as report

    words = list(typed)
    with click.Context(click.get_current_context().find_root().command, info_name="cranfield", obj=words) as root:
        root.meta[QUIETLY] = True
        made = report.make_context("report", [*_without_outputs(words[1:]), "-o", place], parent=root)
        with made:
            report.invoke(made)


def _without_outputs(words: list[str]) -> list[str]:
    kept: list[str] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word in ALREADY:
            skip = True
        elif not word.startswith(tuple(f"{name}=" for name in ALREADY if name.startswith("--"))) and not (
            word.startswith("-o") and len(word) > 2 and not word.startswith("--")
        ):
            kept.append(word)
    return kept
