"""API routes for organisers: label versions, audit log and closing a task."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import File, FormEx, P, QueryEx, Router, Status, UploadedFile

from cranfield.server.accounts.visibility import Thing, Viewer, sees
from cranfield.server.jobs.scheduled_jobs import close as close_task
from cranfield.server.models import Audit, LabelVersion, Task, Token
from cranfield.server.site.uploads import Arrived
from cranfield.server.tasks.label_versions import add_version, to_trec

from .authentication import ANYBODY, OPEN, Bearer, caller
from .errors import FAULTS, Fault, forbidden, unknown
from .schemas import NO_NUL, Act, Labels, Number, Slug, TaskLine
from .task_routes import find_task, line_of

router = Router(tags=["organisers"])
TREC = {"responses": {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}}}


def _own(viewer: Viewer, slug: str) -> Task:
    """A task of the viewer's own."""
    task = find_task(viewer, slug)
    if not viewer.organises(task):
        raise forbidden("this is for the organisers of the task", "ask one of them")
    return task


def _labels(version: LabelVersion) -> dict[str, Any]:
    told = {name: getattr(version, name) for name in ("number", "note", "made", "judgments")}
    return told | {"topics": len(version.judged)}


@router.get("/tasks/{slug}/labels", auth=ANYBODY, response={200: list[Labels], **FAULTS}, openapi_extra=OPEN)
def versions(request: HttpRequest, slug: Slug) -> list[dict[str, Any]]:
    """The versions of the labels, the newest first."""
    task = find_task(caller(request).viewer, slug)
    return [_labels(version) for version in task.versions.order_by("-number")]


@router.post("/tasks/{slug}/labels", auth=Bearer(Token.ORGANISE), response={201: Labels, **FAULTS})
def add_labels(
    request: HttpRequest,
    slug: Slug,
    qrels: File[UploadedFile],
    note: FormEx[str, P(max_length=300, pattern=NO_NUL)] = "",
) -> Status[dict[str, Any]]:
    """Make the next version of the labels; every run is evaluated again."""
    who = caller(request)
    task = _own(who.viewer, slug)
    assert isinstance(qrels, Arrived)
    return Status(201, _labels(add_version(task, qrels.arriving, who.user, note=note, name=qrels.name or "qrels")))


@router.get("/tasks/{slug}/labels/{n}", auth=ANYBODY, response={**FAULTS, 200: None}, openapi_extra={**OPEN, **TREC})
def labels(request: HttpRequest, slug: Slug, n: Number) -> HttpResponse:
    """A version of the labels as TREC qrels: of public topics, or of all where you may see them."""
    viewer = caller(request).viewer
    task = find_task(viewer, slug, Thing.PUBLIC_LABELS)
    version = LabelVersion.objects.filter(task=task, number=n).first()
    if version is None:
        raise unknown()
    topics = version.judged if sees(viewer, Thing.ALL_LABELS, task) else version.public_topics
    answer = HttpResponse(to_trec(version, topics), content_type="text/plain; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{task.slug}-{version.number}.qrels"'
    return answer


@router.get("/tasks/{slug}/audit", auth=Bearer(Token.ORGANISE), response={200: list[Act], **FAULTS})
def log(
    request: HttpRequest,
    slug: Slug,
    after: QueryEx[int, P(ge=0, le=2**53)] = 0,
    limit: QueryEx[int, P(ge=1, le=1000)] = 200,
) -> list[dict[str, Any]]:
    """What was done in a task, by whom; from the row behind `after`."""
    viewer = caller(request).viewer
    task = find_task(viewer, slug)
    if not sees(viewer, Thing.LOG, task):
        raise forbidden("the log is for the organisers of the task", "ask one of them")
    rows = Audit.objects.filter(task=task.slug, id__gt=after).order_by("id")[:limit]
    return [{name: getattr(row, name) for name in ("id", "at", "who", "what", "about", "digest")} for row in rows]


@router.post("/tasks/{slug}/close", auth=Bearer(Token.ORGANISE), response={200: TaskLine, **FAULTS})
def close(request: HttpRequest, slug: Slug) -> dict[str, Any]:
    """Close a task: no more runs, and what was private may be told. This cannot be undone."""
    who = caller(request)
    task = _own(who.viewer, slug)
    if task.state != Task.OPEN:
        raise Fault(409, f"the task is {task.state}", hint="only an open task can be closed", code="E-CLOSED")
    close_task(task_id=task.pk, by=who.user.username)
    task.refresh_from_db()
    return line_of(request, task)
