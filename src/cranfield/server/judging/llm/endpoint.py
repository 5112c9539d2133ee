"""HTTP client of the operator's endpoint for chat completions.

The rules are those of :mod:`cranfield.server.jobs.outbound_http` with two exceptions. The operator may name an address
in the local network, and a model has more time to answer than a receiver of webhooks.
"""

from __future__ import annotations

import http.client
import json
import os
import socket
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from cranfield.core import CranfieldError, ParameterError

SECONDS = 120.0  # for one question, from the first packet to the whole answer
BYTES = 1 << 20  # of an answer
SAID = 200  # characters of what an endpoint says of an error
LONGEST = 3600.0  # seconds that an endpoint may ask to wait
OK = 200
LATER = {408, 409, 425, 429}  # and 5xx: ask again
THIS = {400, 413, 422}  # it is what was asked that is refused: another document may do


class NoAnswer(CranfieldError):
    """A question that was not answered, and why."""

    def __init__(self, problem: str, *, again: bool = True, this: bool = False, wait: float = 0) -> None:
        super().__init__(problem, hint="the operator may know more: the endpoint is theirs")
        self.again = again  # it may be answered later
        self.this = this  # another question may be answered
        self.wait = wait  # seconds that the endpoint asks for


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a model said."""

    text: str
    model: str  # as the endpoint calls it
    seconds: float
    tokens: dict[str, int]  # as far as the endpoint tells


@dataclass
class Late:
    """Whether the time for an answer is over, and what is cut then: a connection forgets its socket before that."""

    wire: socket.socket | None = None
    is_late: bool = False

    def cut(self) -> None:
        """End a connection from beside: whoever waits for it wakes up."""
        self.is_late = True
        if self.wire is not None:
            with suppress(OSError):
                socket.socket.shutdown(self.wire, socket.SHUT_RDWR)


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """An address, the models there, and the key, which is never shown."""

    url: str
    models: tuple[str, ...]
    key: str = field(default="", repr=False)

    @property
    def host(self) -> str:
        """Who gets the texts."""
        return urlsplit(self.url).hostname or ""

    def ask(self, model: str, prompt: str) -> Answer:
        """One question, one answer, as little left to chance as the endpoint allows."""
        asked = {"model": model, "messages": [{"role": "user", "content": prompt}], "temperature": 0}
        began = time.monotonic()
        status, wait, content = self._post(json.dumps(asked).encode())
        seconds = time.monotonic() - began
        try:
            told = json.loads(content)
        except (ValueError, RecursionError):
            told = None
        if status != OK:
            moved = "a redirect, which is not followed" if 300 <= status < 400 else ""
            words = moved or self._clean(_error(told))[:SAID]
            again = status in LATER or status >= 500
            problem = f"the endpoint answered {status}{': ' if words else ''}{words}"
            raise NoAnswer(problem, again=again, this=status in THIS, wait=_seconds(wait))
        try:
            text, usage = told["choices"][0]["message"]["content"], told.get("usage") or {}
            named = str(told.get("model") or model)
            tokens = {name: n for name, n in usage.items() if name.endswith("_tokens") and isinstance(n, int)}
        except (TypeError, KeyError, IndexError, AttributeError):
            raise NoAnswer("the endpoint's answer is no chat completion") from None
        text = text if isinstance(text, str) else ""  # nothing, where a model refuses
        return Answer(text=self._clean(text), model=self._clean(named)[:SAID], seconds=seconds, tokens=tokens)

    def _post(self, body: bytes) -> tuple[int, str, bytes]:
        """Status, how long to wait, and content of an answer."""
        parts = urlsplit(self.url)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        link = kind(self.host, parts.port, timeout=SECONDS)
        # A timeout counts from packet to packet: an answer that drips would hold a worker for ever.
        late = Late()
        alarm = threading.Timer(SECONDS, late.cut)
        alarm.start()
        try:
            status, wait, content = self._exchange(link, f"{parts.path.rstrip('/')}/chat/completions", body, late)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise NoAnswer(f"no answer{_why(error, late)}") from None
        finally:
            alarm.cancel()
            link.close()
        if len(content) > BYTES:
            raise NoAnswer("the endpoint's answer is too long", again=False, this=True)
        return status, wait, content

    def _exchange(
        self, link: http.client.HTTPConnection, target: str, body: bytes, late: Late
    ) -> tuple[int, str, bytes]:
        """A redirect is an answer like any other, and is not followed: the key is for one host."""
        link.connect()
        late.wire = link.sock
        if late.is_late:  # there was nothing to cut yet
            raise TimeoutError
        headers = {"Content-Type": "application/json", "User-Agent": "cranfield"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        link.request("POST", target, body, headers)
        with link.getresponse() as answer:
            content = answer.read(BYTES + 1)
        if late.is_late:  # half an answer is none
            raise TimeoutError
        return answer.status, answer.headers.get("Retry-After", ""), content

    def _clean(self, text: str) -> str:
        """What can be kept and shown: no key, whoever repeats it."""
        return storable(text.replace(self.key, "…") if self.key else text)


def storable(text: str) -> str:
    """A text without what a database refuses."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()


def find_endpoint() -> Endpoint:
    """The endpoint that the operator has set up; refused where there is none."""
    told = settings.OPTIONS
    if not told.machine_url or not told.machine_models:
        hint = "the settings machine_url and machine_models name an endpoint and its models"
        raise ParameterError("the operator of this server has not set up machines", hint=hint)
    key = os.environ.get(told.machine_key_variable, "").strip() if told.machine_key_variable else ""
    if told.machine_key_variable and not (key and key.isascii() and key.isprintable()):
        hint = "the operator sets the environment variable that machine_key_variable names"
        raise ParameterError("this server has no key for its machines", hint=hint)
    return Endpoint(url=told.machine_url, models=tuple(told.machine_models), key=key)


def _error(told: Any) -> str:
    """What an endpoint says of an error, in any of the usual places."""
    said = told.get("error", told.get("message")) if isinstance(told, dict) else None
    said = said.get("message") if isinstance(said, dict) else said
    return " ".join(said.split()) if isinstance(said, str) else ""


def _seconds(wait: str) -> float:
    """How long Retry-After asks to wait: seconds, or a date."""
    if wait.isascii() and wait.isdecimal() and len(wait) < 10:
        return min(float(wait), LONGEST)
    with suppress(ValueError, TypeError):
        date = parsedate_to_datetime(wait)
        date = date if date.tzinfo else date.replace(tzinfo=UTC)
        return min(max((date - datetime.now(UTC)).total_seconds(), 0.0), LONGEST)
    return 0.0


def _why(error: Exception, late: Late) -> str:
    """In words of ours: those of the error may repeat what was sent."""
    if late.is_late or isinstance(error, TimeoutError):
        return f" within {SECONDS:g} seconds"
    said = error.strerror if isinstance(error, OSError) else None
    return f": {said or type(error).__name__}"
