"""Which documents should be judged next?"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cranfield.collections import (
    DEPTH,
    DEPTHS,
    Candidates,
    Judging,
    State,
    Strategy,
    Stratified,
    asked_table,
    audit_table,
    costs_table,
    documents_table,
    find_candidates,
    leave_judged,
    parse_strategy,
    plan,
    pool_table,
    pooled_sentence,
    read_state,
    sample_table,
    strata,
    take_turns,
)
from cranfield.core import SEED, Input, ParameterError, Provenance, Study, Table, Ties, listed
from cranfield.data import Run, TopicTexts, find_runs, read_corpus, read_qrels, read_run, read_topics
from cranfield.studies.evaluation.input_notes import reading_notes

if TYPE_CHECKING:
    from cranfield.data import Source

Progress = Callable[[int, int], object]
DEEPEST = 2**31 - 1  # the last rank that fits


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

    ``judging`` is a pool that is on its way (``cranfield.collections.Judging``): what it has asked for, and has not
    been told, is the pool, and it says by itself how it is made. ``runs`` may be the candidates of such a pool.

    What it costs to judge to the ``depths``, at so many ``minutes`` for a judgment, stands in the table ``costs``; they
    are the usual ones up to ``depth``, and that.
    """
    wanted = judging.strategy if judging else parse_strategy(strategy)
    _check(wanted, budget=budget, shared=shared and not judging, first=first, rel=rel)
    read = 0 if judging or isinstance(runs, Candidates) else 50  # percent of the work
    reading = part_of(progress, 0, read)
    candidates = judging.candidates if judging else read_candidates(runs, depth=depth, ties=ties, progress=reading)
    known = None if judged is None else read_qrels(judged)
    texts = None if corpus is None else read_corpus(corpus, wanted=set(candidates.document.to_list()))
    asked = None if topics is None else _in_one_language(read_topics(topics, language=language))
    sources = [*candidates.sources, *(one.source for one in (known, texts, asked) if one is not None)]
    made_by = Provenance(command=command, inputs=_inputs(sources), seed=judging.seed if judging else seed)
    grade: Any = None if known is None else candidates.judgments(known)
    done = judging.told if judging else None if grade is None else grade >= 0
    usual = (*(each for each in DEPTHS if each < candidates.depth), candidates.depth)
    costs = costs_table(candidates, usual if depths is None else depths, judged=done, minutes=minutes, made_by=made_by)
    costs = replace(costs, notes=(*costs.notes, *reading_notes(candidates.sources)))
    if known is not None and not (grade >= 0).any():
        lost = f"no document of the runs is judged in {known.source.name}: do they belong together?"
        costs = replace(costs, notes=(*costs.notes, lost))
    tables: dict[str, Table] = {"costs": costs}
    if judging:
        tables["pool"] = asked_table(candidates, judging.pending, made_by=made_by)
    else:
        settings: Any = {"rel": rel, "first": first, "seed": seed, "corpus": texts}
        settings["progress"] = part_of(progress, read, 100)
        tables |= _planned(wanted, candidates, grade, budget=budget, shared=shared, made_by=made_by, **settings)
    found = tables["pool"]
    if texts is not None or asked is not None:
        tables["documents"] = replace(documents_table(found, texts, asked), made_by=made_by)
    sentence = pooled_sentence(found, strategy=wanted, minutes=minutes)
    if not len(found) and not (done is not None and done.all()):
        sentence = f"{wanted} asks for nothing more: all that it may ask for is judged."
    verdict = {"documents": len(found), "topics": len(set(found.cells("topic"))), "sentence": sentence}
    return Study("pool", tables, verdict, made_by, charts=("costs",))


def _check(strategy: Strategy, *, budget: int | None, shared: bool, first: int, rel: float) -> None:
    """Refuse a pool that cannot be made so."""
    check_rel(rel)
    if budget is not None and budget < 1:
        raise ParameterError(f"the budget cannot be {budget}", hint="pay for one judgment or more")
    if shared and budget is None:
        raise ParameterError("topics share a budget that nobody gave", hint="give the judgments of all topics together")
    if first < 0:
        raise ParameterError(f"{first} documents of each run cannot come first", hint="give 0 or more")
    if isinstance(strategy, Stratified) and (shared or first):
        problem = "the chances of a sample are known where each topic has a budget of its own"
        hint = "give a budget for each topic, or none"
        if first:
            problem, hint = "the chances of a sample are known where no documents come first", "let 0 come first"
        raise ParameterError(problem, hint=hint)


