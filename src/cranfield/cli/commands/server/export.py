"""cranfield export: write a server's pages as a static site, or one task as an archive."""

import click

from cranfield.cli.options.usage_errors import Command
from cranfield.cli.output.command_output import progress

from .server_home import home_options, in_order, open_home


@click.command("export", cls=Command)
@click.argument("folder", metavar="FOLDER")
@click.option("--static", "static", is_flag=True, help="The whole site as everybody sees it, as files.")
@click.option("--task", metavar="NAME", help="One task with its runs, judgments, values and board.")
@home_options
def command(folder: str, static: bool, task: str | None, home: str, database: str) -> None:
    """Write a server's pages, or one of its tasks, as files that need no server.

    \b
    Examples:
      cranfield export site --static --home boards
      cranfield export archive --task ad-hoc-2024 --home boards
    """
    if static == bool(task):
        raise click.UsageError("say what to write\nhint: --static for the site, or --task NAME for one task")
    open_home(home, database)
    from cranfield.server.operations.exports import export_site, export_task

    if task:
        with in_order(folder):
            click.echo(f"{export_task(task, folder)}: the task {task}")
        return
    with in_order(folder), progress("writing pages") as watch:
        pages = export_site(folder, progress=watch)
    click.echo(f"{folder}: {pages:,} files")
