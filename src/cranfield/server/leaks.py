"""What the numbers on private topics can have told."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from cranfield.data import Entries, Entry, Source, read_scores
from cranfield.measures import parse_measure
from cranfield.studies import ladder

from .models import Result
from .scoring import values_of

if TYPE_CHECKING:
    from cranfield.core import Study

    from .models import Task


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
    found = [next(iter(values_of(result).items())) for result in results]  # the first measure ranks
    table = {"topic": topics} | {
        result.submission.key: [values[topic] for topic in topics]
        for result, (_, values) in zip(results, found, strict=True)
    }
    given = replace(read_scores(table), measures=(parse_measure(found[0][0]),))
    made = tuple(Entry(one.submission.key, one.submission.team.name, one.submission.received.date()) for one in results)
    entries = Entries(made, Source("submissions", "", "headers"))
    shown = ladder(given, entries=entries)
    return Leaks(now=shown if task.tells_private else ladder(given, entries=entries, rule="none"), shown=shown)
