"""What does a run find that others miss?"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Literal

from cranfield.core import SEED, ParameterError, Study, Table, Ties, stack
from cranfield.data import (
    PRIORS,
    find_runs,
    join_entries,
    make_prior,
    order_of,
    read_entries,
    read_qrels,
    read_run,
    split_known,
)
from cranfield.measures import (
    NRG,
    Measure,
    RareP,
    TaSC,
    Unique,
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

from ._evaluate import evaluate
from ._novelty_for import DEPTH, Asking, Progress, ensemble, pool

USUAL = "nDCG@10"
STEPS = 10
COMPAT = ("bigdeli2024",)

Purpose = Literal["ensemble", "pool"]


def novelty(
    qrels: Any,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure] = USUAL,
    *,
    prior: Any = "others",
    entries: Any = None,
    by: str | Measure | None = None,
    depth: int | None = None,
    rel: float = 1,
    alpha: float = 1.0,
    purpose: Purpose | None = None,
    method: str = "rrf",
    steps: int = STEPS,
    compat: str | None = None,
    per_topic: bool = False,
    topics: Literal["qrels", "both"] | None = None,
    only: Iterable[str] | None = None,
    ties: Ties | str | None = None,
    gains: bool = False,
    interval: str | Interval = "t",
    level: float = LEVEL,
    seed: int = SEED,
    threads: int | None = None,
    progress: Progress | None = None,
    measuring: Progress | None = None,
    command: str = "",
) -> Study:
    """What each run adds for somebody who knows other rankings: NRG, unique contributions, rareness, coverage.

    ``prior`` says which are known before a run: ``none``, all ``others``, those of an earlier date (``chronological``),
    all of ``other-groups``, the ``best-per-group`` of every other group (by the mean of ``by``, the measure itself if
    none is named), or a list of runs: evaluated ones by name, others as files. ``entries`` say who submitted which run
    when (a table, or the headers of the runs). Unique contributions and rareness look at the first ``depth`` documents:
    the measure's cut-off if nothing is said; ``rel`` is the grade from which on a document is relevant to them.

    ``purpose="ensemble"``: which runs to fuse, each time the one that adds most, against taking them by their values;
    ``purpose="pool"``: which runs to pool, each time the one with the most new relevant documents.
    ``compat="bigdeli2024"`` counts for rareness how many runs have a document in any topic, as its authors' script.
    """
    check_level(level)
    wanted = parse_measures(measures)
    for measure in wanted:
        NRG(of=measure)  # refuses what has none before anything large is read
    deciding = parse_measures(by)[0] if by is not None else None
    ranked = list(dict.fromkeys([*wanted, *([] if deciding is None else [deciding])]))
    if ties is not None:
        order_of(ties)  # refuses what is no order
    if compat is not None and compat not in COMPAT:
        raise ParameterError(f"compat={compat} is not known", hint=f"choose one of: {', '.join(COMPAT)}")
    if purpose not in (None, "ensemble", "pool"):
        raise ParameterError(f"novelty is not for {purpose!r}", hint="it is for an ensemble, or for a pool")
    judged = read_qrels(qrels, gains=gains)
    found, names, shown = _joined(runs, prior)
    values = evaluate(
        judged,
        found,
        ranked,
        topics=topics,
        only=None if only is None else list(only),
        ties=ties,
        threads=threads,
        progress=progress,
        measuring=measuring,
        scale="ignore",
        command=command,
    )
    assert values.assessed is not None
    known = join_entries(values) if entries is None else read_entries(entries)
    asking = Asking(
        qrels=judged,
        found=found,
        values=values,
        assessed=values.assessed,
        shown=shown,
        topics=topics,
        only=values.topics,
        entries=known,
        asked=Asked(level=level, seed=seed, threads=threads),
        made_by=replace(values.made_by, inputs=(*values.made_by.inputs, *known.inputs)),
        interval=parse_method(INTERVALS, interval),
        options={"depth": depth, "rel": rel, "alpha": alpha, "compat": compat, "ties": ties},
    )
    settled: list[Any] = list(values.measures)
    parts = [
        _one(asking, one, names, one if deciding is None else settled[ranked.index(deciding)], per_topic=per_topic)
        for one in settled[: len(wanted)]
    ]
    every = dict.fromkeys(name for part in parts for name in part)
    tables = {name: stack([part[name] for part in parts if name in part]) for name in every}
    first = settled[0]
    if purpose == "ensemble":
        tables["ensemble"] = ensemble(asking, first, method, steps, measuring)
    if purpose == "pool":
        tables["pool_runs"] = pool(asking, first, steps, measuring)
    return Study("novelty", tables, _verdict(tables), asking.made_by, charts=_charts(tables, prior))


def _joined(runs: Any, prior: Any) -> tuple[list[Any], Any, int]:
    """The runs and those that are only known before them; the prior by names; how many runs are asked for."""
    found = find_runs(runs)
    if isinstance(prior, str) and prior in PRIORS:
        return found, prior, len(found)
    places, others = split_known(found, [prior] if not isinstance(prior, list | tuple) else prior)
    joined = find_runs([*found, *others])
    names = [joined[place].name for place in places] + [run.name for run in joined[len(found) :]]
    return joined, names, len(found)


def _one(asking: Asking, measure: Any, names: Any, by: Any, *, per_topic: bool) -> dict[str, Table]:
    """The tables of one measure."""
    runs = asking.values.runs
    prior = make_prior(
        names,
        runs,
        entries=asking.entries,
        means=asking.means(by),
        lower_is_better=str(by.direction) == "lower",
    )
    depth = asking.options["depth"] or measure.k or DEPTH
    unique = Unique(k=depth, rel=asking.options["rel"])
    relative: dict[str, Measure] = {"nrg": NRG(of=measure), "unique": unique}
    notes: list[str] = []
    try:
        relative |= {"tasc": TaSC(of=measure), "tasc_mean": TaSC(of=measure, by="mean")}
    except ParameterError as error:
        notes.append(error.problem)
    values = asking.measured(prior, [measure, *relative.values()])
    out = seen_out(asking.assessed.after(prior.known), measure)[: asking.shown, asking.places(asking.values.topics)]
    told = novelty_table(
        values,
        measure,
        relative,
        _rareness(asking, depth),
        out.sum(axis=1).tolist(),
        prior=prior,
        entries=asking.entries,
        interval=asking.interval,
        asked=asking.asked,
        made_by=asking.made_by,
    )
    notes += _few_relevant(asking, measure)
    notes += [f"unique contributions and rareness: of the first {depth} documents"]
    tables = {"novelty": replace(told, notes=(*told.notes, *notes))}
    gone = [
        {"run": run, "measure": str(measure), "topic": topic}
        for run, row in zip(values.runs, out.tolist(), strict=True)
        for topic, nothing in zip(values.topics, row, strict=True)
        if nothing
    ]
    if gone:
        listed = Table.from_rows(gone, ("run", "measure", "topic"), caption="topics in which nothing was left")
        tables["seen_out"] = replace(listed, made_by=asking.made_by)
    if per_topic:
        tables["per_topic"] = novelty_by_topic(values, measure, relative, made_by=asking.made_by)
    if prior.bests:
        tables["bests"] = bests_table(prior, made_by=asking.made_by)
    return tables


def _rareness(asking: Asking, depth: int) -> list[float]:
    """The mean of every run; over all runs, whatever is known before."""
    measure = RareP(k=depth, rel=asking.options["rel"], alpha=asking.options["alpha"])
    if asking.options["compat"] is None:
        everyone = make_prior("others", asking.assessed.runs)
        means: list[float] = asking.measured(everyone, [measure]).aggregate()[:, 0].tolist()
        return means
    held: Counter[str] = Counter()
    for run in asking.found:
        held.update(read_run(run, depth=depth, ties=asking.options["ties"] or Ties.TREC).document.to_list())
    every = rareness_across(asking.assessed, measure, held)[: asking.shown, asking.places(asking.values.topics)]
    return [float(mean) for mean in every.mean(axis=1)]


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
