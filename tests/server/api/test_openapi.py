"""The OpenAPI of the API says the truth: whatever is asked, the answer is one of those it names."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from django.test import Client
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from cranfield.server.api import authentication
from cranfield.server.models import Submission
from tests.support.server.api_client import program

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.run_size import Size
    from tests.support.server.users_and_tasks import World

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    response_headers_conformance,
    unsupported_method,
]


def document() -> dict[str, Any]:
    found: dict[str, Any] = Client().get("/api/openapi.json").json()
    return found


OPERATIONS = sorted(
    f"{method.upper()} {path}"
    for path, methods in {
        "/api/health": ["get"],
        "/api/measures": ["get"],
        "/api/submissions": ["get"],
        "/api/submissions/{key}": ["get"],
        "/api/submissions/{key}/file": ["get"],
        "/api/submissions/{key}/values": ["get"],
        "/api/submissions/{key}/withdraw": ["post"],
        "/api/tasks": ["get"],
        "/api/tasks/{slug}": ["get"],
        "/api/tasks/{slug}/audit": ["get"],
        "/api/tasks/{slug}/board": ["get"],
        "/api/tasks/{slug}/boards/{n}": ["get"],
        "/api/tasks/{slug}/check": ["post"],
        "/api/tasks/{slug}/close": ["post"],
        "/api/tasks/{slug}/labels": ["get", "post"],
        "/api/tasks/{slug}/labels/{n}": ["get"],
        "/api/tasks/{slug}/left": ["get"],
        "/api/tasks/{slug}/submissions": ["post"],
    }.items()
    for method in methods
)


WITHOUT_FIELDS = {"GET /api/health", "GET /api/measures", "GET /api/tasks"}  # where nothing can be wrong


def test_the_list_of_requests_is_whole(world: World) -> None:
    del world
    found = {f"{method.upper()} {path}" for path, methods in document()["paths"].items() for method in methods}
    assert found == set(OPERATIONS)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nobody asks too often, and the transaction of the test outlives a request."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    for name in ("PER_TOKEN", "PER_ADDRESS"):
        monkeypatch.setattr(authentication, name, replace(getattr(authentication, name), most=1_000_000))
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_answer_is_one_that_is_named(world_of_threads: World, operation: str, size: Size) -> None:
    world = world_of_threads  # work is done beside the test, and sees its rows
    task = world.filled(private=4, labels_public=True, limit=1000, most=10_000)
    world.teams["Alpha"].people.add(world.people["organiser"])
    known = {"slug": task.slug, "key": Submission.objects.get(name="ideal").key, "n": 1}
    method, _, path = operation.partition(" ")
    asked = schemathesis.openapi.from_wsgi("/api/openapi.json", get_wsgi_application())[path][method]
    few = settings(max_examples=max(5, size.examples // 10), deadline=None, suppress_health_check=list(HealthCheck))

    def ask(mode: GenerationMode, headers: dict[str, str], *, there: bool) -> None:
        @few
        @given(case=asked.as_strategy(generation_mode=mode))
        def check(case: schemathesis.Case[Any]) -> None:
            if there and isinstance(case.path_parameters, dict):  # of names made up, none is there
                case.path_parameters = {name: known[name] for name in case.path_parameters}
            case.call_and_validate(headers={**headers, "Accept-Encoding": "identity"}, checks=CHECKS)

        check()

    modes = [GenerationMode.POSITIVE] + [GenerationMode.NEGATIVE] * (operation not in WITHOUT_FIELDS)
    for headers in ({}, program(world, "organiser").headers):
        for mode in modes:
            ask(mode, headers, there=True)
        ask(GenerationMode.POSITIVE, headers, there=False)


def test_the_page_of_the_api_needs_no_other_site(world: World) -> None:
    del world
    answer = Client().get("/api/docs")
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "https://" not in page
    assert (
        "'unsafe-inline'" not in answer.headers["Content-Security-Policy"].partition("script-src")[2].partition(";")[0]
    )
