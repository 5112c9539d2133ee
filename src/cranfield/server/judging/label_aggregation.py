"""Aggregate the judgments of a pool into labels and create the next label version."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from cranfield.collections import DawidSkene, Majority, labels_table
from cranfield.core import VERSION, ParameterError
from cranfield.data import read_labels, read_qrels
from cranfield.server.models import Judgment
from cranfield.server.operations import audit_log
from cranfield.server.site import blob_store
from cranfield.server.site.single_flight_cache import kept
from cranfield.server.tasks.label_versions import Looked, add_version, differences

from .crowd_import import of_crowd_alone

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cranfield.collections import Aggregation
    from cranfield.data import Labels, Qrels
    from cranfield.server.models import LabelVersion, Pool, User

Place: TypeAlias = tuple[str, str]  # topic and document
Rows: TypeAlias = tuple[tuple[str, str, str, float], ...]  # topic, document, who, grade
Flat: TypeAlias = tuple[tuple[str, str, float], ...]  # topic, document, grade
HOLDS, HERE, AWARE_WAY, BY = "holds", "here", "aware", "machine "
ACCOUNT, FILE = "account ", "file "  # before who says it
SEVERAL: Mapping[str, tuple[str, Aggregation, str]] = {
    "majority": ("Majority", Majority(ties="lowest"), "The grade that most gave; of equals the lower. No decisions."),
    "dawid-skene": ("Dawid–Skene", DawidSkene(), "People count for as much as the others bear them out. No decisions."),
}
OF_HOLDS = "What all say who judged, else what was decided; where it is disputed, the majority, of equals the lower."
OF_HERE = "What holds by those who judge here; what came from files is left out."
OF_AWARE = "Runs are measured by what each person said, and people weighed: it gives values, and no labels."
OF_MACHINE = "What a machine says, for comparison; it never makes labels."


@dataclass(frozen=True, kw_only=True)
class Way:
    """One way to make labels of what was said."""

    name: str
    title: str
    says: str
    grades: Mapping[Place, float] = field(default_factory=dict)  # without those that were known
    makes: bool = True  # whether labels can be made so


@dataclass(frozen=True, kw_only=True)
class Settled:
    """How the grades of a pool came to hold."""

    agreed: int = 0
    decided: int = 0
    disputed: Sequence[Place] = ()  # nobody has decided: the majority
    unfinished: Sequence[Place] = ()  # not all have judged who are to: the majority
    crowd: Sequence[Place] = ()  # a file alone gives a grade: the majority of the crowd
    nobody: int = 0  # documents that were judged, and cannot be


@dataclass(frozen=True, kw_only=True)
class Merging:
    """All ways to make labels of a pool, the one that counts first."""

    pool: Pool
    ways: Sequence[Way]
    settled: Settled
    judgments: int
    people: int
    known: Mapping[Place, float]
    rows: Rows

    def way(self, name: str) -> Way:
        """A way that labels can be made in."""
        found = next((way for way in self.ways if way.name == name and way.makes), None)
        if found is None:
            there = ", ".join(way.name for way in self.ways if way.makes)
            raise ParameterError(f"labels are not made by {name}", hint=f"choose one of: {there or 'nothing yet'}")
        return found

    def labels(self, way: Way) -> dict[Place, float]:
        """What was known, and where the pool says something, that."""
        return {**self.known, **way.grades}


def rows_of(pool: Pool, *, kinds: Sequence[str] = (Judgment.FIRST, Judgment.CROWD)) -> Rows:
    """What people said of the documents of a pool, in order, each person as a number; the trial is no part of it."""
    found = Judgment.objects.filter(
        question__pool=pool, question__gold=None, taken_back=None, grade__isnull=False, kind__in=kinds
    ).order_by("id")
    told: Any = found.values_list("question__topic", "question__document", "user_id", "worker", "grade")
    return tuple(
        (topic, document, f"{FILE}{worker}" if user is None else f"{ACCOUNT}{user}", grade)
        for topic, document, user, worker, grade in told
    )


def read_said(rows: Rows, name: str) -> Labels:
    """Rows of what people said as labels."""
    columns = zip(("topic", "document", "worker", "grade"), zip(*rows, strict=True), strict=True)
    return read_labels({column: list(cells) for column, cells in columns}, name=name)


def merging_of(pool: Pool) -> Merging:
    """Every way that there is to make labels of what was said so far."""
    rows = rows_of(pool)
    holds, settled = holding(pool, rows)
    ways = [Way(name=HOLDS, title="What holds", says=OF_HOLDS, grades=holds, makes=bool(holds))]
    here = tuple(row for row in rows if row[2].startswith(ACCOUNT))
    if 0 < len(here) < len(rows):
        grades, _ = holding(pool, here)
        ways.append(Way(name=HERE, title="Without files", says=OF_HERE, grades=grades))
    if len({row[:2] for row in rows}) < len(rows):
        for name, (title, _, says) in SEVERAL.items():
            ways.append(Way(name=name, title=title, says=says, grades=_merged(rows, name)))
        if pool.known is None:  # nobody knows who gave labels that were there before
            ways.append(Way(name=AWARE_WAY, title="AWARE", says=OF_AWARE, makes=False))
    return Merging(
        pool=pool,
        ways=[*ways, *_machines(pool)],
        settled=settled,
        judgments=len(rows),
        people=len({who for _, _, who, _ in rows}),
        known=_known(pool),
        rows=rows,
    )


@kept(16)
def _merged(rows: Rows, way: str) -> Mapping[Place, float]:
    said, (_, method, _) = read_said(rows, "judgments"), SEVERAL[way]
    table = labels_table(said, method.merge(said.answers))
    cells: Any = zip(*(table.cells(name) for name in ("topic", "document", "grade")), strict=True)
    return {(topic, document): float(grade) for topic, document, grade in cells}


def holding(pool: Pool, rows: Rows) -> tuple[dict[Place, float], Settled]:
    """What holds of each document by what people said, and how it came to."""
    vote = _merged(rows, "majority") if rows else {}
    decisions = Judgment.objects.filter(question__pool=pool, kind=Judgment.LAST, taken_back=None)
    decided = set(decisions.values_list("question_id", flat=True))
    alone = set(of_crowd_alone(pool).values_list("pk", flat=True))
    grades: dict[Place, float] = {}
    agreed = nobody = 0
    disputed: list[Place] = []
    unfinished: list[Place] = []
    crowd: list[Place] = []
    for question in pool.questions.filter(gold=None).order_by("id").iterator(2000):
        place = question.topic, question.document
        if question.grade is not None:
            grades[place] = question.grade
            agreed += question.pk not in decided
        elif question.pk in decided:  # that it cannot be judged: it has no label
            continue
        elif place in vote:
            grades[place] = vote[place]
            (crowd if question.pk in alone else disputed if question.disputed else unfinished).append(place)
        else:
            nobody += question.given > 0
    open_ones = {"disputed": disputed, "unfinished": unfinished, "crowd": crowd}
    return grades, Settled(agreed=agreed, decided=len(decided), nobody=nobody, **open_ones)


def _known(pool: Pool) -> dict[Place, float]:
    """The labels that were there when the pool was drawn up."""
    if pool.known is None:
        return {}
    table = read_qrels(blob_store.path_of(pool.known.qrels_id)).to_table()
    cells: Any = zip(*(table.cells(name) for name in ("topic", "document", "grade")), strict=True)
    return {(topic, document): float(grade) for topic, document, grade in cells}


def _machines(pool: Pool) -> list[Way]:
    """What each machine says, beside what people say."""
    found: dict[str, dict[Place, float]] = {}
    for topic, document, who, grade in rows_of(pool, kinds=(Judgment.MACHINE,)):
        found.setdefault(who.removeprefix(FILE), {})[topic, document] = grade
    return [
        Way(name=f"{BY}{name}", title=f"By machine {name}", says=OF_MACHINE, grades=grades, makes=False)
        for name, grades in found.items()
    ]


def flat_of(labels: Mapping[Place, float]) -> Flat:
    """Labels as rows, which can be a key."""
    return tuple((topic, document, grade) for (topic, document), grade in labels.items())


def to_qrels(labels: Mapping[Place, float], name: str) -> Qrels:
    """Labels as judgments."""
    return read_flat(flat_of(labels), name)


def read_flat(flat: Flat, name: str) -> Qrels:
    """Rows as judgments."""
    columns = zip(("topic", "document", "grade"), zip(*flat, strict=True), strict=True)
    return read_qrels({column: list(cells) for column, cells in columns}, gains=True, name=name)


def preview(merging: Merging, way: Way) -> dict[str, Any]:
    """What labels made this way would change against the newest version; nothing where they would be the first."""
    last, labels = merging.pool.task.version, merging.labels(way)
    if last is None:
        return {}
    return differences(last, Looked(problems=[], qrels=to_qrels(labels, way.name)))


def about(merging: Merging, way: Way) -> dict[str, Any]:
    """Where labels come from, as everybody who may have them may read it: how many people there were, not who."""
    pool, settled = merging.pool, merging.settled
    chosen = {name: getattr(pool, name) for name in ("strategy", "depth", "first", "budget", "shared", "seed")}
    return {
        "pool": pool.number,
        "key": pool.key,
        **chosen,
        "runs": len(pool.runs),
        "way": way.name,
        "judgments": merging.judgments,
        "people": merging.people,
        "documents": len(way.grades),
        "agreed": settled.agreed,
        "decided": settled.decided,
        "disputed": len(settled.disputed),
        "unfinished": len(settled.unfinished),
        "crowd_alone": len(settled.crowd),
        "not_judgeable": settled.nobody,
        "known": pool.known.number if pool.known is not None else None,
        "state": pool.state,
        "cranfield": VERSION,
    }


def make_version(pool: Pool, by: User, name: str = HOLDS, *, note: str = "") -> LabelVersion:
    """The next labels of the task, from what was said so far: all runs are evaluated under them."""
    merging = merging_of(pool)
    if not merging.ways[0].grades:
        raise ParameterError("nobody has judged anything yet", hint="labels come from judgments of people")
    way = merging.way(name)
    labels = merging.labels(way)
    odd = next((grade for grade in labels.values() if not grade.is_integer()), None)
    if odd is not None:
        raise ParameterError(f"{odd:g} is no grade of labels", hint="labels have whole numbers: upload them as a file")
    changed = preview(merging, way)
    if changed and not changed["rows"]:
        raise ParameterError("the newest labels say the same", hint="nothing was changed")
    said = note or f"from pool {pool.number}: {way.title}"
    with blob_store.incoming() as file, audit_log.acting():
        for (topic, document), grade in labels.items():
            file.write(f"{topic} 0 {document} {grade:g}\n".encode())
        made = add_version(pool.task, file, by, note=said[:300], name=f"pool {pool.number}")
        made.about = about(merging, way)
        made.save(update_fields=["about"])
        audit_log.record(by, "labels of pool", task=pool.task, pool=pool.number, version=made.number, way=way.name)
    return made
