"""cranfield worker: evaluate submitted runs for a server."""

import click

from cranfield.cli.options.usage_errors import Command

from .server_home import home_options, open_home


@click.command("worker", cls=Command)
@home_options
@click.option("--once", is_flag=True, help="End when nothing waits.")
def command(home: str, database: str, once: bool) -> None:
    """Evaluate runs for a server, beside its own workers, until Ctrl-C.

    With PostgreSQL it may run on another machine, if the folder is shared with that one: the files of runs are there.

    \b
    Examples:
      cranfield worker --home boards --once
      cranfield worker --home boards --database postgresql://me@db/boards
    """
    open_home(home, database)
    from cranfield.server.jobs.job_queue import work
    from cranfield.server.jobs.processes import step_back, stopping
    from cranfield.server.site.django_setup import check_migrated

    check_migrated()
    step_back()  # once there is something to do: who is refused stays what they were
    if not once:
        click.echo(f"working for {home}; Ctrl-C ends it", err=True)
    with stopping() as stop:
        done = work(once=once, stop=stop)
    click.echo(f"{done} job{'s' * (done != 1)} done")
