"""Which runs do users prefer on interleaved result pages?"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from cranfield.core import SEED, ParameterError, Provenance, Study, Table, Ties, generator
from cranfield.data import Qrels, Run, find_runs, read_log, read_qrels, read_run
from cranfield.online import (
    FURTHER,
    PLANNED,
    Interleaving,
    checks_table,
    credit_checks,
    excluded_rows_checks,
    interleaved_verdict,
    multileave,
    read_credits,
    result_table,
    sensitivity_sentence,
    sensitivity_table,
    transitivity_table,
)
from cranfield.stats import LEVEL
from cranfield.studies.evaluation.input_notes import reading_notes

POWERS = (0.8, 0.95)
CURVE = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99)
DEEP = 100  # documents of each topic from which a page may be made
METHODS = ("team-draft", "balanced", "probabilistic", "optimised")


def interleave(
    log: Any,
    *,
    method: str | None = None,
    by: Literal["wins", "credit"] = "wins",
    columns: Mapping[str, str] | None = None,
    ranks_from: int = 1,
    engine: Any = None,
    level: float = LEVEL,
    planned: float = PLANNED,
    command: str = "",
) -> Study:
    """Which runs users prefer, from a log of interleaved pages: every pair, with a verdict on two or on all.

    ``log`` is what ``cranfield.data.read_log`` reads, with users, and teams or the columns of ``Interleaved.rows``;
    where it holds pages of several methods, ``method`` says which count. A user prefers the run that won more of her
    pages, or, by ``credit``, that has more credit in all. p and the interval come from the sign test over users; the
    last columns hold at every look at once, and are tightest at ``planned`` users. With several pairs p is corrected by
    Holm, and all intervals by Bonferroni. With three runs or more: preferences that go round.

    ``ranks_from`` is 0 where the log counts ranks from 0.

    ``checks`` says whether the pages are complete and whether the teams are where the method puts them. Where one
    fails, the verdict is not ``trusted``.
    """
    read = read_log(log, columns=columns, further=FURTHER, ranks_from=ranks_from, engine=engine)
    made, credits = read_credits(read, method=method)
    checks = (*excluded_rows_checks(read.excluded), *credit_checks(read, method=method))
    made_by = Provenance(command=command, inputs=(read.source,))
    result = result_table(credits, method=made, by=by, level=level, planned=planned)
    tables = {"result": replace(result, made_by=made_by, notes=read.notes)}
    if len(result) > 1:
        tables = {"transitivity": transitivity_table(result, level=level, made_by=made_by)} | tables
    tables = {"checks": replace(checks_table(checks), caption="Can the log be trusted?", made_by=made_by)} | tables
    verdict = interleaved_verdict(result, level=level, checks=checks) | read.excluded.as_verdict()
    return Study("interleave", tables, verdict, made_by, charts=("interleaved",))


def sensitivity(
    qrels: Any,
    a: Any,
    b: Any,
    *,
    user: Any = "navigational",
    methods: Sequence[str | Interleaving] = METHODS,
    users: int = 2000,
    length: int = 10,
    power: Sequence[float] = POWERS,
    level: float = LEVEL,
    ties: Ties | str = Ties.TREC,
    seed: int = SEED,
    progress: Callable[[int, int], object] | None = None,
    command: str = "",
) -> Study:
    """How many impressions it takes until the better of two runs wins, by interleaving and by an A/B test.

    Simulated users (``navigational``, ``informational``, ``perfect``) click by the grades of ``qrels`` on pages of
    ``length`` documents.
    """
    judged, read = read_qrels(qrels), [read_run(one, ties=ties, depth=max(length, DEEP)) for one in (a, b)]
    names = _names(read)
    made_by = Provenance(command=command, inputs=_inputs(judged, *read), seed=seed)
    one, other = (run.by_topic() for run in read)
    grades = {t: {document: int(g) for document, g in found.items()} for t, found in judged.by_topic().items()}
    asked: Any = {"user": user, "methods": methods, "users": users, "length": length, "level": level, "seed": seed}
    every = sensitivity_table(one, other, grades, power=(*power, *CURVE), progress=progress, **asked)
    rows = [row | {"better": names.get(str(row["better"]), "neither")} for row in every.rows()]
    told: Any = {
        "caption": f"Impressions until the better of {names['a']} and {names['b']} wins, {users:,} simulated users",
        "made_by": made_by,
    }
    parts = [rows[start : start + len(power) + len(CURVE)] for start in range(0, len(rows), len(power) + len(CURVE))]
    tables = {
        "power_curve": Table.from_rows([row for part in parts for row in part[len(power) :]], every.columns, **told),
        "sensitivity": Table.from_rows([row for part in parts for row in part[: len(power)]], every.columns, **told),
    }
    notes = tuple(reading_notes([judged.source, *(run.source for run in read)]))
    tables["sensitivity"] = replace(tables["sensitivity"], notes=notes)
    verdict = {"sentence": sensitivity_sentence(tables["sensitivity"])}
    return Study("interleave", tables, verdict, made_by, charts=("sensitivity",))


def interleaved_page(
    runs: Any,
    topic: str,
    *,
    method: str | Interleaving = "team-draft",
    length: int = 10,
    ties: Ties | str = Ties.TREC,
    seed: int = SEED,
    command: str = "",
) -> Study:
    """One page made of the lists of two runs or more for a topic: whose each document is, and what a click is worth."""
    read = [read_run(one, ties=ties, depth=max(length, DEEP)) for one in find_runs(runs)]
    made_by = Provenance(command=command, inputs=_inputs(*read), seed=seed)
    lists = [run.by_topic() for run in read]
    for run, one in zip(read, lists, strict=True):
        if topic not in one:
            hint = f"it has: {', '.join(list(one)[:8])}{', …' * (len(one) > 8)}"
            raise ParameterError(f"the run {run.name} has no topic {topic}", hint=hint)
    names = tuple(run.name for run in read)
    rng = generator(seed, "page", topic)
    page = multileave([one[topic] for one in lists], rng, method=method, length=length, runs=names)
    rows = page.rows(topic)
    columns = [name for name in rows[0] if name not in ("impression", "method")]
    caption = f"topic {topic}, {page.method}: a page of {', '.join(names)}"
    notes = tuple(reading_notes(run.source for run in read))
    table = Table.from_rows(rows, columns, caption=caption, made_by=made_by, notes=notes)
    return Study("interleave", {"page": table}, None, made_by)


def _names(runs: Sequence[Run]) -> dict[str, str]:
    """What a and b are called."""
    names = {"a": runs[0].name, "b": runs[1].name}
    return names if names["a"] != names["b"] else {side: f"{name} ({side})" for side, name in names.items()}


def _inputs(*read: Qrels | Run) -> Any:
    return tuple(one.source.as_input() for one in read)
