"""Which labels do many workers agree on, and how do the merged labels affect the order of runs?"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from cranfield.collections import (
    AWARE,
    Aggregation,
    LabelledRuns,
    Merged,
    Point,
    Weighed,
    aggregations_table,
    aware_table,
    aware_values,
    confusion_table,
    crowd_agreement_table,
    crowd_sentence,
    drift_table,
    gold_values,
    join_runs,
    label_noise_table,
    labels_table,
    machine_confusion_table,
    machine_runs_table,
    machine_values,
    machines_sentence,
    machines_table,
    of_people,
    order_changes_table,
    order_sentence,
    orders_table,
    parse_aggregations,
    parse_aware,
    stopping_table,
    workers_sentence,
    workers_table,
)
from cranfield.core import SEED, ParameterError, Provenance, Study, Table, Ties
from cranfield.data import Labels, Qrels, Source, Values, join_labels, labels_from_qrels, read_labels, read_qrels
from cranfield.measures import parse_measures
from cranfield.stats import LEVEL, check_level
from cranfield.studies.pools.study import part_of

USUAL = ("dawid-skene", "majority", "weighted", "binomial", "one-coin", "mace", "glad")
NOISE = 200  # draws of unsure labels

Progress = Callable[[int, int], object]


def crowd(
    labels: Any,
    *,
    methods: Any = USUAL,
    by: Point | None = None,
    gold: Any = None,
    gold_rel: float | None = None,
    use_gold: bool = False,
    machines: bool = False,
    machine_qrels: Mapping[str, Any] | None = None,
    runs: Any = None,
    measures: Any = "nDCG@10",
    aware: str | AWARE | None = None,
    stopping: bool = False,
    draws: int = 1000,
    level: float = LEVEL,
    ties: Ties | str = Ties.TREC,
    seed: int = SEED,
    threads: int | None = None,
    progress: Progress | None = None,
    command: str = "",
) -> Study:
    """Labels of many workers become one, by several methods; the first of them gives the grades that count.

    ``labels`` are what ``cranfield.data.read_labels`` reads. Of a merged label ``by`` takes the likeliest grade,
    the median or the mean; each method has its own way if nothing is said. ``gold`` are judgments known to be right:
    methods and workers are held against them; from grade ``gold_rel`` on they are the highest label, for yes and no
    against grades. With ``use_gold`` they are merged too, and accuracy on them is that of merging without them.

    Labels of machines are never merged silently: they are set beside those of people, unless ``machines`` says that
    they are workers like any other. ``machine_qrels`` are judgments that machines made, by the name of each. With
    ``runs``: what each method does to the order of runs by ``measures``, values weighed by worker (``aware``), and how
    far the doubt that is left in labels reaches. ``stopping``: how many labels would have been enough.
    """
    check_level(level)
    wanted, weigh = parse_aggregations(methods), parse_aware(AWARE() if aware is None else aware)
    measures = parse_measures(measures)
    own = read_labels(labels).in_order()
    beside = [labels_from_qrels(machine_qrels, machines=list(machine_qrels)).in_order()] if machine_qrels else []
    read = join_labels([own, *beside])
    apart = bool(read.machine.any()) and not machines
    people = of_people(own) if apart else read
    judged = None if gold is None else read_qrels(gold)
    known, notes = (None, ()) if judged is None else _gold(people, judged, gold_rel)
    settings: Any = {"ties": ties, "threads": threads}
    joined = None if runs is None else join_runs(people, runs, **settings)
    steps = part_of(progress, 0, 100 if joined is None else 50)
    merged, honest = _merged(people, wanted, known if use_gold else None, seed, steps)
    tables = _tables(people, merged, honest, known, draws, level, seed)
    tables["aggregations"] = replace(tables["aggregations"], notes=(*odd_about(own.source), *notes))
    said = [crowd_sentence(people, honest, known), workers_sentence(tables["workers"])]
    if apart:
        tables["machines"] = machines_table(read, merged[0], by=by)
        tables["machine_confusion"] = machine_confusion_table(read, merged[0], by=by)
    if stopping:
        tables["stopping"] = stopping_table(people, merged[0], known)
    inputs = [part.source.as_input() for part in (own, *beside, judged) if part is not None]
    made_by = Provenance(command=command, inputs=tuple(inputs), seed=seed)
    both: Sequence[Any] = ()
    if joined is not None:
        weighed = weigh.weigh(joined, measures, gold=known, seed=seed)
        values = _values(joined, merged, weighed, measures, by, known)
        tables |= {"order_changes": order_changes_table(values), "orders": orders_table(values)}
        given: Any = {"seed": seed, "level": level, "progress": part_of(progress, 50, 100)}
        tables["label_noise"] = label_noise_table(joined, merged[0], measures, draws=NOISE, **given)
        tables["aware"] = aware_table(weighed)
        said.append(order_sentence(values, level=level))
        made_by = _with_runs(made_by, values)
        if apart:
            both = machine_values(join_runs(read, runs, **settings), merged[0], measures, by=by)
            tables["machine_runs"] = machine_runs_table(both)
    if apart:
        said.append(machines_sentence(tables["machines"], both))
    tables["labels"] = labels_table(people, merged[0], by=by)
    tables = {name: replace(table, made_by=made_by) for name, table in tables.items()}
    verdict = {"method": str(merged[0].method), "sentence": " ".join(filter(None, said))}
    return Study("crowd", tables, verdict, made_by, charts=_charts(tables))


def odd_about(source: Source) -> tuple[str, ...]:
    """What readers of the result should know of the file: what is left out of it, or stands there twice."""
    return tuple(f"{one.where}: {one.message}; {one.hint}" for one in source.problems.kept)


def _gold(labels: Labels, judged: Qrels, rel: float | None) -> tuple[Any, tuple[str, ...]]:
    """The choices that gold gives, and notes; where workers say yes or no and gold has grades, those from 1 on are yes.

    A grade that no worker gave is none of the choices.
    """
    name, highest = judged.source.name, float(judged.grade.max(initial=0))
    if rel is not None and rel <= 0:
        raise ParameterError(f"from grade {rel:g} on all of gold is the highest label", hint="give a grade above 0")
    low, high = float(labels.grades[0]), float(labels.grades[-1])
    notes = []
    if rel is None and len(labels.grades) == 2 and highest > high:
        rel = 1
        bound = f"from 1 on they count as {high:g}, below as {low:g}; --gold-rel sets another bound"
        notes.append(f"{name} has grades up to {highest:g}: {bound}")
    known = labels.gold(judged, rel=rel)
    found, all_found = int((known >= 0).sum()), int((labels.gold(judged, rel=0) >= 0).sum())
    if not all_found:
        hint = "gold needs topics and documents that were labelled: do they belong together?"
        raise ParameterError(f"{name}: no labelled document is in gold", hint=hint)
    if not found:
        hint = "--gold-rel GRADE takes gold from that grade on for the highest label, the others for the lowest"
        raise ParameterError(f"{name}: no worker gave a grade that gold has", hint=hint)
    if found < all_found:
        notes.append(
            f"{name}: {all_found - found:,} of {all_found:,} gold grades are none that a worker gave: left out"
        )
    return known, tuple(notes)


def _merged(
    labels: Labels, methods: Sequence[Aggregation], gold: Any, seed: int, progress: Progress | None
) -> tuple[list[Merged], list[Merged]]:
    """By each method: what counts, and what it would say without gold, which alone may be held against gold."""
    ways = [None] if gold is None else [gold, None]
    found: list[list[Merged]] = [[] for _ in ways]
    for number, method in enumerate(methods, 1):
        for each, given in zip(found, ways, strict=True):
            each.append(method.merge(labels.answers, gold=given, seed=seed))
        if progress:
            progress(number, len(methods))
    return found[0], found[-1]


def _tables(
    people: Labels, merged: list[Merged], honest: list[Merged], known: Any, draws: int, level: float, seed: int
) -> dict[str, Table]:
    """What is there whatever was asked for."""
    return {
        "aggregations": aggregations_table(people, honest, known),
        "agreement": crowd_agreement_table(people, draws=draws, level=level, seed=seed),
        "workers": workers_table(people, merged[0], known, level=level),
        "confusion": confusion_table(people, merged[0]),
        "drift": drift_table(people, merged[0]),
    }


def _values(
    joined: LabelledRuns, merged: Sequence[Merged], weighed: Weighed, measures: Any, by: Point | None, known: Any
) -> dict[str, Values]:
    """Values of the runs under each way to merge labels, and under gold where that knows enough."""
    values = {str(one.method): joined.values(one.point(joined.labels.grades, by), measures) for one in merged}
    values["aware"] = aware_values(weighed)
    right = None if known is None else gold_values(joined, known, measures)
    return values if right is None else values | {"gold": right}


def _with_runs(made_by: Provenance, values: Mapping[str, Values]) -> Provenance:
    first = next(iter(values.values())).made_by
    inputs = dict.fromkeys((*made_by.inputs, *(one for one in first.inputs if one.kind == "run")))
    return replace(made_by, inputs=tuple(inputs), measures=first.measures)


def _charts(tables: Mapping[str, Table]) -> tuple[str, ...]:
    drawn = ["workers", "aggregations"]
    drawn += ["label-orders", "label-noise"] * ("orders" in tables)
    drawn += ["machines"] * ("machines" in tables) + ["stopping"] * ("stopping" in tables)
    return tuple(drawn)
