"""API routes for the measure catalogue and the server's health."""

from typing import Any

from django.db import connection
from django.http import HttpRequest
from ninja import Router

from cranfield.core import VERSION
from cranfield.measures import catalogue

from .authentication import ANYBODY, OPEN
from .errors import FAULTS
from .schemas import Health, Measure

router = Router(tags=["server"], auth=ANYBODY)


@router.get("/measures", response={200: list[Measure], **FAULTS}, openapi_extra=OPEN)
def measures(request: HttpRequest) -> list[dict[str, Any]]:
    """The catalogue of measures."""
    del request
    return [dict(row) for row in catalogue().rows()]


@router.get("/health", response={200: Health, **FAULTS}, openapi_extra=OPEN)
def health(request: HttpRequest) -> dict[str, Any]:
    """Whether the server and its database answer."""
    del request
    with connection.cursor() as cursor:
        cursor.execute("select 1")
    return {"status": "ok", "version": VERSION}
