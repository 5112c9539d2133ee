"""Files between two steps of a form: looked at first, used when somebody says so."""

from __future__ import annotations

import os
import secrets
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from django.conf import settings
from django.core import signing

from .blobs import PIECE, Incoming
from .uploads import Arrived

if TYPE_CHECKING:
    from .models import User

SALT = "a file that is held"
HOURS = 20  # less than a day: then it is swept away


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
