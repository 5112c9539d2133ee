"""What should be judged?"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cranfield.core import SEED, Input, ParameterError, Provenance, Study, Table, Ties
from cranfield.data import Run, find_runs, read_corpus, read_qrels, read_run, read_topics
from cranfield.pooling import (
    DEPTH,
    Candidates,
    Judging,
    Strategy,
    Stratified,
    asked_table,
    costs_table,
    documents_table,
    find_candidates,
    leave_judged,
    parse_strategy,
    plan,
    pool_table,
    pooled_sentence,
    sample_table,
    strata,
    take_turns,
)

if TYPE_CHECKING:
    from cranfield.data import Source

Progress = Callable[[int, int], object]


def pool(
    runs: Any,
    *,
    strategy: str | Strategy = "depth",
    budget: int | None = None,
    shared: bool = False,
    depth: int = DEPTH,
    first: int = 0,
    rel: float = 1,
    judged: Any = None,
    judging: Judging | None = None,
    corpus: Any = None,
    topics: Any = None,
    language: str | None = None,
    depths: Sequence[int] | None = None,
    minutes: float | None = None,
    ties: Ties | str = Ties.TREC,
    seed: int = SEED,
    progress: Progress | None = None,
    command: str = "",
) -> Study:
    """What to judge of the first ``depth`` documents of runs, in the order that a strategy asks for them.

    ``budget`` is the number of judgments for each topic, or, ``shared``, for all of them together. ``judged`` are
    judgments that are there already: the strategy learns from them, and does not ask for them again; what it asks for
    now may all be judged at the same time. The first ``first`` documents of every run come before the strategy begins,
    which is fair to runs that start slowly. From grade ``rel`` on a document is relevant. With a ``corpus`` the
    documents' texts stand beside them, with ``topics`` what was searched for, in one ``language`` if there are many.

    ``judging`` is a pool that is on its way (:class:`~cranfield.pooling.Judging`): what it has asked for, and has not
    been told, is the pool, and it says by itself how it is made. ``runs`` may be the candidates of such a pool.

    What it costs to judge to the ``depths``, at so many ``minutes`` for a judgment, stands in the table ``costs``.
    """
    candidates = judging.candidates if judging else read_candidates(runs, depth=depth, ties=ties, progress=progress)
    wanted = judging.strategy if judging else parse_strategy(strategy)
    if budget is not None and budget < 1:
        raise ParameterError(f"the budget cannot be {budget}", hint="pay for one judgment or more")
    if first < 0:
        raise ParameterError(f"{first} documents of each run cannot come first", hint="give 0 or more")
    known = None if judged is None else read_qrels(judged)
    texts = None if corpus is None else read_corpus(corpus, wanted=set(candidates.document.to_list()))
    asked = None if topics is None else read_topics(topics, language=language)
    sources = [*candidates.sources, *(one.source for one in (known, texts, asked) if one is not None)]
    made_by = Provenance(command=command, inputs=_inputs(sources), seed=judging.seed if judging else seed)
    grade = None if known is None else candidates.grades(known)
    tables: dict[str, Table] = {}
    given: Any = {} if depths is None else {"depths": depths}
    costs = costs_table(candidates, judged=None if grade is None else grade >= 0, minutes=minutes, **given)
    tables["costs"] = replace(costs, made_by=made_by)
    if judging:
        found = asked_table(candidates, judging.pending, made_by=made_by)
    else:
        drawn = isinstance(wanted, Stratified)
        if drawn and (shared or first):
            hint = "give a budget for each topic, or none"
            raise ParameterError(
                "the chances of a sample are known where each topic has a budget of its own", hint=hint
            )
        settings: Any = {"rel": rel, "first": first, "seed": seed, "corpus": texts, "progress": progress}
        # Who belongs to a sample does not depend on what was judged.
        order = plan(wanted, candidates, None if drawn else grade, budget=None if shared else budget, **settings)
        order = take_turns(order, budget) if shared and budget is not None else order
        found = pool_table(candidates, leave_judged(order, grade) if drawn else order, made_by=made_by)
        if isinstance(wanted, Stratified):
            sample = sample_table(strata(wanted, candidates, budget=budget, seed=seed), candidates)
            tables["sample"] = replace(sample, made_by=made_by)
    tables["pool"] = found
    if texts is not None or asked is not None:
        tables["documents"] = replace(documents_table(found, texts, asked), made_by=made_by)
    sentence = pooled_sentence(found, strategy=wanted, minutes=minutes)
    verdict = {"documents": len(found), "topics": len(set(found.cells("topic"))), "sentence": sentence}
    return Study("pool", tables, verdict, made_by, charts=("costs",))


def read_candidates(
    runs: Any, *, depth: int = DEPTH, ties: Ties | str = Ties.TREC, progress: Progress | None = None
) -> Candidates:
    """The first documents of every run: files, folders, patterns, frames, dicts, or candidates that were read."""
    if isinstance(runs, Candidates):
        return runs
    found = find_runs(runs)
    read: list[Run] = []
    for one in found:
        read.append(read_run(one, depth=depth, ties=ties))
        if progress:
            progress(len(read), len(found))
    return find_candidates(read, depth=depth)


def _inputs(sources: Sequence["Source"]) -> tuple[Input, ...]:
    return tuple(source.as_input() for source in sources)
