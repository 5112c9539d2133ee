"""REST API object: routers, OpenAPI schema and JSON errors."""

from collections.abc import Callable
from functools import cached_property, wraps
from typing import Any

from django.http import Http404, HttpRequest, HttpResponseBase
from django.urls import URLPattern, path
from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation

from .errors import answer, listen, of_error, unknown
from .organiser_routes import router as about_organising
from .server_routes import router as about_server
from .submission_routes import router as about_runs
from .task_routes import router as about_tasks

ABOUT = """\
Tasks, boards and runs for programs. Send a token from the page /my/tokens/ as `Authorization: Bearer cf_…`; without
one you see what everybody sees. Cookies are not looked at. Every error has the fields `error`, `hint` and `code`."""


class Api(NinjaAPI):
    """An API that answers in JSON even where Django would show a page."""

    def get_openapi_operation_id(self, operation: Operation) -> str:
        """The name of its function."""
        return operation.view_func.__name__

    @cached_property
    def _schema(self) -> OpenAPISchema:
        return super().get_openapi_schema()

    def get_openapi_schema(self, **where: Any) -> OpenAPISchema:
        """What may be asked of it: it stands at one place, and is told once, for telling takes half a second."""
        del where
        return self._schema

    @property
    def urls(self) -> tuple[list[Any], str, str]:
        """Everything that is there, and one answer for all that is not."""
        found, app, namespace = super().urls
        for one in found:
            if isinstance(one, URLPattern):
                one.callback = _in_json(one.callback)
        return [*found, path("<path:rest>", _nothing)], app, namespace


def _in_json(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    @wraps(view)
    def answered(request: HttpRequest, *words: Any, **named: Any) -> HttpResponseBase:
        try:
            given = view(request, *words, **named)
        except Http404:
            return of_error(request, unknown())
        if given.status_code == 405:
            allowed = given.headers["Allow"]
            given = answer(405, f"{request.method} is not possible here", hint=f"use {allowed}", code="E-REQUEST")
            given["Allow"] = allowed
        return given

    return answered


def _nothing(request: HttpRequest, rest: str) -> HttpResponseBase:
    del rest
    return of_error(request, unknown())


_nothing.csrf_exempt = True  # type: ignore[attr-defined]  # there is nothing to forge

api = Api(title="cranfield", version="1", description=ABOUT, urls_namespace="api")
listen(api)
for _part in (about_tasks, about_runs, about_organising, about_server):
    for _view in _part.path_operations.values():
        for _asked in _view.operations:  # a sentence says more than the name of a function
            _asked.summary = (_asked.description or "").partition(".")[0].partition(";")[0].partition(":")[0]
    api.add_router("", _part)
