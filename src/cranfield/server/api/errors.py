"""Error responses of the API: one JSON shape with error, hint, code and problems."""

import logging
from collections.abc import Mapping
from typing import Any

from django.core.exceptions import BadRequest, RequestDataTooBig, SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.multipartparser import MultiPartParserError
from ninja import NinjaAPI, Schema
from ninja.errors import AuthenticationError, ValidationError
from pydantic import Field

from cranfield.core import CranfieldError, InputError
from cranfield.server.site.system_errors import machine_fault
from cranfield.server.site.uploads import too_large
from cranfield.server.submissions.intake import BadRun, Refused

from .schemas import Problem

log = logging.getLogger(__name__)
STATUS = {"E-TEAM": 403, "E-CLOSED": 409, "E-LIMIT": 429, "E-LARGE": 413}  # of a refusal; 422 for all others
TOKENS = "make one on the page /my/tokens/ and send it as: Authorization: Bearer cf_…"


class Said(Schema):
    """What went wrong."""

    error: str = Field(description="What is wrong, in one line.")
    hint: str = Field(description="What to do next.")
    code: str = Field(description="Which rule it was; all codes stand on one page of the documentation.")
    problems: list[Problem] | None = Field(None, description="Of a file: everything that is wrong with it.")


FAULTS = dict.fromkeys((400, 401, 403, 404, 409, 413, 422, 429, 500, 503), Said)


class Fault(CranfieldError):
    """An answer that is not what was asked for."""

    def __init__(
        self, status: int, error: str, *, hint: str, code: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(error, hint=hint)
        self.status, self.code, self.headers = status, code, headers or {}


def unknown() -> Fault:
    """Not there, or not to be seen: the answer does not say which."""
    return Fault(404, "there is no such thing, or it is not for your eyes", hint="GET /api/tasks", code="E-NOTFOUND")


def forbidden(what: str, hint: str) -> Fault:
    """What somebody knows of, and may not do."""
    return Fault(403, what, hint=hint, code="E-RIGHT")


def answer(
    status: int, error: str, *, hint: str, code: str, problems: list[dict[str, Any]] | None = None
) -> JsonResponse:
    """The four fields."""
    said: dict[str, Any] = {"error": error, "hint": hint, "code": code}
    if problems is not None:
        said["problems"] = problems
    return JsonResponse(said, status=status, json_dumps_params={"ensure_ascii": False})


def of_error(request: HttpRequest, error: Exception | type[Exception]) -> HttpResponse:
    """The answer to anything that was raised."""
    if request.META.get("cranfield.too_large"):  # the file was not read to its end, so no field is there
        cap = too_large()
        return answer(413, cap.problem, hint=cap.hint, code=cap.code or "E-LARGE")
    match error:
        case Fault():
            told = answer(error.status, error.problem, hint=error.hint, code=error.code)
            for name, value in error.headers.items():
                told[name] = value
            return told
        case AuthenticationError():
            told = answer(401, "this is for people with a token", hint=TOKENS, code="E-TOKEN")
            told["WWW-Authenticate"] = "Bearer"
            return told
        case Http404():
            return of_error(request, unknown())
        case ValidationError():
            return _of_fields(error)
        case BadRun():
            first = error.checked.errors[0]
            return answer(422, error.problem, hint=error.hint, code=first["code"], problems=error.checked.problems)
        case Refused():
            return answer(STATUS.get(error.code, 422), error.problem, hint=error.hint, code=error.code)
        case InputError():
            return answer(422, error.problem, hint=error.hint, code=error.code or "E-REQUEST")
        case CranfieldError():
            return answer(422, error.problem, hint=error.hint, code="E-REQUEST")
        case RequestDataTooBig() | MultiPartParserError() | SuspiciousOperation() | BadRequest():
            return answer(400, "the request makes no sense", hint="see /api/docs", code="E-REQUEST")
    assert isinstance(error, Exception)
    return _of_ours(request, error)


def _of_fields(error: ValidationError) -> HttpResponse:
    """A field that is missing or wrong; an address that nothing can have is one where nothing is."""
    first = error.errors[0]
    place = [str(one) for one in first["loc"]]
    if place[0] == "path":
        fault = unknown()
        return answer(fault.status, fault.problem, hint=fault.hint, code=fault.code)
    said = first["msg"].removeprefix("Value error, ")
    what = f"{place[-1]}: {said[:1].lower()}{said[1:]}"
    return answer(422, what, hint="/api/docs says what each field holds", code="E-REQUEST")


def _of_ours(request: HttpRequest, error: Exception) -> HttpResponse:
    """Something that the sender can do nothing about."""
    said = machine_fault(error)
    if said is not None:
        log.error("%s: %s", request.path, error)
        return answer(503, said, hint="try again later", code="E-SERVER")
    log.exception("%s", request.path, exc_info=error)
    what = "something went wrong in the server"
    return answer(500, what, hint="it has been written down; try again later", code="E-SERVER")


def listen(api: NinjaAPI) -> None:
    """Let every error of an API be answered here."""
    for kind in (Exception, Http404, ValidationError, AuthenticationError):
        api.add_exception_handler(kind, of_error)
