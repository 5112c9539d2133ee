"""Middleware for HEAD requests, ``Retry-After`` headers, uploads and system errors."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from django.http import UnreadablePostError

from .rate_limits import WAIT
from .system_errors import machine_answer, machine_fault

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponse, HttpResponseBase

log = logging.getLogger(__name__)


class HeadMiddleware:
    """What is asked for its head alone is made whole: the web server leaves out the rest, and no page has to know."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.method != "HEAD":
            return self.get_response(request)
        request.method = "GET"
        try:
            return self.get_response(request)
        finally:
            request.method = "HEAD"


class FaultMiddleware:
    """A full disk, a folder that may not be written, a database that is away: a clear page, and nothing half done."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        answer = self.get_response(request)
        if answer.status_code == 429 and WAIT in request.META:
            answer.headers["Retry-After"] = str(request.META[WAIT])
        return answer

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponseBase], args: Any, options: Any
    ) -> HttpResponse | None:
        """Take in files here, before anybody else looks for a field of the form: a full disk is found out here."""
        del view, args, options
        if request.content_type != "multipart/form-data" or request.path.startswith(
            "/api/"
        ):  # that asks for a token first
            return None
        try:
            request.FILES  # noqa: B018  # reading it is what takes them in
        except UnreadablePostError:
            return None  # whoever sent it has gone
        except OSError as error:
            return self.process_exception(request, error)
        return None

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """The page for what the machine is to blame for; everything else is a fault of ours."""
        said = machine_fault(error)
        if said is None:
            return None
        log.error("%s: %s", request.path, error)
        return machine_answer(request, said)
