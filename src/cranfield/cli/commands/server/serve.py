"""cranfield serve: run a leaderboard server."""

import errno
import fcntl
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

import click

from cranfield.cli.options.usage_errors import Command, Whole
from cranfield.core import ParameterError

from .server_home import home_options


@click.command("serve", cls=Command)
@home_options
@click.option("--address", default="127.0.0.1", show_default=True, metavar="IP", help="Where it listens.")
@click.option("--port", type=Whole(), default=8000, show_default=True, help="The port it listens on.")
@click.option("--workers", type=Whole(least=0), default=1, show_default=True, help="Processes that evaluate runs.")
@click.option("--certificate", default="", metavar="FILE", help="The certificate for TLS, as PEM.")
@click.option("--key", default="", metavar="FILE", help="Its key, as PEM.")
@click.option("--insecure", is_flag=True, help="A public address without TLS: a proxy in front of it does that.")
def command(
    home: str, database: str, address: str, port: int, workers: int, certificate: str, key: str, insecure: bool
) -> int:
    """Serve leaderboards from one folder, until Ctrl-C.

    The folder is made if it is not there: database, runs, secrets, settings (cranfield.toml). At the first start a link
    is shown, once, that makes the account of the operator.

    \b
    Examples:
      cranfield serve --home boards
      cranfield serve --home boards --port 8080 --workers 2
      cranfield serve --home boards --certificate cert.pem --key key.pem
    """
    from cranfield.server.jobs.processes import Serving, serve

    how = Serving(
        home=os.path.abspath(home),  # noqa: PTH100  # the children may stand elsewhere; links stay as they are
        address=address,
        port=port,
        workers=workers,
        certificate=certificate,
        key=key,
        insecure=insecure,
        database=database,
    )
    how.check()
    for file in filter(None, (certificate, key)):
        if not Path(file).is_file():
            raise ParameterError(f"{file}: there is no such file", hint="--certificate and --key name PEM files")
    with alone(home), _words_apart() as data:
        check_free(address, port)
        return serve(how, say=_say, ready=lambda url, first: _ready(url, first, home, data))


def _say(text: str) -> None:
    click.echo(text, err=True)


def _ready(url: str, first: str, home: str, data: TextIO) -> None:
    """The server answers: where, and how to begin."""
    if first:
        _say(f"nobody has an account yet; this link makes the operator's, once:\n  {first}")
    _say(f"serving {home}; Ctrl-C ends it")
    click.echo(url, file=data)


@contextmanager
def _words_apart() -> Iterator[TextIO]:
    """Stdout for the address alone: what the web server has to say of itself, it says there too."""
    sys.stdout.flush()
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as data:
        os.dup2(2, 1)
        try:
            yield data
        finally:
            os.dup2(data.fileno(), 1)


@contextmanager
def alone(home: str) -> Iterator[None]:
    """One server for a home: the lock goes with the process, however that ends."""
    try:
        Path(home).mkdir(parents=True, exist_ok=True)
        lock = os.open(Path(home) / "serve.lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise ParameterError(f"{home}: {error.strerror}", hint="name a folder you may write to: --home") from None
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            other = os.pread(lock, 20, 0).decode("ascii", "replace").strip()
            who = f" (process {other})" if other else ""
            hint = "end that one first, or name another folder: --home"
            raise ParameterError(f"{home} is being served already{who}", hint=hint) from None
        os.ftruncate(lock, 0)
        os.pwrite(lock, str(os.getpid()).encode(), 0)
        yield
    finally:
        with suppress(OSError):
            os.close(lock)


def check_free(address: str, port: int) -> None:
    """Say at once, and in words, that nobody can listen there."""
    if port > 65535:
        raise ParameterError(f"there is no port {port}", hint="ports go from 1 to 65535")
    try:
        kind, *_, place = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        with socket.socket(kind, socket.SOCK_STREAM) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(place)
            trial.listen(1)
    except socket.gaierror:
        raise ParameterError(f"{address} is no address of this machine", hint="127.0.0.1 is the usual one") from None
    except OSError as error:
        what = f"nobody can listen on port {port} of {address}: {(error.strerror or str(error)).lower()}"
        hint = f"choose another: --port {port + 1 if port < 65535 else 8000}"
        if error.errno == errno.EADDRNOTAVAIL:
            hint = "this machine has no such address; 127.0.0.1 is the usual one"
        raise ParameterError(what, hint=hint) from None
