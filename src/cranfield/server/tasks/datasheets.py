"""Compute the datasheet of a test collection: contents, assessor agreement and reusability."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any, TypeAlias

from django.db.models import Count, F, Q
from django.utils.crypto import salted_hmac

from cranfield.collections import bias_sentence, crowd_agreement_table, pool_order_sentence, unjudged_sentence
from cranfield.core import VERSION, CranfieldError
from cranfield.data import Entries, Entry, Source, grades_table, judged_table, read_qrels, read_topics
from cranfield.server.accounts.visibility import Thing, sees
from cranfield.server.boards.board_inputs import runs_on
from cranfield.server.boards.panels import to_plain
from cranfield.server.judging.label_aggregation import holding, read_said, rows_of
from cranfield.server.models import Corpus, Judgment, LabelVersion, Pool, Snapshot, Submission
from cranfield.server.site import blob_store
from cranfield.server.site.single_flight_cache import kept
from cranfield.studies import health

from .topic_texts import texts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cranfield.data import Qrels
    from cranfield.server.accounts.visibility import Viewer
    from cranfield.server.judging.label_aggregation import Rows
    from cranfield.server.models import Task

Runs: TypeAlias = tuple[tuple[str, str | None, str], ...]  # name, team, file
FORM = 1  # of the document
PARTS = ("title", "description", "narrative")
K = 10  # the first documents of a run of which it is told how many nobody judged


def may_read(viewer: Viewer, task: Task) -> bool:
    """Whether there is a datasheet for somebody: for everybody who sees the board once there are labels."""
    return sees(viewer, Thing.LOG, task) or (sees(viewer, Thing.BOARD, task) and task.version is not None)


def datasheet_of(task: Task, viewer: Viewer, *, address: str = "") -> dict[str, Any]:
    """All of it as plain values: of public topics and shown runs alone, unless the viewer may see the others.

    It says how many people judged, never who.
    """
    version, full = task.version, sees(viewer, Thing.FULL_BOARD, task)
    whole = sees(viewer, Thing.PRIVATE_VALUES, task) or not task.private
    kind = Snapshot.FULL if full else Snapshot.PUBLIC
    topics = None if whole else frozenset(version.public_topics if version is not None else ())
    judged = _judged(version.qrels_id, topics) if version is not None else None
    return {
        "form": FORM,
        "task": {name: getattr(task, name) for name in ("slug", "title", "summary", "measures", "rel", "state")},
        "scope": "all topics" if whole else "public topics: the others are private while the task is open",
        "topics": _topics(task, judged),
        "corpus": _corpus(task),
        "labels": _labels(task, version, judged) if version is not None and judged is not None else None,
        "versions": [_version(one) for one in task.versions.order_by("number")],
        "pools": [_pool(one, topics) for one in _pools(task, full=full)],
        **_pooled(task, version, topics, kind),
        "cite": _cite(task, version, address),
        "cranfield": VERSION,
    }


@kept(8)
def _judged(digest: str, topics: frozenset[str] | None) -> Qrels:
    """Labels, of all topics or of some."""
    found = read_qrels(blob_store.path_of(digest), name="labels")
    if topics is None:
        return found
    rows = [row for row in found.to_table().rows() if row["topic"] in topics]
    return read_qrels({name: [row[name] for row in rows] for name in ("topic", "document", "grade")}, name="labels")


def _topics(task: Task, judged: Qrels | None) -> dict[str, Any]:
    """How many topics there are, how long their texts, in which languages."""
    texts = texts_of(task)
    words: dict[str, Any] = {}
    for part in PARTS:
        lengths = [len(text[part].split()) for text in texts.values() if text.get(part)]
        if lengths:
            words[part] = {"fewest": min(lengths), "median": median(lengths), "most": max(lengths)}
    languages: list[str] = []
    if task.topics_id and texts:
        languages = [one for one in read_topics(blob_store.path_of(task.topics_id)).languages if one]
    return {
        "texts": len(texts),
        "judged": len(judged.topics) if judged is not None else 0,
        "words": words,
        "languages": languages,
    }


def _corpus(task: Task) -> dict[str, Any] | None:
    found = Corpus.objects.filter(task=task, state=Corpus.READY).first()
    if found is None:
        return None
    return {"documents": found.size} | ({"sha256": found.file_id} if found.file_id else {"dataset": found.name})


def _labels(task: Task, version: LabelVersion, judged: Qrels) -> dict[str, Any]:
    """The newest labels in numbers."""
    rows = judged_table(judged, rel=task.rel).rows()
    relevant: list[Any] = [row["relevant"] for row in rows]
    total = len(judged)
    return {
        "version": version.number,
        "judgments": total,
        "relevant": sum(relevant),
        "share": sum(relevant) / total if total else None,
        "without_relevant": sum(not count for count in relevant),
        "fewest": min(relevant, default=0),
        "median": median(relevant) if relevant else 0,
        "most": max(relevant, default=0),
        "grades": grades_table(judged).rows(),
    }


def _version(version: LabelVersion) -> dict[str, Any]:
    return {
        "number": version.number,
        "made": version.made.date().isoformat(),
        "note": version.note,
        "judgments": version.judgments,
        "pool": version.about.get("pool"),
        "way": version.about.get("way"),
    }


def _pools(task: Task, *, full: bool) -> list[Pool]:
    """Pools that may be told of: once they are judged, or labels come from them; drafts are nobody's business."""
    begun = task.pools.exclude(state=Pool.DRAFT).select_related("task", "known").order_by("number")
    if full:
        return list(begun)
    used = {version.about.get("key") for version in task.versions.all()}
    return [pool for pool in begun if pool.state == Pool.ENDED or pool.key in used]


