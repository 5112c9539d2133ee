"""cranfield download: download the files of a task or a run."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from cranfield.cli.options.usage_errors import Command
from cranfield.cli.output.atomic_files import whole
from cranfield.core import InputError
from cranfield.server.api.client import Server, ServerSaid
from cranfield.server.site.csv_output import board_to_csv

from .server_requests import asking_options, connect


@click.command("download", cls=Command)
@click.argument("place", metavar="URL")
@click.option("-o", "--output", default=".", metavar="FOLDER", help="Where the files go.  [default: here]")
@asking_options
def command(place: str, output: str, token: str | None, form: str | None) -> None:
    """Fetch what a server has, as files.

    Of a task: the newest board as JSON and CSV, its judgments where they are public, and your own runs. Of a run: the
    file itself.

    \b
    Examples:
      cranfield download https://example.org/tasks/ad-hoc/ -o ad-hoc
      cranfield download https://example.org/runs/0123456789ab/ -o ad-hoc
    """
    server = connect(place, token)
    folder = Path(output)
    if output == "-":
        raise InputError("the files go to a folder, not to a pipe", hint="name a folder: -o FOLDER")
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{output}: this is a file, not a folder", hint="name another folder")
    if server.address.run:
        fetched = [_run(server, server.get(f"submissions/{server.address.run}"))]
    elif server.address.task:
        fetched = _task(server, server.address.task)
    else:
        fetched = [("tasks.json", _json(server.get("tasks")))]
    for name, content in fetched:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        with whole(str(folder / name)) as goal:
            goal.write_bytes(content)
    names = [str(folder / name) for name, _ in fetched]
    click.echo(json.dumps(names) if form == "json" else "\n".join(names))


def _task(server: Server, task: str) -> list[tuple[str, bytes]]:
    """The files of a task."""
    files: list[tuple[str, bytes]] = []
    about = server.get(f"tasks/{task}")
    if about["board"]:
        answer = server.ask("GET", f"tasks/{task}/board")
        files += [("board.json", answer.body), ("board.csv", board_to_csv(answer.json()["rows"]).encode())]
    if about["version"]:
        try:
            files.append(("qrels.txt", server.ask("GET", f"tasks/{task}/labels/{about['version']}").body))
        except ServerSaid as error:
            if error.status != 404:  # they are not public
                raise
    if server.token:
        for run in server.get("submissions", task=task):
            name, content = _run(server, run)
            taken = any(other.lower() == f"runs/{name}".lower() for other, _ in files)  # "a b" and "a_b"
            files.append((f"runs/{run['key']}-{name}" if taken else f"runs/{name}", content))
    if not files:
        raise InputError(f"{task}: there is nothing to download yet", hint="wait for the first board")
    return files


def _run(server: Server, run: Mapping[str, Any]) -> tuple[str, bytes]:
    """A run under a name that can do no harm, whatever its server says."""
    content = server.ask("GET", f"submissions/{run['key']}/file").body
    name = re.sub(r"[^\w.+@=-]", "_", run["name"] or run["key"]).lstrip(".") or run["key"]
    packed = {b"\x1f\x8b": ".gz", b"BZ": ".bz2", b"\xfd7": ".xz", b"\x28\xb5": ".zst"}.get(content[:2], "")
    return f"{name}.run{packed}", content


def _json(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()
