"""Connection options and display of responses, shared by the remote commands."""

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from cranfield.cli.options.usage_errors import OneOf
from cranfield.cli.output.command_output import note, put, typed
from cranfield.core import ParameterError, Provenance, Study, Table
from cranfield.core.rendering import visible
from cranfield.server.api.client import EXAMPLE, Address, Server

from .api_tokens import VARIABLE, find_token, saved_tokens

F = TypeVar("F", bound=Callable[..., object])
SECRET = re.compile(r"(--token[= ])\S+")

PROBLEM = ("file", "line", "code", "severity", "message", "hint")
RUN = ("key", "task", "team", "name", "state", "position", "measure", "value", "rank", "rank_low", "rank_high", "of")
LATER = ("released", "private", "failure", "url")


def asking_options(function: F) -> F:
    """A token, and the form of the answer."""
    function = click.option("--json", "form", flag_value="json", help="Short for --format json.")(function)
    function = click.option("--format", "form", type=OneOf(["text", "json"]), help="How to show the answer.")(function)
    text = f"Who you are: made on your page of tokens.  [default: ${VARIABLE}, or what was saved]"
    return click.option("--token", metavar="TOKEN", help=text)(function)


def connect(place: str, token: str | None, *, must: bool = False) -> Server:
    """The server behind an address, with the token that is meant for it."""
    address = Address.of(place)
    found = find_token(token, address.host)
    if must and not found:
        hint = f"make a token at {address.base}/my/tokens/ and give it with --token or ${VARIABLE}"
        raise ParameterError(f"{address.host} wants to know who you are", hint=hint)
    if found and address.in_the_clear:
        note(f"{address.base} is not encrypted: others may read your token")
    return Server(address, found)


def task_of(server: Server, place: str) -> str:
    """The task that an address names."""
    if not server.address.task:
        raise ParameterError(f"{place} is not the address of a task", hint=f"give that of its page: {EXAMPLE}")
    return server.address.task


def by_key(text: str) -> str:
    """The address of a run that was given by its key alone: on the one server whose token was saved."""
    hosts = list(saved_tokens())
    if len(hosts) != 1:
        hint = "give its whole address, as submit printed it"
        raise ParameterError(f"it is not clear on which server the run {text} is", hint=hint)
    scheme = "http" if hosts[0].partition(":")[0] in ("localhost", "127.0.0.1") else "https"
    return f"{scheme}://{hosts[0]}/runs/{text}/"


def row_of(run: Mapping[str, Any]) -> dict[str, Any]:
    """A run in one row: its state, its value on public topics, its rank."""
    standing = run["standing"] or {}
    more = {name: standing.get(name) for name in ("rank", "rank_low", "rank_high", "of")}
    private = (run["private"] or {}).get(run["measure"])
    row = {**run, **more, "value": (run["values"] or {}).get(run["measure"]), "private": private}
    return {name: row[name] for name in (*RUN, *LATER)}


def table_of(rows: list[dict[str, Any]], columns: tuple[str, ...], caption: str) -> Table:
    """Rows of an answer as a table."""
    return Table.from_rows(rows, columns, caption=caption, made_by=made_by())


def made_by() -> Provenance:
    """The command as it was typed. Who is given the answer is not given the token."""
    return Provenance(command=SECRET.sub(r"\1…", typed()))


def lines_of(run: Mapping[str, Any], *, task: bool = False) -> list[str]:
    """A run as people read it: what it is (with its task, where there are several), how it stands, where it is."""
    row = row_of(run)
    where = f" in {row['task']}" * task
    lines = [f"{row['name'] or 'anonymous'}{where}: {_state(row)}"]
    if row["value"] is not None:
        lines.append(f"  {row['measure']} {row['value']:.4f} on public topics")
    if row["private"] is not None:
        lines.append(f"  {row['measure']} {row['private']:.4f} on private topics")
    elif row["released"] is not None:
        lines.append(f"  {row['measure']} {row['released']:g} on private topics, as far as it is told")
    if row["rank"] is not None:
        between = f" ({row['rank_low']:g}–{row['rank_high']:g})" if row["rank_low"] is not None else ""
        lines.append(f"  rank {row['rank']}{between} of {row['of']}")
    return [*lines, f"  {row['url']}"]


def _state(row: Mapping[str, Any]) -> str:
    match row["state"]:
        case "received":
            place = row["position"]
            return "received" + (
                "" if place is None else ", being evaluated" if place == 0 else f", {place} in the queue"
            )
        case "scored":
            return "evaluated"
        case "failed":
            return f"failed: {row['failure'] or 'ask the organisers'}"
    return str(row["state"])


def show_answer(study: Study, lines: list[str], form: str | None) -> None:
    """Lines for people, or the whole answer for programs."""
    if form == "json":
        put(study.json_pieces(), None)
    elif lines:
        put("".join(f"{visible(line)}\n" for line in lines), None)
