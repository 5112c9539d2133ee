"""URL patterns of the organisers' pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import dashboard, history_import, label_versions, monitoring, notifications, people, wizard

if TYPE_CHECKING:
    from django.urls import URLPattern

# The wizard first: its address must not be taken for the name of a task.
urls: list[URLPattern] = [
    *wizard.urls,
    *dashboard.urls,
    *label_versions.urls,
    *people.urls,
    *monitoring.urls,
    *history_import.urls,
    *notifications.urls,
]
