"""Client of the API for the command line, built on the standard library alone."""

from __future__ import annotations

import http.client
import json
import re
import secrets
import socket
import ssl
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import getproxies, proxy_bypass

from cranfield.core import VERSION, CranfieldError, InputError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

PIECE = 1 << 18
SECONDS = 60.0
PLACE = re.compile(r"^(?P<before>.*?)/(?:api/)?(?P<what>tasks|runs|submissions)/(?P<name>[-\w]+)(?:/.*)?$")
EXAMPLE = "https://example.org/tasks/ad-hoc/"
# Where the server speaks to those who write programs.
HINTS = {
    "E-TOKEN": "make a token at {base}/my/tokens/ and give it with --token or $CRANFIELD_TOKEN",
    "E-NOTFOUND": "{base}/ shows what there is; some of it needs the right token",
}


class ServerSaid(CranfieldError):
    """A refusal of the server, in its own words."""

    def __init__(
        self, problem: str, *, hint: str, status: int = 0, code: str = "", problems: list[dict[str, Any]] | None = None
    ) -> None:
        super().__init__(problem, hint=hint)
        self.status, self.code, self.problems = status, code, problems or []


@dataclass(frozen=True, kw_only=True)
class Address:
    """A server, and a task or a run on it."""

    base: str
    task: str = ""
    run: str = ""

    @classmethod
    def of(cls, text: str) -> Address:
        """What somebody copied from the browser: the page of a task or a run, or its place in the API."""
        try:
            parts = urlsplit(text)
            good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
        except ValueError:
            good = False
        if not good:
            raise ParameterError(f"{text} is no address", hint=f"give that of the task's page: {EXAMPLE}")
        found = PLACE.match(parts.path)
        before = found["before"] if found else re.sub(r"/(api/?)?$", "", parts.path)
        base = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{before}"
        if not found:
            return cls(base=base)
        return cls(base=base, **{"task" if found["what"] == "tasks" else "run": found["name"]})

    @property
    def host(self) -> str:
        """Whose token is needed."""
        return urlsplit(self.base).netloc

    @property
    def in_the_clear(self) -> bool:
        """Whether everybody between here and there can read what is sent."""
        parts = urlsplit(self.base)
        return parts.scheme == "http" and parts.hostname not in ("localhost", "127.0.0.1", "::1")


