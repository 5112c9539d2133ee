"""Error pages for the HTTP statuses 400, 403, 404 and 500 and for failed CSRF checks."""

from __future__ import annotations

import sys
from typing import Any

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from cranfield.server.site.system_errors import machine_answer, machine_fault


def _page(request: HttpRequest, status: int, said: str, hint: str) -> HttpResponse:
    if request.path.startswith("/api/"):  # before the API itself could answer
        code = "E-REQUEST" if status < 500 else "E-SERVER"
        return JsonResponse({"error": said, "hint": hint, "code": code}, status=status)
    return render(request, "server/fault.html", {"said": said, "hint": hint, "status": status}, status=status)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """The request makes no sense."""
    if isinstance(exception, DisallowedHost):
        hint = "Use the address that its operator gave, or ask them to add this name to hosts in cranfield.toml."
        return _page(request, 400, "This server does not answer to that name.", hint)
    return _page(request, 400, "This request makes no sense to the server.", "Go back, and try again.")


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Not for this account."""
    return _page(request, 403, "This is not for your account.", "Log in with another one, or ask the organisers.")


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Not there, or not to be seen: the page does not say which."""
    return _page(request, 404, "There is no such page, or it is not for your eyes.", "Start at the list of tasks.")


def server_error(request: HttpRequest) -> HttpResponse:
    """A fault of ours, or of the machine where nobody else could say so: before a page is asked, and after it."""
    blamed = machine_fault(sys.exception())
    if blamed is not None:
        return machine_answer(request, blamed)
    return _page(request, 500, "Something went wrong in the server.", "It has been written down. Try again later.")


def csrf_failed(request: HttpRequest, reason: str = "", **more: Any) -> HttpResponse:
    """The form did not come from our own page."""
    del reason, more
    return _page(request, 403, "The form was too old, or did not come from this site.", "Open the page again.")
