"""Which documents do workers prefer, two at a time?"""

from collections.abc import Callable
from typing import Any

from cranfield.core import SEED, Provenance, Study, Table
from cranfield.crowds import (
    aggregations_table,
    bradley_terry,
    crowd_agreement_table,
    crowd_sentence,
    machine_confusion_table,
    machines_sentence,
    machines_table,
    parse_aggregations,
    strengths_table,
    workers_sentence,
    workers_table,
)
from cranfield.data import read_votes
from cranfield.stats import LEVEL, check_level

Progress = Callable[[int, int], object]


def preferences(
    votes: Any,
    *,
    methods: Any = "mace",
    weigh: bool = True,
    machines: bool = False,
    level: float = LEVEL,
    seed: int = SEED,
    progress: Progress | None = None,
    command: str = "",
) -> Study:
    """How strong each document of a topic is, from votes between two of them (Bradley–Terry).

    ``votes`` are what :func:`~cranfield.data.read_votes` reads. The first of the ``methods`` says how far each worker
    is to be trusted, and their votes count for as much, unless ``weigh`` is off. Votes of machines are set beside those
    of people, unless ``machines`` says that they are workers like any other, or there are no others.
    """
    check_level(level)
    every = read_votes(votes)
    apart = bool(every.machine.any()) and not every.machine.all() and not machines
    read = every.of_workers(~every.machine) if apart else every
    labels = read.as_labels()
    merged = []
    wanted = parse_aggregations(methods)
    for method in wanted:
        merged.append(method.merge(labels.answers, seed=seed))
        if progress:
            progress(len(merged), len(wanted) + 1)
    made_by = Provenance(command=command, inputs=(read.source.as_input(),), seed=seed)
    found = bradley_terry(read, weight=merged[0].weight if weigh else None, level=level)
    tables: dict[str, Table] = {
        "aggregations": aggregations_table(labels, merged, made_by=made_by),
        "agreement": crowd_agreement_table(labels, level=level, seed=seed, made_by=made_by),
        "workers": workers_table(labels, merged[0], level=level, made_by=made_by),
        "strengths": strengths_table(found, made_by=made_by),
    }
    said = [crowd_sentence(labels, merged), workers_sentence(tables["workers"]), _clearest(tables["strengths"])]
    if apart:
        beside = every.as_labels()
        tables = {
            "machines": machines_table(beside, merged[0], made_by=made_by),
            "machine_confusion": machine_confusion_table(beside, merged[0], made_by=made_by),
            **tables,
        }
        said.append(machines_sentence(tables["machines"]))
    verdict = {"method": str(merged[0].method), "sentence": " ".join(filter(None, said))}
    return Study("crowd", tables, verdict, made_by, charts=("strengths", "workers", *("machines",) * apart))


def _clearest(strengths: Table) -> str:
    """In how many topics the strongest document stands clear of the next."""
    rows: list[dict[str, Any]] = strengths.rows()
    first = {row["topic"]: row for row in rows if row["rank"] == 1}
    second = {row["topic"]: row for row in rows if row["rank"] == 2}
    clear = sum(
        topic in second and first[topic]["low"] is not None and first[topic]["low"] > (second[topic]["high"] or 0)
        for topic in first
    )
    topics = len({row["topic"] for row in rows})
    return f"In {clear:,} of {topics:,} topics the strongest document's interval lies above that of the next."
