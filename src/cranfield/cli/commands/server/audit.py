"""cranfield audit: show the audit log of a server, or verify the log and the stored files."""

import click

from cranfield.cli.options.usage_errors import Command, OneOf
from cranfield.cli.output.command_output import progress
from cranfield.core import ChecksFailed

from .server_home import home_options, in_order, open_home


@click.command("audit", cls=Command)
@click.argument("what", type=OneOf(["verify", "show"]), default="verify", metavar="[verify|show]")
@click.option("--noted", default="", metavar="DIGEST", help="The last digest of an earlier check: is it still there?")
@click.option("--task", default="", metavar="NAME", help="With show: only what was done in this task.")
@home_options
def command(what: str, noted: str, task: str, home: str, database: str) -> None:
    """Check that nothing in the log of a server was changed, and that every file is what its name says.

    Each act holds the digest of the one before it. The last digest is printed: note it elsewhere, and give it to a
    later check, which then also finds out whether the end of the log was cut off.

    \b
    Examples:
      cranfield audit verify --home boards
      cranfield audit show --task ad-hoc-2024 --home boards
    """
    if what == "verify" and task:
        raise click.UsageError("the log is checked as a whole\nhint: --task is for cranfield audit show")
    if what == "show" and noted:
        raise click.UsageError("nothing is checked here\nhint: --noted is for cranfield audit verify")
    open_home(home, database)
    with in_order(home):
        if what == "show":
            _show(task)
        else:
            _verify(noted)


def _show(task: str) -> None:
    from cranfield.server.models import Audit

    rows = Audit.objects.filter(task=task) if task else Audit.objects.all()
    for row in rows.order_by("id").iterator():
        about = " ".join(f"{key}={value}" for key, value in sorted(row.about.items()))
        click.echo(f"{row.pk}\t{row.at:%Y-%m-%d %H:%M:%S}\t{row.who}\t{row.what}\t{row.task}\t{about}")


def _verify(noted: str) -> None:
    from cranfield.server.operations import audit_log
    from cranfield.server.operations.backups import check

    wrong = list(audit_log.broken())
    if wrong:
        number, why = wrong[0]
        more = f" and {len(wrong) - 1} more" * (len(wrong) > 1)
        raise ChecksFailed(f"act {number}{more}: {why}", hint="the log cannot be trusted from there on")
    if noted and not audit_log.holds(noted):
        hint = "the end of the log was cut off, or all of it was written anew"
        raise ChecksFailed(f"no act has the noted digest {noted[:12]}…", hint=hint)
    with progress("comparing files") as watch:
        files = check(progress=watch)
    acts, head = audit_log.head()
    click.echo(f"{acts:,} acts and {files:,} files are as they were written; the last digest is {head}")
