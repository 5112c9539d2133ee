"""The pages of organisers, by subject."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import desk, hooks, labels, members, past, watch, wizard

if TYPE_CHECKING:
    from django.urls import URLPattern

# The wizard first: its address must not be taken for the name of a task.
urls: list[URLPattern] = [
    *wizard.urls, *desk.urls, *labels.urls, *members.urls, *watch.urls, *past.urls, *hooks.urls
]  # fmt: skip
