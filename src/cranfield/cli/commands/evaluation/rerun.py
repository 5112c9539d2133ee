"""cranfield rerun: repeat the command behind a saved result and report the changes."""

import shlex
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from cranfield.cli.options.usage_errors import Command
from cranfield.cli.output.atomic_files import check_place
from cranfield.cli.output.command_output import check_output, output_options, show
from cranfield.core import ChecksFailed, InputError, Study

# What writes files, or says how a result is shown: the new one is written for comparison alone.
ALREADY = ("-o", "--output", "--parts", "--format", "--chart", "--boxes", "--save-norms", "--save-splits")
# Commands of which each result is one study, made from the files they name and from nothing else.
STUDIES = (
    *("evaluate", "compare", "leaderboard", "novelty", "test", "anova", "agreement", "power", "scale", "topics"),
    *("reproduce", "bridge", "nuggets"),
)


@click.command("rerun", cls=Command)
@click.argument("report", metavar="RESULT")
@click.option("--save", metavar="FILE", help="Keep the new report (.html), or the new result (.json).")
@click.option("--require", "strict", is_flag=True, help="Exit 3 if anything changed.")
@output_options()
def command(
    report: str, save: str | None, strict: bool, form: str | None, table: str | None, output: str | None
) -> None:
    """Make a result again, from the files it names, and say what changed.

    RESULT is a page of `cranfield report`, or what a command wrote with --format json. Stand in the folder in which it
    was made. Inputs are told apart by their digests, numbers to the last digit.

    \b
    Examples:
      cranfield rerun report.html
      cranfield rerun report.html --save new.html --require
      cranfield rerun verdict.json --require
    """
    check_output(form, output)
    if save:
        check_place(save)
    if not Path(report).is_file():
        raise InputError(f"{report}: there is no such file", hint="check the name", code="E-MISSING", file=report)
    from cranfield.reports import changes, changes_sentence, read_kept

    before = read_kept(report)
    name = before.command[0] if before.command else ""
    page = name == "report"
    if page == (not before.title) or (not page and name not in STUDIES):
        hint = f"these can be made again: pages of `cranfield report`, and JSON of {', '.join(STUDIES)}"
        raise InputError(f"{report} does not say which command made it", hint=hint, file=report)
    if "-" in before.command:
        hint = "give the files that were read by name, and make it once more"
        raise InputError(f"{report} was made from standard input, which is gone", hint=hint, file=report)
    click.echo(f"running: {shlex.join(['cranfield', *before.command])}", err=True)
    with TemporaryDirectory() as scratch:
        place = save or str(Path(scratch) / ("report.html" if page else "study.json"))
        _again(before.command, ["-o", place] if page else ["-o", place, "--format", "json"])
        found = changes(before, read_kept(place))
    study = Study("rerun", {"changes": found}, {"changes": len(found), "sentence": changes_sentence(found)})
    if len(found) or form or output:
        show(study, form=form or (None if output else "text"), table=table, output=output)
    else:
        click.echo(study.sentence)
    if strict and len(found):
        raise ChecksFailed(f"{report} is not what it was", hint=changes_sentence(found))


def _again(typed: tuple[str, ...], place: list[str]) -> None:
    """Run the command that was typed, with one file as its only output."""
    from .report import QUIETLY

    words = list(typed)
    group = click.get_current_context().find_root().command
    with click.Context(group, info_name="cranfield", obj=words) as root:
        root.meta[QUIETLY] = True
        name, *others = words
        command = group.get_command(root, name)  # type: ignore[attr-defined]  # the group of all commands
        made = command.make_context(name, [*_without_outputs(others), *place], parent=root)
        with made:
            command.invoke(made)


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
