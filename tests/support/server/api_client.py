"""A client of the API with a token, JSON in and out."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from cranfield.server.models import Token

if TYPE_CHECKING:
    from tests.support.server.users_and_tasks import World


@dataclass(frozen=True)
class Said:
    """An answer."""

    status: int
    told: Any
    headers: dict[str, str]
    body: bytes

    def refused(self, status: int, code: str) -> dict[str, Any]:
        """What was said in a refusal, which always has the same fields."""
        assert (self.status, self.told["code"]) == (status, code), (self.status, self.told)
        assert self.told["error"]
        assert self.told["hint"]
        assert set(self.told) <= {"error", "hint", "code", "problems"}
        found: dict[str, Any] = self.told
        return found


@dataclass(frozen=True)
class Program:
    """A program with a token, or without one."""

    token: str = ""

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    def get(self, path: str, **headers: str) -> Said:
        return _said(Client().get(f"/api/{path}", headers={**self.headers, **headers}))

    def post(self, path: str, file: str | bytes | None = None, *, field: str = "run", **fields: str) -> Said:
        given: dict[str, Any] = dict(fields)
        if file is not None:
            content = file.encode() if isinstance(file, str) else file
            given[field] = SimpleUploadedFile("sent.run", content)
        return _said(Client(enforce_csrf_checks=True).post(f"/api/{path}", given, headers=self.headers))


def _said(answer: Any) -> Said:
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    kind = answer.headers.get("Content-Type", "")
    told = json.loads(body) if kind.startswith("application/json") else None
    return Said(answer.status_code, told, dict(answer.headers.items()), body)


def program(world: World, name: str | None = None, scope: str = Token.ORGANISE, *, days: int = 1) -> Program:
    """A program of somebody."""
    if name is None:
        return Program()
    _, text = Token.make(world.people[name], f"of {name}", scope, timezone.now() + timedelta(days=days))
    return Program(text)
