"""Versions of a task's labels: check a judgment file, compare it and add the next version."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from cranfield.core import ParameterError
from cranfield.data import (
    Qrels,
    grades_table,
    inspect,
    judged_table,
    judgments_table,
    read_qrels,
    regrade,
    regraded_table,
    write,
)
from cranfield.server.jobs import job_queue
from cranfield.server.models import LabelVersion, Task
from cranfield.server.operations import audit_log
from cranfield.server.site import blob_store
from cranfield.server.submissions.evaluation import rescore
from cranfield.server.submissions.intake import limits, problem_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cranfield.server.models import User
    from cranfield.server.site.blob_store import Incoming

MANY = 50  # changed judgments that a page lists
MOST = 10_000_000  # judgments of one topic


def add_version(task: Task, file: Incoming, by: User, *, note: str = "", name: str = "qrels") -> LabelVersion:
    """Keep judgments as the next version of a task, and ask for every run to be evaluated under it."""
    file.end()
    judged = read_qrels(file.path)
    topics = judged.topics.to_list()
    with audit_log.acting():
        held = Task.objects.select_for_update(no_key=True).get(pk=task.pk)
        check_topics(topics, held.private)
        last = held.version
        made = LabelVersion.objects.create(
            task=held,
            number=last.number + 1 if last else 1,
            qrels=file.keep(),
            note=note,
            made_by=by,
            judgments=len(judged),
            judged=topics,
        )
        audit_log.record(by, "labels", task=held, version=made.number, digest=made.qrels_id, note=note, file=name)
        rescore(made)
        if last is not None:
            job_queue.put("relabel", task=held, old=last.pk, new=made.pk)
    return made


def to_trec(version: LabelVersion, topics: Sequence[str]) -> str:
    """The judgments of some topics as TREC writes them."""
    wanted, judged = set(topics), read_qrels(blob_store.path_of(version.qrels_id)).to_table()
    cells = zip(*(judged.cells(name) for name in ("topic", "document", "grade")), strict=True)
    return "".join(f"{topic} 0 {document} {grade}\n" for topic, document, grade in cells if topic in wanted)


def check_topics(judged: Sequence[str], private: Sequence[str]) -> None:
    """Refuse what leaves no board: runs cannot be told apart by fewer than two topics."""
    public = len(set(judged) - set(private))
    if public < 2:
        left = "only one topic is" if public else "no topic is"
        raise ParameterError(f"{left} left for the board", hint="it needs two or more that are not private")


@dataclass(frozen=True, kw_only=True)
class Looked:
    """Judgments that were looked at: what they hold, and what is wrong with them."""

    problems: list[dict[str, Any]]  # rows as `cranfield lint` gives them
    qrels: Qrels | None

    @property
    def good(self) -> bool:
        """Whether they can be used."""
        return self.qrels is not None and not any(row["severity"] == "error" for row in self.problems)

    @property
    def topics(self) -> list[str]:
        """What they judge, in the order of the file."""
        return self.qrels.topics.to_list() if self.qrels is not None else []

    @property
    def judgments(self) -> int:
        """How many there are."""
        return len(self.qrels) if self.qrels is not None else 0

    def grades(self) -> list[dict[str, Any]]:
        """How many judgments have which grade."""
        return grades_table(self.qrels).rows() if self.qrels is not None else []

    def relevant(self, rel: float = 1) -> dict[str, Any]:
        """The fewest and the most relevant documents of a topic, and the topics that have none."""
        rows = judged_table(self.qrels, rel=rel).rows() if self.qrels is not None else []
        counts: list[Any] = [row["relevant"] for row in rows]
        none = [row["topic"] for row in rows if not row["relevant"]]
        return {"fewest": min(counts, default=0), "most": max(counts, default=0), "none": none}


def look_at(path: str, name: str) -> Looked:
    """Read a file of judgments; everything that is wrong with it is told, nothing is raised."""
    most = replace(limits(), documents=MOST)  # judged documents of a topic are not those of a run
    found = inspect(path, kind="qrels", name=name, limits=most)
    wrong = any(one.severity == "error" for one in found.problems.kept)
    rows = problem_rows(found.problems)
    for row in rows:
        if row["code"] == "E-SWAPPED":  # there is no order of files on a page
            row["hint"] = "choose a file of judgments: its lines read topic 0 document grade"
    return Looked(problems=rows, qrels=None if wrong else read_qrels(path, name=name))


def differences(before: LabelVersion, after: Looked) -> dict[str, Any]:
    """What other judgments would change: how many in which way, the first of them, topics that come or go."""
    assert after.qrels is not None
    old = read_qrels(blob_store.path_of(before.qrels_id), name=f"version {before.number}")
    rows = regraded_table(old, after.qrels).rows()
    now, then = set(after.topics), set(before.judged)
    return {
        "counts": {row["what"]: row["count"] for row in judgments_table(old, after.qrels).rows()},
        "rows": rows[:MANY],
        "more": len(rows) - len(rows[:MANY]),
        "came": [topic for topic in after.topics if topic not in then],
        "gone": [topic for topic in before.judged if topic not in now],
    }


def change_one(task: Task, by: User, *, topic: str, document: str, grade: int, note: str = "") -> LabelVersion:
    """The last judgments with one of them changed, as the next version."""
    last = task.version
    if last is None:
        raise ParameterError("the task has no judgments yet", hint="upload a file of them first")
    old = read_qrels(blob_store.path_of(last.qrels_id))
    new = regrade(old, topic, document, grade)
    if not len(regraded_table(old, new)):
        said = f"document {document} has that grade in topic {topic} already"
        if grade < 0:
            said = f"nobody judged document {document} in topic {topic}"
        raise ParameterError(said, hint="nothing was changed")
    with blob_store.incoming() as file:
        file.end()
        write(new, file.path)
        with blob_store.incoming() as copy:
            copy.write(file.path.read_bytes())
            said = note or "one judgment was changed"  # everybody reads it: which one may be private
            return add_version(task, copy, by, note=said[:300], name=f"version {last.number}, changed")
