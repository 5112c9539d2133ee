"""Uploaded files that wait between the preview and the confirmation of a form."""

from __future__ import annotations

import os
import secrets
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from django.conf import settings
from django.core import signing

from .blob_store import PIECE, Incoming
from .uploads import Arrived

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django import forms

    from cranfield.server.models import User

SALT = "a file that is held"
HOURS = 20  # less than a day: then it is swept away
GONE = "The file is no longer here: choose it again."


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """A file that a form brings, or brought one step ago."""

    file: Arrived
    by: User
    token: str  # of one that is held; none of one that has just come

    def hold(self) -> str:
        """What to show to get it back in the next step."""
        return self.token or hold(self.file, self.by)


@contextmanager
def chosen(form: forms.Form, field: str, by: User) -> Iterator[Chosen | None]:
    """The file of a field, or the held one that ``held_…`` names; None: the form says what is wrong."""
    came = form.files.get(field) if form.files else None
    token = "" if came else str(form.data.get(f"held_{field}", ""))
    if not form.is_valid() and not token:
        yield None
        return
    file = came if isinstance(came, Arrived) else held(token, by)
    form.errors.clear()  # that no file came with the second step
    if file is None:
        form.add_error(field, GONE)
        yield None
        return
    try:
        yield Chosen(file=file, by=by, token=token)
    finally:
        file.close()


def hold(file: Arrived, by: User) -> str:
    """Keep a file beyond the request; what to show to get it back."""
    name = f"held-{secrets.token_hex(16)}"
    os.link(file.path, _place(name))
    return signing.dumps([name, PurePath(file.name or "").name, by.pk], salt=SALT)


def held(token: str, by: User) -> Arrived | None:
    """The file that was held, if it is still there and was theirs."""
    try:
        name, called, owner = signing.loads(token, salt=SALT, max_age=HOURS * 3600)
    except signing.BadSignature:
        return None
    if owner != by.pk or not _place(name).exists():
        return None
    file = Incoming()
    with _place(name).open("rb") as content:
        while piece := content.read(PIECE):
            file.write(piece)
    return Arrived(file, called)


def _place(name: str) -> Path:
    return Path(settings.HOME.incoming) / name
