"""Evaluate stored runs with stored judgments."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cranfield.server.site import blob_store
from cranfield.studies import evaluate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cranfield.data import Values


def evaluate_stored(qrels: object, runs: Mapping[str, object], measures: str, **options: Any) -> Values:
    """Evaluate runs; judgments and runs are digests of stored files.

    The values have no notes. Those on the files name paths and count private topics, and boards and comparisons are
    public; teams see them when they submit a run.
    """
    paths = {name: blob_store.path_of(str(digest)) for name, digest in runs.items()}
    return replace(evaluate(blob_store.path_of(str(qrels)), paths, measures, **options), notes=())
