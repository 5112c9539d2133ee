"""Topics answered per run, and wins and losses per topic against a baseline."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core import Direction, Provenance, Table, listed
from cranfield.core.types import Matrix
from cranfield.data import Values
from cranfield.stats.estimates.effect_sizes import wins
from cranfield.stats.multiple.corrections import Holm
from cranfield.stats.pair_tests.all_pairs import places
from cranfield.stats.pair_tests.base import LEVEL, Asked, Pairs, check_level
from cranfield.stats.pair_tests.closed_form import Sign

from .topic_outcomes import share_interval

FEW = 3  # runs that a sentence names
# What stands in an outcome of dominance, and what the run is then to the baseline.
ORDERED = {"dominates": 1, "dominated": -1, "equal": 0, "incomparable": 2}


def answers_table(
    first: Matrix,
    values: Values,
    *,
    unjudged: Matrix | None = None,
    share_unjudged: Matrix | None = None,
    level: float = LEVEL,
    made_by: Provenance | None = None,
) -> Table:
    """One row per run, those that answer most of their topics first.

    ``first`` is (topic, run): the rank of the first relevant document, NaN where none is found. A topic is answered
    where there is one. Where there is none, but some of the documents that were looked at are ``unjudged`` (how many,
    if that is known), only those could answer it. ``share`` is of the topics answered, between ``low`` and ``high``
    (Wilson). The column ``unjudged`` is the mean of ``share_unjudged``, over topics for which the run has documents.
    """
    check_level(level)
    counted = values.counted.T
    found = counted & ~np.isnan(first)
    open_ = np.zeros_like(found) if unjudged is None else counted & np.isnan(first) & (unjudged > 0)
    topics, answered, only_unjudged = (part.sum(axis=0) for part in (counted, found, open_))
    share = np.divide(answered, topics, out=np.full(len(topics), np.nan), where=topics > 0)
    low, high = share_interval(answered, topics, level=level)
    order = np.lexsort((-only_unjudged, -np.nan_to_num(share)))
    known = unjudged is not None
    columns: dict[str, Any] = {
        "run": [values.runs[run] for run in order],
        "topics": topics[order],
        "answered": answered[order],
        "only_unjudged": only_unjudged[order] if known else [None] * len(order),
        "unanswered": (topics - answered - only_unjudged)[order],
        "share": share[order],
        "low": low[order],
        "high": high[order],
        "unjudged": _mean(share_unjudged, counted)[order],
    }
    why = "who judged what is not known from these scores: unanswered topics may have unjudged documents"
    caption = "topics answered, those that only unjudged documents could answer, and unanswered ones"
    return Table(columns, caption, made_by, () if known else (why,), ends={"share": ("low", "high")})


def _mean(share: Matrix | None, counted: NDArray[np.bool_]) -> NDArray[np.float64]:
    """(run,): the mean over the topics that count and have a share; NaN where there is none."""
    if share is None:
        return np.full(counted.shape[1], np.nan)
    there = counted & ~np.isnan(share)
    sums, n = np.where(there, share, 0.0).sum(axis=0), there.sum(axis=0)
    return np.divide(sums, n, out=np.full(len(n), np.nan), where=n > 0)


def never_answered(first: Matrix, values: Values) -> int:
    """How many of the topics that count for some run are answered by none for which they count."""
    counted = values.counted.T
    return int((counted.any(axis=1) & ~(counted & ~np.isnan(first)).any(axis=1)).sum())


def against_table(
    values: Values,
    measure: object,
    chosen: Sequence[tuple[int, int]],
    ordered: NDArray[np.int8] | None = None,
    *,
    asked: Asked,
    made_by: Provenance | None = None,
) -> Table:
    """One row for each run beside a baseline, pairs ``chosen`` as (baseline, run): from most wins less losses down.

    A run wins where its value is the better one as the measure has it; p is of the sign test, after Holm. ``ordered``
    is (pair, topic): who has more relevant documents at every rank, in the topics of the values.
    """
    which = values.measures[values.index(measure)]
    matrix = values.matrix(which)
    pairs = Pairs.given(matrix, list(chosen), places(values, which, matrix))
    win, tie, loss = wins(pairs)
    if which.direction is Direction.LOWER:
        win, loss = loss, win
    p = Holm().adjust(Sign().compare(pairs, asked).p)
    order = np.argsort(loss - win, kind="stable")
    names = np.array(values.runs, dtype=object)
    columns: dict[str, Any] = {
        "run": names[pairs.b][order],
        "baseline": names[pairs.a][order],
        "win": win[order],
        "tie": tie[order],
        "loss": loss[order],
    }
    for word, code in ORDERED.items():
        columns[word] = [None] * len(pairs) if ordered is None else _count(values, pairs, ordered == code)[order]
    columns["p"] = p[order]
    notes = (f"win, tie and loss by {which}; p: sign test, after Holm over {len(p):,} run{'s' * (len(p) != 1)}",)
    return Table(columns, f"topic by topic against {names[pairs.a[0]]}", made_by, notes)


def _count(values: Values, pairs: Pairs, here: NDArray[np.bool_]) -> NDArray[np.int64]:
    """(pair,): in how many of the topics that count for both it is so."""
    return (here & values.counted[pairs.a] & values.counted[pairs.b]).sum(axis=1)


def answers_sentence(table: Table, cutoff: int, never: int) -> str:
    """Who answers most topics, how many nobody answers, and whether unjudged documents could change that."""
    rows: list[dict[str, Any]] = table.rows()
    most = rows[0]["share"]
    if most is None:
        return "There is no topic to answer."
    runs = [row["run"] for row in rows if row["share"] == most]
    who = listed(runs) if len(runs) <= FEW else f"{len(runs):,} of {len(rows):,} runs"
    many, topics = rows[0]["answered"], rows[0]["topics"]
    kind = "" if len(rows) == 1 else " the most topics," if len(runs) < len(rows) else " equally many topics,"
    said = f"{who} answer{'s' * (len(runs) == 1)}{kind} {many:,} of {topics:,}, in the first {cutoff:,} documents"
    if never and len(rows) > 1:
        said += f"; {never:,} topic{'s are' if never > 1 else ' is'} answered by no run"
    maybe = sum(bool(row["only_unjudged"]) for row in rows)
    if not maybe:
        return f"{said}."
    which = f"{maybe:,} run{'s have' if maybe > 1 else ' has'} topics" if len(rows) > 1 else "There are topics"
    return f"{said}. {which} that only unjudged documents could answer."


def against_sentence(table: Table, measure: object, level: float) -> str:
    """How many runs win more topics than they lose, as far as the sign test tells."""
    rows: list[dict[str, Any]] = table.rows()
    told = [row for row in rows if row["p"] is not None and row["p"] <= level]
    better, worse = (sum(sign * (row["win"] - row["loss"]) > 0 for row in told) for sign in (1, -1))
    others = f"{better:,} of {len(rows):,} other runs win" if len(rows) > 1 else f"{better:,} of 1 other run wins"
    lose = "they lose" if len(rows) > 1 else "it loses"
    so = f"significantly more topics of {measure} than {lose}, {worse:,} significantly fewer"
    return f"Beside {rows[0]['baseline']}, {others} {so}."
