"""Quality of the judgments of a pool: agreement, outlying assessors, trial results and disputes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import nan
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db.models import Count, Max

from cranfield.collections import (
    DawidSkene,
    course_table,
    crowd_agreement_table,
    gold_scores,
    machines_sentence,
    machines_table,
    of_people,
    on_scale,
    workers_sentence,
    workers_table,
)
from cranfield.data import read_labels, read_qrels
from cranfield.server.models import Judgment, Pool, Question
from cranfield.server.site.single_flight_cache import kept

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cranfield.core import Table
    from cranfield.data import Labels

FEWEST = 2  # people who must have judged a document for anybody to agree
FIRM, TENTATIVE = 0.8, 0.667  # of α: the bounds that Krippendorff himself gives
DRAWS = 400  # of documents, for intervals: a page is waited for
SHOWN = 50  # disputed documents on the page; all come on that of deciding


class Row(NamedTuple):
    """A judgment that counts."""

    topic: str
    document: str
    gold: float | None  # of a document of the trial
    kind: str
    who: str
    grade: float | None
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Person:
    """Somebody who judges: how much, how fast, how like the others."""

    name: str
    from_file: bool
    judgments: int
    unsure: int  # that cannot be judged
    seconds: float | None  # the median
    agreement: float | None  # share of pairs with others that are equal
    trial: int = 0  # documents of the trial …
    right: int = 0  # … of which so many have the right grade
    spammer: bool = False
    why: str = ""  # they stand out


@dataclass(frozen=True, kw_only=True)
class Quality:
    """What is known of the judgments of a pool."""

    judgments: int
    shared: int  # documents that two or more people judged
    sentences: list[str]
    agreement: Table | None = None
    people: list[Person] = field(default_factory=list)
    course: Table | None = None
    workers: Table | None = None  # as ``cranfield crowd`` has it: what the chart is drawn from
    machines: Table | None = None


def rows_of(pool: Pool) -> list[Row]:
    """The judgments of people and machines in the order in which they came, without decisions."""
    found = Judgment.objects.filter(question__pool=pool, taken_back=None).exclude(kind=Judgment.LAST).order_by("id")
    told = found.values_list(
        "question__topic", "question__document", "question__gold", "kind", "user__username", "worker", "grade",
        "seconds",
    )  # fmt: skip
    accounts = set(found.exclude(user=None).order_by().values_list("user__username", flat=True).distinct())
    return [Row(*row[:4], _name(accounts, *row[3:6]), *row[6:]) for row in told]


def _name(accounts: set[str], kind: str, username: str | None, worker: str) -> str:
    """Who says it: nobody without an account is taken for somebody with one, no machine for a person."""
    if username is not None:
        return username
    if kind == Judgment.MACHINE:
        return f"{worker} (machine)"
    return f"{worker} (from a file)" if worker in accounts else worker


def labels_of(rows: Iterable[Row]) -> Labels | None:
    """Judgments as labels of workers; None where there are none."""
    kept = [row for row in rows if row.grade is not None]
    if not kept:
        return None
    columns = {
        "topic": [row.topic for row in kept],
        "document": [row.document for row in kept],
        "worker": [row.who for row in kept],
        "grade": [row.grade for row in kept],
        "kind": ["machine" if row.kind == Judgment.MACHINE else "person" for row in kept],
    }
    return read_labels(columns, name="judgments")


def quality_of(pool: Pool) -> Quality:
    """Look at all that people and machines have said so far; as long as nobody says more, it is worked out once.

    Only organisers see it, and all of them the same: who looks is no part of what it is kept by.
    """
    said = Judgment.objects.filter(question__pool=pool).aggregate(
        number=Count("id"), last=Max("id"), back=Count("taken_back")
    )
    gold = pool.questions.filter(gold__isnull=False).order_by("id").values_list("id", "gold")
    return _quality(pool.key, (*said.values(), *gold, str(pool.grades)))


@kept(8)
def _quality(key: str, stamp: tuple[Any, ...]) -> Quality:
    del stamp  # what has changed if anything has
    pool = Pool.objects.get(key=key)
    every = rows_of(pool)
    said = [row for row in every if row.kind != Judgment.MACHINE]
    asked = [row for row in said if row.gold is None]
    labels = labels_of(asked)
    met = _met(asked)
    workers = workers_of(said)
    agreement = crowd_agreement_table(labels, draws=DRAWS) if labels is not None and met else None
    seconds = [_seconds(row) for row in asked if row.grade is not None]
    machines, of_machines = _machines([row for row in every if row.gold is None])
    sentences = [_agreement_sentence(agreement, len(met))]
    sentences += [workers_sentence(workers, what="judgments they share")] if workers is not None else []
    return Quality(
        judgments=len(said),
        shared=len(met),
        sentences=[one for one in (*sentences, of_machines) if one],
        agreement=agreement,
        people=_people(pool, said, labels, seconds, workers),
        course=None if labels is None else course_table(labels, seconds=seconds),
        workers=workers,
        machines=machines,
    )


def workers_of(said: Sequence[Row]) -> Table | None:
    """Workers beside what all say together, on documents that two or more judged or whose grade is known.

    Where one person alone has judged a document, what all say is what they say: it tells nothing of them.
    """
    met = _met(said)
    labels = labels_of(row for row in said if row.gold is not None or (row.topic, row.document) in met)
    if labels is None or len(labels.workers) < FEWEST:
        return None
    known = _gold(said)
    gold = labels.gold(read_qrels(known)) if known else None
    return workers_table(labels, DawidSkene().merge(labels.answers, gold=gold), gold)


def _met(said: Iterable[Row]) -> set[tuple[str, str]]:
    """The documents that two or more people gave a grade."""
    counts = Counter((row.topic, row.document) for row in said if row.grade is not None)
    return {item for item, count in counts.items() if count >= FEWEST}


def _gold(said: Iterable[Row]) -> dict[str, dict[str, float]]:
    known: dict[str, dict[str, float]] = {}
    for row in said:
        if row.gold is not None:
            known.setdefault(row.topic, {})[row.document] = row.gold
    return known


def _seconds(row: Row) -> float:
    """A file does not say how long somebody took."""
    return row.seconds if row.kind == Judgment.FIRST and row.seconds > 0 else nan


def _people(
    pool: Pool, said: Sequence[Row], labels: Labels | None, seconds: Sequence[float], workers: Table | None
) -> list[Person]:
    """Everybody who has judged, who judged most first."""
    whole = {} if labels is None else _by(course_table(labels, seconds=seconds, parts=1), "worker")
    stand = {} if workers is None else _by(workers, "worker")
    trial = _trial(pool, said)
    counts, unsure = Counter(row.who for row in said), Counter(row.who for row in said if row.grade is None)
    from_file = {row.who for row in said if row.kind == Judgment.CROWD}
    return [
        Person(
            name=name,
            from_file=name in from_file,
            judgments=count,
            unsure=unsure[name],
            seconds=whole.get(name, {}).get("seconds"),
            agreement=whole.get(name, {}).get("agreement"),
            trial=trial.get(name, {}).get("gold", 0),
            right=trial.get(name, {}).get("right", 0),
            spammer=bool(stand.get(name, {}).get("spammer")),
            why=stand.get(name, {}).get("why") or "",
        )
        for name, count in sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    ]


def _by(table: Table, column: str) -> dict[str, dict[str, Any]]:
    return {str(row[column]): row for row in table.rows()}


def _trial(pool: Pool, said: Sequence[Row]) -> dict[str, dict[str, Any]]:
    """How many documents of the trial each person got right."""
    labels = labels_of(row for row in said if row.gold is not None)
    if labels is None:
        return {}
    given = {row.grade for row in said if row.grade is not None} | {row.gold for row in said if row.gold is not None}
    scale = on_scale(labels, sorted(given | {float(grade) for grade, _ in pool.grades}))
    return _by(gold_scores(scale, scale.gold(read_qrels(_gold(said)))), "worker")


def _machines(rows: Sequence[Row]) -> tuple[Table | None, str]:
    """Machines beside people together, and what that says."""
    labels = labels_of(rows)
    if labels is None or not labels.machine.any() or labels.machine.all():
        return None, ""
    people = of_people(labels)
    table = machines_table(labels, DawidSkene().merge(people.answers))
    return table, machines_sentence(table, [])


def _agreement_sentence(table: Table | None, shared: int) -> str:
    """How far people agree, by the α that knows the order of grades where there are more than two."""
    if table is None:
        return "Nothing is known of agreement: no document was judged by two people."
    documents = "1 document" if shared == 1 else f"{shared:,} documents"
    found = _by(table, "statistic")
    row = found.get("Krippendorff α (ordinal)") or found["Krippendorff α (nominal)"]
    if row["value"] is None:
        return f"All judgments of {documents} that two or more people judged are equal."
    value = row["value"]
    if value >= FIRM:
        means = "that is firm"
    elif value >= TENTATIVE:
        means = f"that allows tentative conclusions, from {FIRM:g} on it is firm"
    else:
        means = f"that is low, for below {TENTATIVE:g} conclusions rest on little"
    ends = f" ({row['low']:.2f} to {row['high']:.2f})" if row["low"] is not None else ""
    figure = f"{value:.2f}{ends}".replace("-", "−")
    return f"{row['statistic']} is {figure} on {documents} that two or more people judged: {means}."


def disputed_of(pool: Pool) -> list[Question]:
    """Documents on which people differ and nobody has decided yet, the oldest first."""
    found = pool.questions.filter(disputed=True).annotate(last=Max("judgments__made"))
    return list(found.order_by("last", "id")[:SHOWN])
