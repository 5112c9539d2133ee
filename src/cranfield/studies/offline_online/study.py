"""How well do offline measures predict the behaviour of live users?"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from cranfield.core import SEED, Direction, ParameterError, Study, experimental
from cranfield.data import Outcomes, Values, read_log, read_outcomes, read_scores, unjudged_notes, warning_notes
from cranfield.online import (
    Offline,
    bridge_points,
    bridge_sentence,
    bridge_table,
    online_outcomes,
    parse_online,
)
from cranfield.online import bridge as predict
from cranfield.stats import LEVEL

DRAWS = 1000


@experimental
def bridge(
    values: Any,
    online: Any,
    *,
    outcome: Any = None,
    lower: bool | None = None,
    columns: Any = None,
    ranks_from: int = 1,
    engine: Any = None,
    by: Any = "kendall",
    level: float = LEVEL,
    draws: int = DRAWS,
    seed: int = SEED,
    command: str = "",
) -> Study:
    """How well measures predict what live users made of the same runs, and which measure does best.

    ``values`` come from :func:`evaluate`, or are a table of scores. ``online`` is a table of run, value and, where it
    is known, the standard error of the value; or, where ``outcome`` names an online measure, a log whose arms are the
    runs, with ranks from 1 or 0 (``ranks_from``). ``lower`` says that little of the outcome is good. Measures are put
    in order ``by`` kendall, spearman or pearson. The verdict is not ``trusted`` where more than 1% of the rows of the
    log are excluded, such as those of arms that are no run, or more of one run than of another; where the name of an
    arm differs from that of a run only by case or blanks; or where all pages of an arm have the same user.
    """
    offline = (values if isinstance(values, Values) else read_scores(values)).in_topic_order()
    users = _outcomes(online, outcome, offline.runs, columns=columns, ranks_from=ranks_from, engine=engine)
    good = Direction.LOWER if (users.lower if lower is None else lower) else Direction.HIGHER
    asked: Any = {"errors": users.errors, "direction": good, "by": by, "level": level, "draws": draws, "seed": seed}
    found = predict(Offline.of(offline), users.values, **asked)
    made_by = replace(offline.made_by, inputs=(*offline.made_by.inputs, users.source), seed=seed)
    made_by = replace(made_by, command=command) if command else made_by
    tables = {"bridge": bridge_table(found), "points": bridge_points(offline, users, found, level=level)}
    tables = {name: replace(table, made_by=made_by) for name, table in tables.items()}
    limits = warning_notes(offline)
    limits += unjudged_notes(offline, runs=[offline.runs.index(run) for run in found.runs])
    tables["bridge"] = replace(tables["bridge"], notes=(*tables["bridge"].notes, *limits))
    doubt = ""
    if users.excluded is not None:
        tables = {"dropped": replace(users.excluded.table(), notes=users.notes, made_by=made_by), **tables}
        doubt = users.doubts
    best = tables["bridge"].rows()[0]
    verdict = {
        "measure": best["measure"],
        "online": users.name,
        "runs": len(found.runs),
        "by": by,
        "value": best[by],
        **({} if users.excluded is None else {"trusted": not doubt, **users.excluded.as_verdict()}),
        "sentence": " ".join(filter(None, (f"{bridge_sentence(found)}{_doubt(best, by)}", doubt))),
    }
    return Study("bridge", tables, verdict, made_by, charts=("bridge",))


def _outcomes(
    online: Any, outcome: Any, runs: Sequence[str], *, columns: Any, ranks_from: int, engine: Any
) -> Outcomes:
    """What users made of runs, from a table, or from a log where an online measure is named."""
    if outcome is not None:
        measure = parse_online(outcome)  # before a long log is read
        return online_outcomes(read_log(online, columns=columns, ranks_from=ranks_from, engine=engine), measure, runs)
    if engine is not None:
        hint = "name an online measure too (outcome), or leave the engine out"
        raise ParameterError("a table of outcomes is read without an engine", hint=hint)
    return read_outcomes(online, columns=columns)


def _doubt(best: Any, by: str) -> str:
    """Whether the likeness is none, or may be chance."""
    value, low, high = (best[f"{by}{end}"] for end in ("", "_low", "_high"))
    if value is not None and value <= 0:
        return " That is no likeness: none of these measures foretells what users do."
    if low is None or low > 0:
        return ""
    return f" That may be chance: other topics and users give anything from {low:.2f} to {high:.2f}."
