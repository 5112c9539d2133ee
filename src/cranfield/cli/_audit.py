"""cranfield audit."""

import click

from cranfield.core import ChecksFailed

from ._home import home_options, open_home
from ._show import progress
from ._usage import Command


@click.command("audit", cls=Command)
@click.argument("what", type=click.Choice(["verify", "show"]), default="verify", metavar="[verify|show]")
@click.option("--task", default="", metavar="NAME", help="Only what was done in this task.")
@home_options
def command(what: str, task: str, home: str, database: str) -> None:
    """Check that nothing in the log of a server was changed, and that every file is what its name says.

    Each act holds the digest of the one before it. The last digest is printed: noted elsewhere, it also shows
    whether the end of the log was cut off.

    \b
    Examples:
      cranfield audit verify --home board
      cranfield audit show --task ad-hoc-2024 --home board
    """
    open_home(home, database)
    from cranfield.server import audit
    from cranfield.server.backups import check
    from cranfield.server.models import Audit

    if what == "show":
        rows = Audit.objects.filter(task=task) if task else Audit.objects.all()
        for row in rows.order_by("id").iterator():
            about = " ".join(f"{key}={value}" for key, value in row.about.items())
            click.echo(f"{row.pk}\t{row.at:%Y-%m-%d %H:%M:%S}\t{row.who}\t{row.what}\t{row.task}\t{about}")
        return
    wrong = list(audit.broken())
    if wrong:
        number, why = wrong[0]
        more = f" and {len(wrong) - 1} more" * (len(wrong) > 1)
        raise ChecksFailed(f"act {number}{more}: {why}", hint="the log cannot be trusted from there on")
    with progress("comparing files") as watch:
        files = check(progress=watch)
    acts, head = audit.head()
    click.echo(f"{acts:,} acts and {files:,} files are as they were written; the last digest is {head}")
