"""How does a leaderboard change when the judgments change?"""

from dataclasses import replace
from typing import Any

from cranfield.core import SEED, ParameterError, Policy, Provenance, Scale, Study, weigh
from cranfield.data import (
    Entries,
    Qrels,
    Values,
    join_entries,
    judgments_of,
    judgments_table,
    read_entries,
    read_qrels,
    unjudged_notes,
    warning_notes,
)
from cranfield.stats import (
    CORRECTIONS,
    LEVEL,
    Asked,
    Correction,
    PairTest,
    Relabelled,
    adapt,
    changed_pairs_table,
    check_level,
    order_table,
    parse_method,
    parse_tests,
    relabelled_sentence,
    relabelled_table,
)
from cranfield.studies.small_samples import few_topics_notes


def relabel(
    before: Values,
    after: Values,
    *,
    measure: Any = None,
    entries: Any = None,
    qrels_before: Any = None,
    qrels_after: Any = None,
    test: str | PairTest = "t",
    correct: str | Correction = "holm",
    level: float = LEVEL,
    scale: Policy = "note",
    seed: int = SEED,
    threads: int | None = None,
    command: str = "",
) -> Study:
    """The same runs under two sets of judgments: which change rank, by how much, and who is first.

    ``before`` and ``after`` come from :func:`evaluate`; the board is by ``measure``, the first that both have if none
    is named. What was judged otherwise is known from the values, or from ``qrels_before`` and ``qrels_after`` (files or
    judgments) where the values do not know it. ``entries`` say which group made a run. ``test`` says which pairs of
    runs differ, before and after.
    """
    check_level(level)
    found = Relabelled.of(before.in_topic_order(), after.in_topic_order())
    by = found.after.measures[found.index(measure)]
    deciding = parse_tests(test)
    if len(deciding) != 1:
        raise ParameterError("pairs are told apart by one test", hint="choose one, such as t, sign or tukey")
    needs = {"the mean": Scale.INTERVAL, deciding[0].name: deciding[0].requires}
    notes = weigh([(who, need, by) for who, need in needs.items()], scale, safe="the sign test is safe (test='sign')")
    known = _entries(after, entries)
    old, new = _judgments(before, qrels_before), _judgments(after, qrels_after)
    made_by = _made_by(before, after, known, command, seed)
    moved = relabelled_table(found, measure, groups=known.groups(), made_by=made_by)
    met = known.meet(found.after.runs) if entries is not None else ()
    sets = {"before": found.before, "after": found.after}
    limits = [
        f"{name}: {note}" for name, values in sets.items() for note in (*warning_notes(values), *unjudged_notes(values))
    ]
    limits += few_topics_notes(min(len(values.topics) for values in sets.values()), level)
    tables = {"moved": replace(moved, notes=(*moved.notes, *notes, *met, *limits))}
    tables["order"] = order_table(found, measure, made_by=made_by)
    if old is not None and new is not None:
        tables["judgments"] = judgments_table(old, new, made_by=made_by)
    if len(moved) > 1:
        tables["changed"] = changed_pairs_table(
            found,
            measure,
            test=adapt(deciding[0], draws=None),
            correction=parse_method(CORRECTIONS, correct),
            asked=Asked(level=level, seed=seed, threads=threads),
            made_by=made_by,
        )
    drawn = {"moved": "moved", "changes": "changed"}
    charts = tuple(name for name, table in drawn.items() if table in tables)
    return Study("relabel", tables, _verdict(tables), made_by, charts=charts)


def _entries(values: Values, entries: Any) -> Entries:
    """What is known about the runs: from a table, else from their own headers."""
    if entries is None:
        return join_entries(values)
    return entries if isinstance(entries, Entries) else read_entries(entries)


def _judgments(values: Values, given: Any) -> Qrels | None:
    """The judgments that are given, else those that the values were measured by, if they know them."""
    if given is not None:
        return read_qrels(given)
    return None if values.assessed is None else judgments_of(values.assessed)


def _made_by(before: Values, after: Values, known: Entries, command: str, seed: int) -> Provenance:
    inputs = dict.fromkeys((*before.made_by.inputs, *after.made_by.inputs, *known.inputs))
    return replace(after.made_by, command=command or after.made_by.command, inputs=tuple(inputs), seed=seed)


def _verdict(tables: dict[str, Any]) -> dict[str, Any]:
    order: dict[str, Any] = tables["order"].rows()[0]
    moves = tables["moved"].cells("move")
    return {
        "runs": len(moves),
        "moved": sum(bool(move) for move in moves),
        **{name: order[name] for name in ("largest_move", "first_before", "first_after")},
        "sentence": relabelled_sentence(tables["moved"], tables["order"], tables.get("judgments")),
    }
