"""What do many workers say together, and what does it do to the order of runs?"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from cranfield.core import SEED, ParameterError, Provenance, Study, Table, Ties
from cranfield.crowds import (
    AWARE,
    Aggregation,
    Merged,
    Point,
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
from cranfield.data import Labels, Qrels, Values, read_labels, read_qrels
from cranfield.stats import LEVEL, check_level

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

    ``labels`` are what :func:`~cranfield.data.read_labels` reads. Of a merged label ``by`` takes the likeliest grade,
    the median or the mean; each method has its own way if nothing is said. ``gold`` are judgments known to be right:
    methods and workers are held against them; from grade ``gold_rel`` on they are the highest label, for yes and no
    against grades. With ``use_gold`` they are merged too, and accuracy on them is that of merging without them.

    Labels of machines are never merged silently: they are set beside those of people, unless ``machines`` says that
    they are workers like any other. With ``runs``: what each method does to the order of runs by ``measures``, values
    weighed by worker (``aware``), and how far the doubt that is left in labels reaches. ``stopping``: how many labels
    would have been enough.
    """
    check_level(level)
    read = read_labels(labels)
    apart = bool(read.machine.any()) and not machines
    people = of_people(read) if apart else read
    judged = None if gold is None else read_qrels(gold)
    known = None if judged is None else _gold(people, judged, gold_rel)
    wanted = parse_aggregations(methods)
    inputs = (read.source.as_input(), *(() if judged is None else (judged.source.as_input(),)))
    made_by = Provenance(command=command, inputs=inputs, seed=seed)
    merged = _merged(people, wanted, known if use_gold else None, seed, progress)
    honest = _merged(people, wanted, None, seed, None) if use_gold and known is not None else merged
    tables: dict[str, Table] = {
        "aggregations": aggregations_table(people, honest, known, made_by=made_by),
        "agreement": crowd_agreement_table(people, draws=draws, level=level, seed=seed, made_by=made_by),
        "workers": workers_table(people, merged[0], known, level=level, made_by=made_by),
        "confusion": confusion_table(people, merged[0], made_by=made_by),
        "drift": drift_table(people, merged[0], made_by=made_by),
    }
    said = [crowd_sentence(people, honest, known), workers_sentence(tables["workers"])]
    if apart:
        tables["machines"] = machines_table(read, merged[0], by=by, made_by=made_by)
        tables["machine_confusion"] = machine_confusion_table(read, merged[0], by=by, made_by=made_by)
    if stopping:
        tables["stopping"] = stopping_table(people, merged[0], known, made_by=made_by)
    both: Sequence[Any] = ()
    if runs is not None:
        settings: Any = {"ties": ties, "threads": threads, "progress": progress}
        joined = join_runs(people, runs, **settings)
        weigh = parse_aware(aware or AWARE())
        weighed = weigh.weigh(joined, measures, gold=known, seed=seed)
        values = {str(one.method): joined.values(one.point(people.grades, by), measures) for one in merged}
        values["aware"] = aware_values(weighed)
        right = None if known is None else gold_values(joined, known, measures)
        if right is not None:
            values["gold"] = right
        tables |= _orders(values, joined, merged[0], measures, weighed, level, seed, progress)
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


def _gold(labels: Labels, judged: Qrels, rel: float | None) -> Any:
    """The choices that gold gives; where workers say yes or no and gold has grades, those above 0 are yes."""
    beyond = float(judged.grade.max(initial=0)) > float(labels.grades[-1])
    if rel is None and len(labels.grades) == 2 and beyond:
        rel = 1
    known = labels.gold(judged, rel=rel)
    if not (known >= 0).any():
        hint = "gold judgments share topics, documents and grades with the labels; --gold-rel makes grades yes and no"
        raise ParameterError(f"{judged.source.name}: no labelled document has a gold grade", hint=hint)
    return known


def _merged(
    labels: Labels, methods: Sequence[Aggregation], gold: Any, seed: int, progress: Progress | None
) -> list[Merged]:
    found = []
    for method in methods:
        found.append(method.merge(labels.answers, gold=gold, seed=seed))
        if progress:
            progress(len(found), len(methods))
    return found


def _orders(
    values: Mapping[str, Values],
    joined: Any,
    merged: Merged,
    measures: Any,
    weighed: Any,
    level: float,
    seed: int,
    progress: Progress | None,
) -> dict[str, Table]:
    """What merging does to the order of runs."""
    noise = label_noise_table(joined, merged, measures, draws=NOISE, seed=seed, level=level, progress=progress)
    return {
        "order_changes": order_changes_table(values),
        "orders": orders_table(values),
        "label_noise": noise,
        "aware": aware_table(weighed),
    }


def _with_runs(made_by: Provenance, values: Mapping[str, Values]) -> Provenance:
    first = next(iter(values.values())).made_by
    inputs = dict.fromkeys((*made_by.inputs, *(one for one in first.inputs if one.kind == "run")))
    return replace(made_by, inputs=tuple(inputs), measures=first.measures)


def _charts(tables: Mapping[str, Table]) -> tuple[str, ...]:
    drawn = ["workers", "aggregations"]
    drawn += ["label-orders", "label-noise"] * ("orders" in tables)
    drawn += ["machines"] * ("machines" in tables) + ["stopping"] * ("stopping" in tables)
    return tuple(drawn)
