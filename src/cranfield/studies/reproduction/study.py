"""Does a reproduced run match the original in its rankings, values and improvement?"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from cranfield.core import SEED, ParameterError, Policy, Scale, Study, Table, Ties, weigh
from cranfield.data import Run, Values, find_runs, read_run, unjudged_notes
from cranfield.measures import TiedOverlap, Written, overlap_by_topic, union_by_topic
from cranfield.stats import (
    LEVEL,
    Asked,
    Told,
    beside_originals,
    check_level,
    mean_told,
    no_improvement,
    reproduce_table,
    reproduced_sentence,
    row_of,
)
from cranfield.studies.evaluation.input_notes import reading_notes
from cranfield.studies.evaluation.study import evaluate
from cranfield.studies.small_samples import few_topics_notes

USUAL = "AP nDCG@10 P@10"
DRAWS = 10_000
DEPTH = 1000
DEPTHS = (5, 10, 20, 50, 100, 200, 500, 1000)
BY_DEPTH = ("original", "run", "depth", "tau", "low", "high", "rbo", "rbo_low", "rbo_high")


def reproduce(
    qrels: Any,
    runs: Any,
    measures: Written | Iterable[Written] | None = None,
    *,
    originals: Any,
    replicated: Any = None,
    depth: int = DEPTH,
    persistence: float = 0.9,
    tied: TiedOverlap | None = None,
    ties: Ties | str = Ties.TREC,
    draws: int = DRAWS,
    level: float = LEVEL,
    scale: Policy = "note",
    seed: int = SEED,
    command: str = "",
) -> Study:
    """Runs that were made again beside their ``originals``: rankings, values, and what an improvement is worth.

    With one original every run is one more try at it. With two, a baseline and an advanced run, the runs come in
    twos in the same order, and the improvement is compared too: the effect ratio (1: as large as it was) and ΔRI
    (0: the same relative improvement). On the same topics rankings are compared by Kendall's τ union and
    rank-biased overlap (``persistence``) down to ``depth``, values by RMSE and the paired t test. Documents of one
    score stand in the order of ``ties``; ``tied`` says instead what they mean to rank-biased overlap, ``w``, ``a``
    or ``b``. ``replicated`` are the judgments of another collection, for which the runs were made: then there are
    only means to compare, by Welch's test.
    """
    check_level(level)
    measures = USUAL if measures is None else measures
    asked = Asked(level=level, seed=seed)
    first, second = find_runs(originals), find_runs(runs)
    _check(len(first), len(second), depth)
    before = evaluate(qrels, first, measures, ties=ties, scale="ignore", command=command)
    paired = replicated is None
    after = evaluate(qrels if paired else replicated, second, measures, ties=ties, scale="ignore", command=command)
    needs = {"the t test": Scale.INTERVAL, "the RMSE": Scale.INTERVAL}
    needs |= {"the effect ratio": Scale.INTERVAL, "ΔRI": Scale.RATIO} if len(first) == 2 else {}
    met = [(who, needed, measure) for measure in before.measures for who, needed in needs.items()]
    notes = weigh(met, scale, safe="the order of documents (τ union, RBO) is compared whatever the measure")
    made_by = _made_by(before, after, seed)
    rows: list[dict[str, Any]] = []
    tables: dict[str, Table] = {}
    if paired:
        rows, tables["by_depth"] = _rankings(first, second, depth, (persistence, tied), ties, asked, made_by)
    rows += beside_originals(before.in_topic_order(), after.in_topic_order(), paired=paired, asked=asked, draws=draws)
    table = reproduce_table(rows, made_by=made_by)
    apart = [note for one in tables.values() for note in one.notes]
    fewest = min(len(before.topics), len(after.topics))
    limits = [*no_improvement(before), *table.notes, *unjudged_notes(before, after), *few_topics_notes(fewest, level)]
    sources = [source for one in (before, after) if one.assessed for source in one.assessed.sources]
    tables["reproduce"] = replace(table, notes=(*reading_notes(sources), *apart, *limits, *notes))
    verdict: dict[str, Any] = {"originals": len(first), "runs": len(second), "level": level, "same_topics": paired}
    verdict |= {"sentence": reproduced_sentence(rows, paired=paired, level=level)}
    charts = (*["rankings-by-depth"] * paired, *["effect-ratio"] * (len(first) == 2))
    return Study("reproduce", tables, verdict, made_by, charts=charts)


def _check(originals: int, runs: int, depth: int) -> None:
    if originals not in (1, 2):
        hint = "give one, or two: the baseline first, then the run that improves on it"
        raise ParameterError(f"there are {originals} originals", hint=hint)
    if not runs or runs % originals:
        hint = "with two originals runs come in twos: a baseline, then the run that improves on it"
        raise ParameterError(f"{runs} runs do not go with {originals} originals", hint=hint)
    if depth < 1:
        raise ParameterError(f"rankings cannot be cut at depth {depth!r}", hint="compare at least one document")


def _made_by(before: Values, after: Values, seed: int) -> Any:
    inputs = dict.fromkeys([*before.made_by.inputs, *after.made_by.inputs])
    return replace(before.made_by, inputs=tuple(inputs), seed=seed)


def _rankings(
    first: Sequence[Any],
    second: Sequence[Any],
    depth: int,
    overlap: tuple[float, TiedOverlap | None],
    ties: Ties | str,
    asked: Asked,
    made_by: Any,
) -> tuple[list[dict[str, Any]], Table]:
    """The rows of whole rankings, and a table of what their beginnings have in common."""
    kept = depth if overlap[1] is None else None  # a tie that the depth cuts is looked at whole
    originals = [read_run(run, depth=kept, ties=ties) for run in first]
    rows: list[dict[str, Any]] = []
    cut: list[dict[str, Any]] = []
    notes: list[str] = []
    for i, found in enumerate(second):
        original, run = originals[i % len(originals)], read_run(found, depth=kept, ties=ties)
        longest = max(int(max(one.rank, default=0)) for one in (original, run))
        for at in sorted({*(some for some in DEPTHS if some < min(depth, longest)), min(depth, longest)}):
            tau, rbo = _alike(original, run, at, overlap, asked)
            cut.append({"original": original.name, "run": run.name, "depth": at, "tau": tau.value, "low": tau.low})
            cut[-1] |= {"high": tau.high, "rbo": rbo.value, "rbo_low": rbo.low, "rbo_high": rbo.high}
        rows += [row_of(original.name, run.name, one) for one in (tau, rbo)]
        there = [set(one.topics.to_list()) for one in (original, run)]
        if apart := len(there[0] ^ there[1]):
            many = "1 topic is" if apart == 1 else f"{apart:,} topics are"
            notes.append(f"{many} in {original.name} or {run.name} alone: their rankings are not compared")
    caption = "rankings beside their originals, as far down as one looks"
    return rows, Table.from_rows(cut, BY_DEPTH, caption=caption, made_by=made_by, notes=tuple(notes))


def _alike(
    original: Run, run: Run, depth: int, overlap: tuple[float, TiedOverlap | None], asked: Asked
) -> tuple[Told, Told]:
    """τ union and extrapolated RBO of the first documents, in the mean over topics."""
    tau = union_by_topic(original, run, depth=depth)["tau"]
    rbo = overlap_by_topic(original, run, p=overlap[0], depth=depth, ties=overlap[1])["extrapolated"]
    return mean_told("tau-union", tau, asked), mean_told("rbo", rbo, asked)