def _planned(
    strategy: Strategy,
    candidates: Candidates,
    grade: Any,
    *,
    budget: int | None,
    shared: bool,
    made_by: Provenance,
    **settings: Any,
) -> dict[str, Table]:
    """The pool that a strategy asks for at once; of a sample its chances too."""
    if not isinstance(strategy, Stratified):
        order = plan(strategy, candidates, grade, budget=None if shared else budget, **settings)
        order = take_turns(order, budget) if shared and budget is not None else order
        return {"pool": pool_table(candidates, order, made_by=made_by)}
    # Who belongs to a sample does not depend on what was judged.
    order = leave_judged(plan(strategy, candidates, budget=budget, **settings), grade)
    sample = sample_table(strata(strategy, candidates, budget=budget, seed=settings["seed"]), candidates)
    return {"sample": replace(sample, made_by=made_by), "pool": pool_table(candidates, order, made_by=made_by)}


def audit_pool(
    runs: Any,
    state: Any,
    *,
    depth: int = DEPTH,
    corpus: Any = None,
    ties: Ties | str = Ties.TREC,
    command: str = "",
) -> Study:
    """Whether each document that a pool on its way has asked for was the one that was due.

    ``state`` is a file that keeps such a pool, or what was read from it; ``runs`` and ``depth`` are those with which it
    was begun, and so is the ``corpus``, if its strategy reads.
    """
    kept = state if isinstance(state, State) else read_state(state)
    candidates = read_candidates(runs, depth=depth, ties=ties)
    texts = None if corpus is None else read_corpus(corpus, wanted=set(candidates.document.to_list()))
    sources = [*candidates.sources, *([] if texts is None else [texts.source])]
    made_by = Provenance(command=command, inputs=_inputs(sources), seed=kept.seed)
    told = replace(audit_table(candidates, kept, corpus=texts), made_by=made_by)
    asked, wrong = len(told), sum(not due for due in told.cells("as_due"))
    said = "1 document was asked for" if asked == 1 else f"{asked:,} documents were asked for"
    said += f"; {wrong:,} of them {'was' if wrong == 1 else 'were'} not due." if wrong else ", each when it was due."
    return Study("pool", {"audit": told}, {"asked": asked, "not_due": wrong, "sentence": said}, made_by)


def read_candidates(
    runs: Any, *, depth: int = DEPTH, ties: Ties | str = Ties.TREC, progress: Progress | None = None
) -> Candidates:
    """The first documents of every run: files, folders, patterns, frames, dicts, or candidates that were read."""
    if isinstance(runs, Candidates):
        return runs
    found, kept = find_runs(runs), min(depth, DEEPEST)
    read: list[Run] = []
    for one in found:
        read.append(read_run(one, depth=kept, ties=ties))
        if progress:
            progress(len(read), len(found))
    return find_candidates(read, depth=kept, ties=ties)


def check_rel(rel: float) -> None:
    """Refuse what is no grade from which on a document is relevant."""
    if not rel > 0:
        raise ParameterError(f"a document cannot be relevant from grade {rel:g} on", hint="give a number above 0")


def part_of(progress: Progress | None, start: int, end: int) -> Progress | None:
    """News of a part of the work, as news of the whole: it goes from one percentage to another."""
    if progress is None:
        return None
    return lambda done, total: progress(start + (end - start) * done // max(total, 1), 100)


def _in_one_language(topics: TopicTexts) -> TopicTexts:
    """Refuse topics that say the same several times."""
    if len(topics) > len(topics.topics):
        spoken = listed([language or "a language that nobody named" for language in topics.languages])
        raise ParameterError(
            f"{topics.source.name}: topics have texts in {spoken}", hint="name one of them as the language"
        )
    return topics


def _inputs(sources: Sequence["Source"]) -> tuple[Input, ...]:
    return tuple(source.as_input() for source in sources)
