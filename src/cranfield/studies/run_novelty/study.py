"""Which relevant documents does a run find that other runs miss?"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from cranfield.core import SEED, ParameterError, Study, Table, Ties, stack
from cranfield.data import (
    Run,
    Values,
    find_runs,
    join_entries,
    make_prior,
    read_entries,
    read_run,
    unjudged_notes,
    warning_notes,
)
from cranfield.measures import (
    NRG,
    Measure,
    RareP,
    TaSC,
    Unique,
    parse_measure,
    parse_measures,
    rareness_across,
    seen_out,
)
from cranfield.stats import (
    INTERVALS,
    LEVEL,
    Asked,
    Interval,
    bests_table,
    check_level,
    ensemble_sentence,
    novelty_by_topic,
    novelty_sentence,
    novelty_table,
    parse_method,
    pool_sentence,
)

from .run_selection import Asking, Progress, ensemble, pool

STEPS = 10

Purpose = Literal["ensemble", "pool"]
Rareness = Literal["topic", "authors"]


def novelty(
    values: Values,
    *,
    measures: Any = None,
    prior: str | Sequence[str] = "others",
    entries: Any = None,
    shown: Sequence[str] | None = None,
    by: Any = None,
    depth: int | None = None,
    rel: float = 1,
    alpha: float = 1.0,
    rareness: Rareness = "topic",
    per_topic: bool = False,
    purpose: Purpose | None = None,
    runs: Any = None,
    method: str = "rrf",
    steps: int = STEPS,
    ties: Ties | str = Ties.TREC,
    interval: str | Interval = "t",
    level: float = LEVEL,
    seed: int = SEED,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Study:
    """What each run adds for somebody who knows other rankings: NRG, unique contributions, rareness, coverage.

    ``values`` come from :func:`evaluate`; looked at are all their measures, or those named. ``prior`` says whose
    rankings are known before a run: ``none``, all ``others``, those of an earlier date (``chronological``), all of
    ``other-groups``, the ``best-per-group`` of every other group (by the mean of ``by``, the measure itself if none is
    named), or a list of runs. ``shown`` are the runs that are asked about, all if nothing is said. ``entries`` say who
    submitted which run when (a table, or the headers of the runs). Unique contributions and rareness look at the first
    ``depth`` documents, the measure's cut-off if nothing is said, of grade ``rel`` or above; ``rareness="authors"``
    counts the runs that have a document in any topic, as the script of bigdeli2024 does.

    ``purpose="ensemble"``: which runs to fuse, each time the one that adds most, against taking them by their values;
    ``purpose="pool"``: which runs to pool, each time the one with the most new relevant documents. Both, and
    ``rareness="authors"``, need the ``runs`` themselves, as :func:`evaluate` had them, and their order of ``ties``.
    """
    check_level(level)
    if purpose not in (None, "ensemble", "pool"):
        raise ParameterError(f"novelty is not for {purpose!r}", hint="it is for an ensemble, or for a pool")
    if rareness not in ("topic", "authors"):
        raise ParameterError(f"rareness cannot be counted by {rareness!r}", hint="choose topic or authors")
    if values.assessed is None:
        raise ParameterError("a table of scores does not say what runs found", hint="give judgments and runs")
    assessed, values = values.assessed, values.in_topic_order()
    every: list[Any] = list(values.measures)
    asked_for = every if measures is None else parse_measures(measures)
    wanted = [every[values.index(_settled(values, one))] for one in asked_for]
    for measure in wanted:
        NRG(of=measure)  # refuses what has none
    deciding = None if by is None else every[values.index(_settled(values, by))]
    known = join_entries(values) if entries is None else read_entries(entries)
    whole = purpose is not None or rareness == "authors"
    asking = Asking(
        values=values,
        assessed=assessed,
        shown=range(len(values.runs)) if shown is None else [values.run_index(run) for run in shown],
        runs=_whole(values, runs, ties) if whole else (),
        entries=known,
        depth=depth,
        rel=rel,
        alpha=alpha,
        asked=Asked(level=level, seed=seed, threads=threads),
        interval=parse_method(INTERVALS, interval),
        made_by=replace(values.made_by, inputs=(*values.made_by.inputs, *known.inputs)),
    )
    rare = {depth: _rareness(asking, depth, rareness) for depth in {asking.deep(measure) for measure in wanted}}
    parts = [
        _one(asking, one, prior, one if deciding is None else deciding, rare, per_topic=per_topic) for one in wanted
    ]
    names = dict.fromkeys(name for part in parts for name in part)
    tables = {name: stack([part[name] for part in parts if name in part]) for name in names}
    if purpose == "ensemble":
        tables["ensemble"] = ensemble(asking, wanted[0], method, steps, progress)
    if purpose == "pool":
        tables["pool_runs"] = pool(asking, wanted[0], steps, progress)
    return Study("novelty", tables, _verdict(tables), asking.made_by, charts=_charts(tables, prior))


def _settled(values: Values, measure: Any) -> Any:
    """A measure as the values have it: with what depends on the judgments made explicit."""
    top = 0.0 if values.assessed is None else float(values.assessed.grade.max(initial=0))
    return parse_measure(measure).settled(top)


def _whole(values: Values, runs: Any, ties: Ties | str) -> list[Run]:
    """The runs with all their documents, in the order of the values."""
    if runs is None:
        raise ParameterError("the runs themselves are needed", hint="give them as to evaluate: runs=")
    found = {run.name: run for run in find_runs(runs)}
    missing = [run for run in values.runs if run not in found]
    if missing:
        raise ParameterError(f"there is no run named {missing[0]} among them", hint="give the runs that were evaluated")
    return [read_run(found[run], ties=ties) for run in values.runs]


def _one(
    asking: Asking, measure: Any, known: Any, by: Any, rare: Mapping[int, Sequence[float]], *, per_topic: bool
) -> dict[str, Table]:
    """The tables of one measure."""
    files = [source.name for source in asking.assessed.sources if source.kind == "run"]
    prior = make_prior(
        known,
        asking.values.runs,
        files=files,
        entries=asking.entries,
        means=asking.means(by),
        lower_is_better=str(by.direction) == "lower",
    )
    depth = asking.deep(measure)
    relative: dict[str, Measure] = {"nrg": NRG(of=measure), "unique": Unique(k=depth, rel=asking.rel)}
    notes: list[str] = []
    try:
        relative |= {"tasc": TaSC(of=measure), "tasc_mean": TaSC(of=measure, by="mean")}
    except ParameterError as error:
        notes.append(error.problem)
    values = asking.measured(prior, [measure, *relative.values()])
    out = seen_out(asking.assessed.after(prior.known), measure)
    gone = out[list(asking.shown)][:, asking.places(values.topics)]
    told = novelty_table(
        values,
        measure,
        relative,
        rare[depth],
        gone.sum(axis=1).tolist(),
        prior=replace(prior, known=prior.known[list(asking.shown)]),
        entries=asking.entries,
        interval=asking.interval,
        asked=asking.asked,
        made_by=asking.made_by,
    )
    notes += [*warning_notes(values), *_few_relevant(asking, measure), *unjudged_notes(values)]
    notes += [f"unique contributions and rareness: of the first {depth} documents"]
    tables = {"novelty": replace(told, notes=(*told.notes, *notes))}
    named = [
        {"run": run, "measure": str(measure), "topic": topic}
        for run, row in zip(values.runs, gone.tolist(), strict=True)
        for topic, nothing in zip(values.topics, row, strict=True)
        if nothing
    ]
    if named:
        listed = Table.from_rows(named, ("run", "measure", "topic"), caption="topics in which nothing was left")
        tables["seen_out"] = replace(listed, made_by=asking.made_by)
    if per_topic:
        tables["per_topic"] = novelty_by_topic(values, measure, relative, made_by=asking.made_by)
    if prior.bests:
        tables["bests"] = bests_table(prior, made_by=asking.made_by)
    return tables


def _rareness(asking: Asking, depth: int, way: Rareness) -> list[float]:
    """The mean of every run; over all runs, whatever is known before."""
    measure = RareP(k=depth, rel=asking.rel, alpha=asking.alpha)
    if way == "topic":
        everyone = make_prior("others", asking.assessed.runs)
        means: list[float] = asking.measured(everyone, [measure]).aggregate()[:, 0].tolist()
        return means
    held = Counter(document for run in asking.runs for document in run.first(depth).document.to_list())
    every = rareness_across(asking.assessed, measure, held)[list(asking.shown)]
    return [float(mean) for mean in every[:, asking.places(asking.values.topics)].mean(axis=1)]


def _few_relevant(asking: Asking, measure: Any) -> list[str]:
    """A word where a share of the perfect ranking says little: one document is all there is to find."""
    relevant = asking.assessed.relevant(1)[asking.places(asking.values.topics)]
    if getattr(measure, "whole", None) is None or not len(relevant) or float(relevant.max()) > 1:
        return []
    return [f"no topic has more than one relevant document: NRG({measure}) is {measure}, or 0; RR says more"]


def _verdict(tables: dict[str, Table]) -> dict[str, Any]:
    rows: list[dict[str, Any]] = tables["novelty"].rows()
    of_first = [row for row in rows if row["measure"] == rows[0]["measure"]]
    first = max(of_first, key=lambda row: -1 if row["nrg"] is None else row["nrg"])
    said = [novelty_sentence(tables["novelty"])]
    if "ensemble" in tables:
        said.append(ensemble_sentence(tables["ensemble"]))
    if "pool_runs" in tables:
        said.append(pool_sentence(tables["pool_runs"]))
    return {"most": first["run"], "nrg": first["nrg"], "sentence": " ".join(filter(None, said))}


def _charts(tables: dict[str, Table], prior: Any) -> tuple[str, ...]:
    drawn = ["novelty", "unique", "rareness"]
    if any(cell is not None for cell in tables["novelty"].cells("tasc")):
        drawn.append("tasc")
    if prior == "chronological":
        drawn.insert(0, "chronology")
    drawn += ["ensemble"] * ("ensemble" in tables) + ["pool-runs"] * ("pool_runs" in tables)
    return tuple(drawn)
