"""cranfield submit: submit a run to a task on a server."""

import time
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import click

from cranfield.cli.commands.files.lint import problem_lines
from cranfield.cli.options.usage_errors import Command
from cranfield.cli.output.command_output import note, progress
from cranfield.core import CranfieldError, InputError, Study, Table
from cranfield.data import run_name
from cranfield.server.api.client import Server, ServerSaid

from .api_tokens import save_token
from .server_requests import (
    LATER,
    PROBLEM,
    RUN,
    asking_options,
    connect,
    lines_of,
    made_by,
    row_of,
    show_answer,
    table_of,
    task_of,
)

WAITS = [0.2, 0.3, 0.5, 1.0]  # seconds between two looks; then always the last


class Day(click.ParamType[str]):
    """A day, as the server reads it."""

    name = "DATE"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The day that the text names."""
        try:
            return date.fromisoformat(str(value)).isoformat()
        except ValueError:
            self.fail(f"cannot be {value}\nhint: write a day as 2027-03-01", param, ctx)


@click.command("submit", cls=Command)
@click.argument("place", metavar="URL")
@click.argument("run", metavar="RUN")
@click.option("--name", metavar="NAME", help="What the run is called.  [default: the name of the file]")
@click.option("--team", metavar="TEAM", help="Whose run it is, if several of your teams take part.")
@click.option("--description", default="", metavar="TEXT", help="How it was made.")
@click.option("--kind", default="", metavar="WORD", help="Such as automatic or manual.  [default: what the file says]")
@click.option("--link", default="", metavar="URL", help="A paper, or code.")
@click.option("--embargo", type=Day(), help="Do not show it before, where the task allows that.")
@click.option("--anonymous", type=Day(), help="Do not name the team before, where that is allowed.")
@click.option("--dry-run", is_flag=True, help="Only say what is wrong with it: nothing is kept, no attempt is used.")
@click.option("--wait", is_flag=True, help="Wait until it is evaluated; say its value and its rank.")
@click.option("--save-token", "keep", is_flag=True, help="Remember the token for this server.")
@asking_options
def command(
    place: str, run: str, dry_run: bool, wait: bool, keep: bool, token: str | None, form: str | None, **said: str | None
) -> None:
    """Hand in RUN to a task; URL is the address of its page.

    Problems are told as cranfield lint tells them; a file with errors is not taken and uses no attempt (exit 1).

    \b
    Examples:
      cranfield submit https://example.org/tasks/ad-hoc/ bm25.run --dry-run
      cranfield submit https://example.org/tasks/ad-hoc/ bm25.run --wait
      cranfield submit https://example.org/tasks/ad-hoc/ dense.run --json
    """
    server = connect(place, token, must=True)
    task = task_of(server, place)
    file = Path(run)
    if file.is_dir():
        raise InputError(f"{run}: this is a folder, not a file", hint="submit one run at a time", code="E-FOLDER")
    about = {name: text for name, text in said.items() if text}
    about.setdefault("name", run_name(file))
    try:
        _check_size(server, task, file)
        if keep:
            note(f"the token for {server.address.host} is kept in {save_token(server.address.host, server.token)}")
        with progress("sending") as watch:
            path = f"tasks/{task}/{'check' if dry_run else 'submissions'}"
            told = server.send(path, {} if dry_run else about, name="run", file=file, progress=watch)
    except ServerSaid as error:
        if not error.problems:
            raise
        _refuse(run, error.problems, form)
    except KeyboardInterrupt:
        if not dry_run:
            note(f"if the run is in all the same, this says so: cranfield status {place}")
        raise
    if dry_run:
        if not told["good"]:
            _refuse(run, told["problems"], form)
        good = f"{_counted(run, told['problems'])}: the file is as it should be"
        study = _study("submit", told["problems"], None, good)
        show_answer(study, problem_lines(told["problems"]), form)
        click.echo(study.sentence, err=True)
        return
    if wait:
        told = _wait(server, told)
    _show(run, told, form)


def _check_size(server: Server, task: str, file: Path) -> None:
    """Refuse here what the server would refuse after all of it was sent."""
    most = server.get(f"tasks/{task}")["upload_mb"]
    if file.is_file() and file.stat().st_size > most << 20:
        what = f"{file}: the server takes files up to {most} MB"
        raise InputError(what, hint="pack it with gzip or zstd", code="E-SIZE", file=str(file))


def _wait(server: Server, told: Mapping[str, Any]) -> Mapping[str, Any]:
    """Look again until the run is evaluated and stands on the board. It is in, whatever happens here."""
    looks = 0
    try:
        while told["state"] == "received" or (_will_stand(told) and looks < 120):
            time.sleep(WAITS[min(looks, len(WAITS) - 1)])
            looks += 1
            told = server.get(f"submissions/{told['key']}")
    except KeyboardInterrupt:
        note(f"the run is in; look again with: cranfield status {told['url']}")
        raise
    return told


def _will_stand(told: Mapping[str, Any]) -> bool:
    """Whether its rank is still to come: the board is made after the value."""
    return told["state"] == "scored" and told["standing"] is None and told["embargo"] is None


def _show(run: str, told: Mapping[str, Any], form: str | None) -> None:
    rows = told["problems"] or []
    study = _study("submit", rows, told, f"{_counted(run, rows)}: {told['state']}")
    show_answer(study, [*problem_lines(rows), *lines_of(told)], form)
    if told["state"] == "failed":
        raise CranfieldError("the run could not be evaluated", hint=f"see {told['url']}")


def _study(name: str, rows: list[dict[str, Any]], told: Mapping[str, Any] | None, sentence: str) -> Study:
    errors = sum(row["severity"] == "error" for row in rows)
    verdict = {"errors": errors, "warnings": len(rows) - errors, "sentence": sentence}
    tables: dict[str, Table] = {"problems": table_of(rows, PROBLEM, "problems")}
    tables |= {"submission": table_of([row_of(told)] if told else [], (*RUN, *LATER), "the submission")}
    return Study(name, tables, verdict, made_by())


def _counted(run: str, rows: list[dict[str, Any]]) -> str:
    errors = sum(row["severity"] == "error" for row in rows)
    parts = [
        f"{number} {what}{'s' * (number != 1)}"
        for number, what in ((errors, "error"), (len(rows) - errors, "warning"))
        if number
    ]
    return f"{run}: {', '.join(parts) or 'no problems'}"


def _refuse(run: str, rows: list[dict[str, Any]], form: str | None) -> None:
    """Say what is wrong with the file, and that it was not taken."""
    study = _study("submit", rows, None, f"{_counted(run, rows)}: it was not taken")
    show_answer(study, problem_lines(rows), form)
    raise CranfieldError(study.sentence, hint="the hint of each problem says how to mend it; no attempt was used")
