"""What topics ask, from the file the organisers gave."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.core import CranfieldError
from cranfield.data import read_topics

from . import blobs
from .kept import kept

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .models import Task


@kept(16)
def _texts(digest: str) -> Mapping[str, Mapping[str, str]]:
    try:
        told = read_topics(blobs.path_of(digest))
    except CranfieldError:  # looked at when it came; a file that cannot be read is no reason for a page to fail
        return {}
    return {str(row["topic"]): {k: str(v) for k, v in row.items() if v} for row in told.to_table().rows()}


def texts_of(task: Task) -> Mapping[str, Mapping[str, str]]:
    """What every topic of a task asks, in the order of the file; nothing where it has no texts."""
    return _texts(task.topics_id) if task.topics_id else {}


def text_of(task: Task, topic: str) -> Mapping[str, str]:
    """Title, description and narrative of a topic; nothing where the task has no texts."""
    return texts_of(task).get(topic, {})