class Form:
    """A form with one file, as a stream: the file is never held in memory."""

    def __init__(self, fields: Mapping[str, str], name: str, path: Path) -> None:
        self.boundary, self.path = f"cranfield-{secrets.token_hex(16)}", path
        parts = [self._head(field) + f"\r\n\r\n{text}\r\n" for field, text in fields.items()]
        shown = path.name.replace("\\", "_").replace('"', "_").replace("\r", "_").replace("\n", "_")
        last = self._head(name) + f'; filename="{shown}"\r\nContent-Type: application/octet-stream\r\n\r\n'
        self.before = "".join([*parts, last]).encode("utf-8", "replace")
        self.after = f"\r\n--{self.boundary}--\r\n".encode()
        try:
            self.file = path.open("rb")
        except OSError as error:
            hint, code = "check the name and the permissions", "E-MISSING" if not path.exists() else "E-PERMISSION"
            raise InputError(f"{path}: {error.strerror}", hint=hint, code=code, file=str(path)) from None
        self.size = path.stat().st_size

    def _head(self, field: str) -> str:
        return f'--{self.boundary}\r\nContent-Disposition: form-data; name="{field}"'

    @property
    def headers(self) -> dict[str, str]:
        """What is said before it."""
        length = len(self.before) + self.size + len(self.after)
        return {"Content-Type": f"multipart/form-data; boundary={self.boundary}", "Content-Length": str(length)}

    def pieces(self, progress: Callable[[int, int], object] | None) -> Iterator[bytes]:
        """Its bytes; ``progress`` is told how many of the file have gone."""
        yield self.before
        sent = 0
        with self.file as file:
            while sent < self.size and (piece := file.read(min(PIECE, self.size - sent))):
                yield piece
                sent += len(piece)
                if progress:
                    progress(sent, self.size)
        if sent < self.size:
            raise InputError(f"{self.path}: it became shorter while it was sent", hint="wait until it is written")
        yield self.after


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What came back."""

    status: int
    kind: str
    body: bytes
    headers: Mapping[str, str]

    def json(self) -> Any:
        """The value that it holds."""
        return json.loads(self.body)


@dataclass(frozen=True)
class Server:
    """A server, and who asks it."""

    address: Address
    token: str = ""

    def get(self, path: str, **query: str) -> Any:
        """What the API answers."""
        return self.ask("GET", path + (f"?{urlencode(query)}" if query else "")).json()

    def post(self, path: str) -> Any:
        """What the API answers to an act."""
        return self.ask("POST", path).json()

    def send(
        self,
        path: str,
        fields: Mapping[str, str],
        *,
        name: str,
        file: Path,
        progress: Callable[[int, int], object] | None = None,
    ) -> Any:
        """What the API answers to a form with a file."""
        return self.ask("POST", path, Form(fields, name, file), progress).json()

    def ask(
        self,
        method: str,
        path: str,
        form: Form | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> Answer:
        """One request; an answer that is not the one wished for is raised."""
        url = f"{self.address.base}/api/{quote(path, safe='/?=&%+-_.')}"
        try:
            given = self._exchange(method, url, form, progress)
        except ssl.SSLCertVerificationError as error:
            hint = "the address may be wrong, or its certificate is not signed by anybody this machine trusts"
            raise ServerSaid(f"{self.address.base}: {error.verify_message}", hint=hint) from None
        except (OSError, http.client.HTTPException) as error:
            raise ServerSaid(f"{self.address.base}: {_why(error)}", hint=_hint(error, form)) from None
        if given.status < 300:
            if given.kind == "text/html":
                raise self._wrong()
            return given
        raise self._refusal(given)

    def _exchange(
        self, method: str, url: str, form: Form | None, progress: Callable[[int, int], object] | None
    ) -> Answer:
        link, target = _link(url)
        try:
            link.putrequest(method, target, skip_accept_encoding=True)
            headers = {"User-Agent": f"cranfield/{VERSION}", "Accept": "*/*", **(form.headers if form else {})}
            headers |= {"Authorization": f"Bearer {self.token}"} if self.token else {}
            headers |= {"Content-Length": "0"} if method == "POST" and not form else {}
            for name, value in headers.items():
                link.putheader(name, value)
            link.endheaders()
            if form:
                # A server that has heard enough answers before the end, and stops to listen: its answer counts.
                with suppress(BrokenPipeError, ConnectionResetError):
                    for piece in form.pieces(progress):
                        link.send(piece)
            given = link.getresponse()
            kind = given.headers.get_content_type()
            return Answer(status=given.status, kind=kind, body=given.read(), headers=dict(given.headers.items()))
        finally:
            link.close()

    def _refusal(self, given: Answer) -> ServerSaid:
        """The server's two lines; ours where it has none."""
        if 300 <= given.status < 400:
            goal = given.headers.get("Location", "another address")
            return ServerSaid(f"{self.address.base} sends to {goal}", hint="give that address", status=given.status)
        try:
            said = given.json()
            problem, hint, code = str(said["error"]), str(said["hint"]), str(said.get("code", ""))
        except (ValueError, KeyError, TypeError, AttributeError):
            if given.status == 413:
                hint = "pack it with gzip or zstd"
                return ServerSaid("the file is larger than the server takes", hint=hint, status=413)
            return self._wrong(given.status)
        hint = HINTS[code].format(base=self.address.base) if code in HINTS else hint
        return ServerSaid(problem, hint=hint, status=given.status, code=code, problems=said.get("problems"))

    def _wrong(self, status: int = 200) -> ServerSaid:
        what = f"{self.address.base}: this is no cranfield server, or another address of it (it answered {status})"
        return ServerSaid(what, hint=f"give the address of the task's page: {EXAMPLE}", status=status)


def _link(url: str) -> tuple[http.client.HTTPConnection, str]:
    """A connection, through the proxy where there is one, and what to ask for on it."""
    parts = urlsplit(url)
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    secure, host = parts.scheme == "https", parts.hostname or ""
    made: type[http.client.HTTPConnection] = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    proxy = "" if proxy_bypass(host) else getproxies().get(parts.scheme, "")
    if not proxy:
        return made(host, parts.port, timeout=SECONDS), target
    through = urlsplit(proxy if "//" in proxy else f"http://{proxy}")
    link = made(through.hostname or "", through.port or 80, timeout=SECONDS)
    if not secure:
        return link, url
    link.set_tunnel(host, parts.port or 443)
    return link, target


def _why(error: Exception) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "nobody answers there"
    if isinstance(error, socket.gaierror):
        return "there is no such host"
    if isinstance(error, TimeoutError):
        return f"no answer within {SECONDS:.0f} seconds"
    if isinstance(error, http.client.HTTPException | ssl.SSLError):
        return "what answers there does not speak the same language"
    return "the connection broke off"


def _hint(error: Exception, form: Form | None) -> str:
    if isinstance(error, ConnectionRefusedError | socket.gaierror):
        return "check the address, and whether the server runs"
    if isinstance(error, ssl.SSLError | http.client.HTTPException) and not isinstance(error, ConnectionError):
        return "check the address: does it start with http:// or https://?"
    if form:
        return "cranfield status says whether the run is in; if not, try again"
    return "try again"