def _pool(pool: Pool, topics: frozenset[str] | None) -> dict[str, Any]:
    """How a pool was made and judged, in the topics that may be told of."""
    questions = pool.questions.filter(gold=None)
    rows = rows_of(pool)
    if topics is not None:
        questions = questions.filter(topic__in=topics)
        rows = tuple(row for row in rows if row[0] in topics)
    decisions = Count("judgments", filter=Q(judgments__kind=Judgment.LAST, judgments__taken_back=None))
    counts = questions.aggregate(
        asked=Count("id", filter=Q(wanted__gt=0)),
        disputed=Count("id", filter=Q(disputed=True)),
    )
    holds, settled = holding(pool, rows)
    grades = [grade for (topic, _), grade in holds.items() if topics is None or topic in topics]
    crowd = sum(topics is None or topic in topics for topic, _ in settled.crowd)
    relevant = sum(grade >= pool.task.rel for grade in grades)
    runs = Submission.objects.filter(task=pool.task, key__in=pool.runs)
    chosen = ("number", "state", "strategy", "depth", "first", "budget", "shared", "seed", "overlap", "judges")
    often: dict[tuple[str, str], int] = {}
    for topic, document, _, _ in rows:
        often[topic, document] = often.get((topic, document), 0) + 1
    several = sum(count > 1 for count in often.values())
    return {
        **{name: getattr(pool, name) for name in chosen},
        "grades": pool.grades,
        "known": pool.known.number if pool.known is not None else None,
        "runs": len(pool.runs),
        "teams": runs.values("team").distinct().count(),
        **counts,
        "judged": len(grades),
        "crowd": crowd,
        "relevant": relevant,
        "share": relevant / len(grades) if grades else None,
        "judgments": len(rows),
        "people": len({who for _, _, who, _ in rows}),
        "several": several,
        "several_share": several / len(often) if often else None,
        "decided": questions.annotate(decisions=decisions).filter(decisions__gt=0).count(),
        "agreement": _agreement(rows) if several else None,
        "trial": _trial(pool, topics),
        "machines": pool.machines.count(),
    }


@kept(16)
def _agreement(rows: Rows) -> dict[str, Any]:
    """κ and α with their intervals, over the documents that several people judged."""
    table = to_plain(crowd_agreement_table(read_said(rows, "judgments")))
    wanted = [table["columns"].index(name) for name in ("statistic", "value", "low", "high", "items")]
    return {"columns": [table["columns"][place] for place in wanted], "caption": table["caption"]} | {
        "rows": [[row[place] for place in wanted] for row in table["rows"]]
    }


