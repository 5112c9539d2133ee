"""The peer libraries that tests call in this process, with a guard around trec_eval.

Import ``ir_measures`` and ``pytrec_eval`` from here. ir_measures calls the evaluator of pytrec_eval, so the guard
covers both.
"""

from __future__ import annotations

from typing import Any

import ir_measures
import pytrec_eval

__all__ = ["ir_measures", "pytrec_eval"]


class Careful(pytrec_eval.RelevanceEvaluator):
    """An evaluator that refuses topics whose grades are all below 0: trec_eval would write out of bounds there."""

    def __init__(self, query_relevance: dict[str, dict[str, int]], *arguments: Any, **options: Any) -> None:
        for topic, grades in query_relevance.items():
            assert max(grades.values(), default=0) >= 0, f"topic {topic} has no grade from 0 up"
        super().__init__(query_relevance, *arguments, **options)


vars(pytrec_eval)["RelevanceEvaluator"] = Careful
