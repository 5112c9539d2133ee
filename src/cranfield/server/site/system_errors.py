"""Recognise a full disk, an unwritable folder or an unreachable database, and answer with 503."""

from __future__ import annotations

import errno
from pathlib import Path
from shutil import disk_usage
from typing import TYPE_CHECKING

from django.db import InterfaceError, OperationalError, connection
from django.http import JsonResponse
from django.shortcuts import render

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

FULL = {errno.ENOSPC, errno.EDQUOT}
ROOM = 1 << 20  # bytes that are as good as none
CLOSED = {errno.EROFS, errno.EACCES, errno.EPERM}


def machine_fault(error: BaseException | None) -> str | None:
    """What is wrong with the machine, in words for everybody; None if the error is not the machine's."""
    if isinstance(error, OSError) and error.errno in FULL:
        return "The disk of this server is full. Nothing was taken, nothing was lost."
    if isinstance(error, OSError) and error.errno in CLOSED:
        return "This server may not write to its folder. Nothing was taken, nothing was lost."
    if isinstance(error, OperationalError | InterfaceError):
        words = str(error).lower()
        if "full" in words or "no space left" in words or _no_room():
            return "The disk of this server is full. Nothing was taken, nothing was lost."
        if "readonly" in words or "read-only" in words:
            return "This server may not write to its database. Nothing was taken, nothing was lost."
        return "The database of this server does not answer. Nothing was taken, nothing was lost."
    return None


def _no_room() -> bool:
    """Whether the disk of a database that is a file is full: SQLite may call that an I/O error as well."""
    if connection.vendor != "sqlite":
        return False
    try:
        return disk_usage(Path(connection.settings_dict["NAME"]).parent).free < ROOM
    except OSError:
        return False


def machine_answer(request: HttpRequest, said: str) -> HttpResponse:
    """The page that says so; for programs, the fields of every error of the API."""
    if request.path.startswith("/api/"):
        return JsonResponse({"error": said, "hint": "try again later", "code": "E-SERVER"}, status=503)
    return render(request, "server/fault.html", {"said": said, "status": 503}, status=503)