def _trial(pool: Pool, topics: frozenset[str] | None) -> dict[str, Any] | None:
    """How often people were right where the right grade was known."""
    said = Judgment.objects.filter(question__pool=pool, question__gold__isnull=False, taken_back=None)
    said = said.filter(kind=Judgment.FIRST)
    if topics is not None:
        said = said.filter(question__topic__in=topics)
    judgments, right = said.count(), said.filter(grade=F("question__gold")).count()
    if not judgments:
        return None
    return {"documents": pool.trial, "judgments": judgments, "right": right, "share": right / judgments}


def _pooled(
    task: Task, version: LabelVersion | None, topics: frozenset[str] | None, kind: str
) -> dict[str, dict[str, Any] | None]:
    """What each team's runs lose without what it alone brought in, and what runs would that had no part in it.

    Who takes part is told to organisers, and once the task is closed; before that teams and runs are numbers.
    """
    named = kind == Snapshot.FULL or task.is_closed
    there = [one for one in runs_on(task, kind) if one.run.blob_id]
    if not named:  # an order that nobody can work out, and that says nothing of what is in the files
        there.sort(key=lambda one: salted_hmac(__name__, one.run.key).hexdigest())
    runs = tuple((one.label, one.team, str(one.run.blob_id)) for one in there)
    if version is None or not runs:
        return {"bias": None, "reuse": None}
    found = _health(version.qrels_id, topics, runs if named else _numbered(runs), task.measure, task.rel)
    return found | {"bias": found["bias"] and found["bias"] | {"named": named}}


def _numbered(runs: Runs) -> Runs:
    """Runs and teams as numbers."""
    teams = {team: f"team {i}" for i, team in enumerate(dict.fromkeys(team for _, team, _ in runs if team), 1)}
    return tuple((f"run {i}", teams.get(team or ""), file) for i, (_, team, file) in enumerate(runs, 1))


@kept(8)
def _health(
    digest: str, topics: frozenset[str] | None, runs: Runs, measure: str, rel: float
) -> dict[str, dict[str, Any] | None]:
    """Both from one study: see :func:`cranfield.studies.health`."""
    entries = Entries(tuple(Entry(name, team) for name, team, _ in runs), Source("submissions", "", "headers"))
    files = {name: blob_store.path_of(file) for name, _, file in runs}
    told: dict[str, Any] = {"measure": measure, "runs": len(runs)}
    try:
        study = health(_judged(digest, topics), files, entries=entries, measure=measure, rel=rel)
    except CranfieldError:  # its words are for who has the files
        return {"bias": None, "reuse": told | {"sentence": "Of these runs it cannot be told.", "unjudged": None}}
    shares: Sequence[Any] = [row["share"] for row in study["unjudged"].rows() if row["k"] == K]
    free = [share for share in shares if share is not None]
    unjudged = {"k": K, "mean": sum(free) / len(free), "most": max(free)} if free else None
    bias = study.tables.get("reuse")
    if bias is None or None in bias.cells("difference"):
        return {"bias": None, "reuse": told | {"sentence": study.sentence, "unjudged": unjudged}}
    alone = sum(team is None for _, team, _ in runs)
    said = bias_sentence(bias, measure=measure, who="team")
    holds = " ".join(filter(None, [pool_order_sentence(bias), unjudged_sentence(study["unjudged"])]))
    return {
        "bias": told | {"alone": alone, "sentence": said, "table": to_plain(bias)},
        "reuse": told | {"sentence": holds, "unjudged": unjudged},
    }


def _cite(task: Task, version: LabelVersion | None, address: str) -> dict[str, str]:
    """How to name the collection in a paper."""
    year = (version.made if version is not None else task.made).year
    labels = f", labels version {version.number}" if version is not None else ""
    plain = task.title.translate({ord(sign): None for sign in "{}\\"})
    entry = (
        f"@misc{{{task.slug}-{year},\n  title = {{{{{plain}}}}},\n  year = {{{year}}},\n"
        f"  note = {{Test collection{labels}}},\n  howpublished = {{\\url{{{address}}}}}\n}}"
    )
    return {"text": f"{task.title} ({year}). Test collection{labels}. {address}".rstrip(), "bibtex": entry}
