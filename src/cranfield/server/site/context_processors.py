"""Template variables that every page receives: site name, version and viewer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.utils.functional import SimpleLazyObject

from cranfield.core import VERSION
from cranfield.server.accounts.visibility import Viewer

if TYPE_CHECKING:
    from django.http import HttpRequest


def everywhere(request: HttpRequest) -> dict[str, Any]:
    """The name of the site, the version, and who looks: looked up only where a page asks."""
    return {
        "site": settings.OPTIONS.name,
        "software": VERSION,
        "sign_up_open": settings.OPTIONS.sign_up == "open",
        "viewer": SimpleLazyObject(
            lambda: getattr(request, "viewer", None) or Viewer.of(getattr(request, "user", None))
        ),
    }


def _viewer(request: HttpRequest) -> Viewer:
    """Who looks; the page may have looked it up."""
    known: Viewer | None = getattr(request, "viewer", None)
    return known or Viewer.of(getattr(request, "user", None))
