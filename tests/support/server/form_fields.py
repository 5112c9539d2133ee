"""The fields and files that forms of the site send."""

from __future__ import annotations

from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile

from tests.support.server.users_and_tasks import PASSWORD

NEW = {"username": "newton", "name": "Nell Newton", "email": "", "password": PASSWORD, "again": PASSWORD}


def told(**changed: Any) -> dict[str, Any]:
    """What the screen sends if only the title is written."""
    usual = {"title": "Ad hoc search", "slug": "", "measures": "nDCG@10 AP", "rel": 1, "test": "tukey", "level": 0.05}
    usual |= {"share": 0, "seed": 0, "limit": 2, "days": 30, "most": 100, "embargo_days": 0, "anonymous_days": 0}
    return usual | changed


def a_file(text: str, name: str = "qrels.txt") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, text.encode())
