"""Leak budget of a task: how much the released values reveal about private topics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cranfield.data import Entries, Entry, Source
from cranfield.server.models import Result
from cranfield.studies import ladder

from .evaluation import ranking_values

if TYPE_CHECKING:
    from cranfield.core import Study
    from cranfield.server.models import Task


@dataclass(frozen=True, kw_only=True)
class Leaks:
    """The leak budget of a task: what was told so far, and what it would be if one value were shown."""

    now: Study
    shown: Study


def leaks_of(task: Task) -> Leaks | None:
    """What has leaked from all runs that are evaluated; None where nothing is private or no run is in."""
    version = task.version
    topics = version.private_topics if version is not None else []
    results = list(
        Result.objects.filter(version=version).select_related("submission__team").order_by("submission__received", "id")
    )
    if len(topics) < 2 or not results:
        return None
    given = ranking_values(results, topics)
    made = tuple(Entry(one.submission.key, one.submission.team.name, one.submission.received.date()) for one in results)
    entries = Entries(made, Source("submissions", "", "headers"))
    shown = ladder(given, entries=entries)
    return Leaks(now=shown if task.tells_private else ladder(given, entries=entries, rule="none"), shown=shown)
