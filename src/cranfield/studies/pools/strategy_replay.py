"""How would each pooling strategy have performed on judgments that already exist?"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal

from cranfield.collections import (
    DEPTH,
    Groups,
    choose_budgets,
    curve_table,
    groups_table,
    leave_groups_out,
    left_out_bias,
    parse_strategies,
    replay,
    replay_sentence,
    replay_table,
    reuse_sentence,
    reuse_table,
    unjudged_table,
)
from cranfield.core import SEED, Input, ParameterError, Study, Table, Ties
from cranfield.data import (
    Run,
    RunFile,
    RunFrame,
    find_runs,
    join_entries,
    read_corpus,
    read_entries,
    read_qrels,
    read_run,
)
from cranfield.measures import parse_measure
from cranfield.stats import LEVEL, check_level
from cranfield.studies.evaluation.input_notes import reading_notes
from cranfield.studies.evaluation.study import evaluate

from .study import check_rel, part_of, read_candidates

Progress = Callable[[int, int], object]
Unjudged = Literal["skip", "not relevant"]


def replay_pool(
    runs: Any,
    qrels: Any,
    *,
    strategies: Any = "all",
    measure: Any = "AP",
    budgets: Sequence[int] | None = None,
    shared: bool = False,
    share: str = "even",
    depth: int = DEPTH,
    first: int = 0,
    rel: float = 1,
    unjudged: Unjudged = "skip",
    entries: Any = None,
    leave_out: bool = True,
    corpus: Any = None,
    test: str = "t",
    correct: str = "holm",
    level: float = LEVEL,
    ties: Ties | str = Ties.TREC,
    seed: int = SEED,
    threads: int | None = None,
    progress: Progress | None = None,
    command: str = "",
) -> Study:
    """Known judgments replayed: what strategies would have found with fewer of them, and what runs would look like.

    Asked for are the judged documents among the first ``depth`` of the runs; with ``unjudged="not relevant"`` all of
    them, those that nobody judged counting as not relevant. ``budgets`` are judgments for each topic, or, ``shared``,
    their mean over topics, all topics taking turns (``even``) or the one that yields most going on (``yield``). Runs
    are compared by ``measure`` under what is judged then and under all judgments: order, significant pairs.
    ``entries`` say which group made a run (a table, or the headers of the runs): each group is left out of the pool in
    turn, to see what its runs lose. The same without the replay: what each group alone brought into the pool, and how
    many of the first documents of each run are unjudged.
    """
    check_level(level)
    if unjudged not in ("skip", "not relevant"):
        raise ParameterError(f"unjudged documents cannot be {unjudged!r}", hint="choose skip, or not relevant")
    check_rel(rel)
    asked, wanted = parse_measure(measure), parse_strategies(strategies, text=corpus is not None)
    judgments, read = read_qrels(qrels), read_twice(runs, ties)
    found = read_candidates(read, depth=depth, ties=ties, progress=part_of(progress, 0, 5))  # percent of the work
    texts = None if corpus is None else read_corpus(corpus, wanted=set(found.document.to_list()))
    values = evaluate(judgments, read, [asked], ties=ties, scale="ignore", threads=threads, command=command)
    known = join_entries(values) if entries is None else read_entries(entries)
    inputs = (*values.made_by.inputs, *known.inputs, *_input(texts))
    made_by = replace(values.made_by, inputs=inputs, seed=seed)
    assessed: Any = values.assessed
    candidates = found.judged_by(judgments, skip=unjudged == "skip").filled()
    relevant = candidates.relevant(judgments, rel)
    settings: Any = {"first": first, "seed": seed, "corpus": texts}
    replays = []
    for number, one in enumerate(wanted):
        done, next_done = (5 + 15 * at // len(wanted) for at in (number, number + 1))
        replays.append(replay(one, candidates, relevant, progress=part_of(progress, done, next_done), **settings))
    chosen = choose_budgets(replays) if budgets is None else tuple(sorted(set(budgets)))
    groups = Groups.among(assessed.runs, known)
    told: Any = {"measure": asked, "made_by": made_by}
    spread: Any = {"share": share if shared else None}
    left_out = None
    tables: dict[str, Table] = {}
    if leave_out and len(groups) > 1:
        left_out = leave_groups_out(
            replays,
            assessed,
            groups,
            measure=asked,
            judgments=chosen if budgets is not None else _middle(chosen),
            rel=rel,
            progress=part_of(progress, 20, 80),
            **settings,
            **spread,
        )
        tables["bias"] = left_out_bias(left_out, made_by=made_by)
        tables["groups"] = groups_table(left_out, made_by=made_by)
    compared: Any = {"test": test, "correct": correct, "level": level, "left_out": left_out}
    compared["progress"] = part_of(progress, 80, 100)
    full = replay_table(replays, assessed, judgments=chosen, **compared, **told, **spread)
    full = replace(full, notes=(*reading_notes(assessed.sources), *full.notes))
    if entries is not None:
        full = replace(full, notes=(*full.notes, *known.meet(assessed.runs)))
    tables = {"replay": full, **tables}
    tables["unjudged"] = unjudged_table(assessed, entries=known, made_by=made_by)
    said = [replay_sentence(full, per_topic=_shown(chosen))]
    if len(groups) > 1:
        tables["reuse"] = reuse_table(candidates, assessed, groups, rel=rel, **told)
        if None not in tables["reuse"].cells("difference"):
            said.append(reuse_sentence(tables["reuse"], tables["unjudged"], measure=str(asked)))
    tables["curve"] = curve_table(replays, made_by=made_by, **spread)
    drawn = {"pool-order": len(assessed.runs) > 1, "pool-bias": "bias" in tables, "reuse": "reuse" in tables}
    charts = ("recall", *(name for name, there in drawn.items() if there), "unjudged")
    return Study("pool", tables, {"sentence": " ".join(said)}, made_by, charts=charts)


def read_twice(runs: Any, ties: Ties | str) -> list[Run | RunFile | RunFrame]:
    """Runs that can be read again; what comes from standard input is kept whole."""
    found = find_runs(runs)
    return [read_run(one, ties=ties) if isinstance(one, RunFile) and str(one.path) == "-" else one for one in found]


def _middle(budgets: Sequence[int]) -> tuple[int, ...]:
    """An early, a middle and a late one of the budgets; at the last all strategies have judged the same."""
    return tuple(dict.fromkeys(budgets[len(budgets) * part // 4] for part in (1, 2, 3)))


def _shown(budgets: Sequence[int]) -> int:
    return budgets[len(budgets) // 2]


def _input(texts: Any) -> tuple[Input, ...]:
    return () if texts is None else (texts.source.as_input(),)
