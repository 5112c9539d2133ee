"""Which documents do workers prefer in pairwise votes (Bradley–Terry)?"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from cranfield.collections import (
    Strengths,
    aggregations_table,
    bradley_terry,
    crowd_agreement_table,
    crowd_sentence,
    machine_confusion_table,
    machine_votes_sentence,
    machines_table,
    parse_aggregations,
    strengths_table,
    workers_sentence,
    workers_table,
)
from cranfield.core import SEED, Provenance, Study, Table
from cranfield.data import read_votes
from cranfield.stats import LEVEL, check_level

from .study import odd_about

Progress = Callable[[int, int], object]


def preferences(
    votes: Any,
    *,
    methods: Any = "mace",
    weigh: bool = True,
    machines: bool = False,
    draws: int = 1000,
    level: float = LEVEL,
    seed: int = SEED,
    progress: Progress | None = None,
    command: str = "",
) -> Study:
    """How strong each document of a topic is, from votes between two of them (Bradley–Terry).

    ``votes`` are what ``cranfield.data.read_votes`` reads. The first of the ``methods`` says how far each worker is to
    be trusted, and their votes count for as much, the mean vote for 1, unless ``weigh`` is off. Votes of machines are
    set beside those of people, unless ``machines`` says that they are workers like any other, or there are no others.
    """
    check_level(level)
    wanted = parse_aggregations(methods)
    every = read_votes(votes).in_order()
    apart = bool(every.machine.any()) and not every.machine.all() and not machines
    read = every.of_workers(~every.machine) if apart else every
    labels = read.as_labels()
    merged = []
    for method in wanted:
        merged.append(method.merge(labels.answers, seed=seed))
        if progress:
            progress(len(merged), len(wanted))
    trust = merged[0].weight
    usual = float(trust[read.answers.worker].mean())  # so that all votes together say as much as there are
    found = bradley_terry(read, weight=trust / usual if weigh and usual else None, level=level)
    tables: dict[str, Table] = {
        "aggregations": replace(aggregations_table(labels, merged), notes=odd_about(every.source)),
        "agreement": crowd_agreement_table(labels, draws=draws, level=level, seed=seed),
        "workers": workers_table(labels, merged[0], level=level),
    }
    said = [crowd_sentence(labels, merged, pairs=True), workers_sentence(tables["workers"], what="votes")]
    if apart:
        beside = every.as_labels()
        tables["machines"] = _without_sides(machines_table(beside, merged[0]))
        tables["machine_confusion"] = machine_confusion_table(beside, merged[0])
    tables["strengths"] = strengths_table(found)
    if weigh and (merged[0].weight != 1).any():
        note = f"a vote counts for what its worker weighs by {merged[0].method}: --table workers has the weights"
        tables["strengths"] = replace(tables["strengths"], notes=(*tables["strengths"].notes, note))
    said.append(_clearest(tables["strengths"], _parted(found)))
    if apart:
        said.append(machine_votes_sentence(tables["machines"]))
    made_by = Provenance(command=command, inputs=(every.source.as_input(),), seed=seed)
    verdict = {"method": str(merged[0].method), "sentence": " ".join(filter(None, said))}
    tables = {name: replace(table, made_by=made_by) for name, table in tables.items()}
    return Study("crowd", tables, verdict, made_by, charts=("strengths", "workers"))


def _without_sides(machines: Table) -> Table:
    """Of two documents none is the higher: a machine says the same or something else, not more or less."""
    return replace(machines, data={**machines.data, **{name: [None] * len(machines) for name in ("higher", "lower")}})


def _parted(found: Strengths) -> set[str]:
    """Topics in which no votes link some documents to the others."""
    seen = zip(found.votes.document_topic.tolist(), found.component.tolist(), found.rank.tolist(), strict=True)
    sets = Counter(topic for topic, _ in {(topic, component) for topic, component, rank in seen if rank})
    return {found.votes.topics[topic] for topic, number in sets.items() if number > 1}


def _clearest(strengths: Table, parted: set[str]) -> str:
    """In how many topics the strongest document stands clear of the next."""
    rows: list[dict[str, Any]] = strengths.rows()
    first = {row["topic"]: row for row in rows if row["rank"] == 1}
    second = {row["topic"]: row for row in rows if row["rank"] == 2}
    clear = sum(first[topic]["low"] > second[topic]["high"] for topic in second if topic not in parted)
    if len(first) == 1:
        return f"The strongest document's interval {'lies' if clear else 'does not lie'} above that of the next."
    return f"In {clear:,} of {len(first):,} topics the strongest document's interval lies above that of the next."
