"""Boards as they stood, read back: a document is known by its digest, so it is read once."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from . import blobs
from .models import Snapshot
from .visibility import Thing, Viewer, sees

if TYPE_CHECKING:
    from .models import Task

Document: TypeAlias = dict[str, Any]


@lru_cache(maxsize=64)
def document_of(digest: str) -> Document:
    """The document with that digest. Nobody may change it: it is shared."""
    found: Document = json.loads(blobs.read(digest))
    return found


@dataclass(frozen=True)
class Shown:
    """A snapshot and what it holds."""

    snapshot: Snapshot
    document: Document


def newest(task: Task, viewer: Viewer) -> Shown | None:
    """The newest board of a task that the viewer may see; organisers see hidden runs and names, too."""
    if not sees(viewer, Thing.BOARD, task):
        return None
    kinds = [Snapshot.FULL, Snapshot.PUBLIC] if sees(viewer, Thing.FULL_BOARD, task) else [Snapshot.PUBLIC]
    for kind in kinds:
        last = task.snapshots.filter(kind=kind).select_related("version").order_by("-number").first()
        if last is not None:
            return Shown(last, document_of(last.document_id))
    return None
