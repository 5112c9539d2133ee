"""How many topics does each run answer, and are its misses due to unjudged documents?"""

from typing import Any

from cranfield.core import ParameterError, Study, Table
from cranfield.data import Values, read_scores
from cranfield.measures import cutoff_of, dominate, found_first, unjudged_share, unjudged_within
from cranfield.stats import (
    LEVEL,
    Asked,
    against_sentence,
    against_table,
    answers_sentence,
    answers_table,
    check_level,
    choose_pairs,
    never_answered,
)

FIRST = 10  # documents of which the unjudged are counted
DEPTH = 1000


def answers(
    values: Any,
    *,
    baseline: str | None = None,
    rel: float = 1,
    cutoff: int | None = None,
    measure: Any = None,
    level: float = LEVEL,
    depth: int = DEPTH,
) -> Study:
    """Of every run the topics it answers, those that only unjudged documents could answer, and the unanswered.

    A topic is answered if a document of grade ``rel`` stands within the ``cutoff``: by default that of the first
    measure, or 100 if it has none, as in :func:`compare`. With a ``baseline``, each run is compared with it: in how
    many topics its value of ``measure`` (by default the first) is better, and in how many its ranking dominates down
    to ``depth``.
    """
    given = (values if isinstance(values, Values) else read_scores(values)).in_topic_order()
    check_level(level)
    within = cutoff_of(given) if cutoff is None else cutoff
    first = found_first(given, rel=rel, cutoff=within)
    if first is None:
        hint = "evaluate judgments and runs, or give values of RR"
        raise ParameterError("where runs put relevant documents is not known from these scores", hint=hint)
    by = given.measures[0 if measure is None else given.index(measure)]
    told = answers_table(
        first,
        given,
        unjudged=unjudged_within(given, within),
        share_unjudged=unjudged_share(given, min(FIRST, within)),
        level=level,
        made_by=given.made_by,
    )
    tables = {"answers": told}
    never = never_answered(first, given)
    said = [answers_sentence(told, within, never)]
    if baseline is not None:
        tables["against"] = _against(given, by, baseline, depth, level)
        said.append(against_sentence(tables["against"], by, level))
    best: dict[str, Any] = told.rows()[0]
    verdict = {"most": best["run"], "answered": best["answered"], "topics": best["topics"], "never": never}
    verdict |= {"cutoff": within, "level": level, "sentence": " ".join(said)}
    return Study("answers", tables, verdict, given.made_by, charts=tuple(tables))


def _against(values: Values, measure: Any, baseline: str, depth: int, level: float) -> Table:
    """Each run beside the baseline."""
    chosen = choose_pairs(values, baseline=baseline)
    ordered = None
    if values.assessed is not None:
        ordered = dominate(values.assessed, chosen, depth=depth).outcome[:, 0, values.places]
    return against_table(values, measure, chosen, ordered, asked=Asked(level=level), made_by=values.made_by)
