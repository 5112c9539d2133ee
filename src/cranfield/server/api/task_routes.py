"""API routes for tasks and leaderboards."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.http import parse_etags
from ninja import Query, Router

from cranfield.measures import parse_measures
from cranfield.server.accounts.visibility import Thing, Viewer, sees, visible_tasks
from cranfield.server.boards.board_documents import newest_of
from cranfield.server.models import Participant, Snapshot, Task, Team
from cranfield.server.site import blob_store
from cranfield.server.submissions.intake import left as left_of

from .authentication import ANYBODY, OPEN, Bearer, caller
from .errors import FAULTS, Fault, forbidden, unknown
from .schemas import Board, LeftOut, Number, Slug, TaskLine, TaskWhole

router = Router(tags=["tasks"], auth=ANYBODY)
NOT_CHANGED = {304: None}


def find_task(viewer: Viewer, slug: str, thing: Thing = Thing.TASK) -> Task:
    """A task of which the viewer may see something; otherwise there is none."""
    task = Task.objects.filter(slug=slug).first()
    if task is None or not sees(viewer, thing, task):
        raise unknown()
    return task


def teams_in(viewer: Viewer, task: Task) -> list[Team]:
    """The viewer's teams that take part."""
    part = Participant.objects.filter(task=task, blocked=False, team__in=viewer.teams)
    return [one.team for one in part.select_related("team").order_by("team__slug")]


def find_team(request: HttpRequest, task: Task, slug: str) -> Team:
    """The team that is meant: the one that was named, or the only one."""
    mine = teams_in(caller(request).viewer, task)
    found = [team for team in mine if team.slug == slug] if slug else mine
    if len(found) == 1:
        return found[0]
    if slug and mine:
        hint = f"choose one of: {', '.join(team.slug for team in mine)}"
        raise Fault(403, f"{slug} is none of your teams in this task", hint=hint, code="E-TEAM")
    if not found:
        hint = f"join it on its page: {address(request, f'tasks/{task.slug}/')}"
        raise Fault(403, "your team takes no part in this task", hint=hint, code="E-TEAM")
    hint = f"say which: team={' or team='.join(team.slug for team in found)}"
    raise Fault(422, "several of your teams take part in this task", hint=hint, code="E-TEAM")


def address(request: HttpRequest, path: str) -> str:
    """Where a page is for whoever asks: on the host that was asked."""
    return request.build_absolute_uri(f"/{path}")


def line_of(request: HttpRequest, task: Task) -> dict[str, Any]:
    """A task in the list."""
    return {
        "slug": task.slug,
        "title": task.title,
        "summary": task.summary,
        "state": task.state,
        "takes_runs": task.is_open,
        "opens": task.opens,
        "closes": task.closes,
        "measures": [str(one) for one in parse_measures(task.measures)],
        "url": address(request, f"tasks/{task.slug}/"),
    }


@router.get("/tasks", response={200: list[TaskLine], **FAULTS}, openapi_extra=OPEN)
def tasks(request: HttpRequest) -> list[dict[str, Any]]:
    """The tasks you may see."""
    return [line_of(request, task) for task in visible_tasks(caller(request).viewer).order_by("-made", "-id")]


@router.get("/tasks/{slug}", response={200: TaskWhole, **FAULTS}, openapi_extra=OPEN)
def task(request: HttpRequest, slug: Slug) -> dict[str, Any]:
    """All that is said of a task."""
    viewer = caller(request).viewer
    found = find_task(viewer, slug)
    version = found.version
    board = newest_of(found)
    names = "about limit days most embargo_days anonymous_days labels_public runs_public test level"
    return (
        line_of(request, found)
        | {name: getattr(found, name) for name in names.split()}
        | {
            "topics": {"public": len(version.public_topics), "private": len(version.private_topics)}
            if version
            else None,
            "judgments": version.judgments if version else 0,
            "version": version.number if version else None,
            "board": board.number if board else None,
            "runs": board.runs if board else 0,
            "upload_mb": settings.OPTIONS.upload_mb,
            "teams": [team.slug for team in teams_in(viewer, found)],
        }
    )


@router.get("/tasks/{slug}/board", response={200: Board, **NOT_CHANGED, **FAULTS}, openapi_extra=OPEN)
def board(request: HttpRequest, slug: Slug, full: Query[bool] = False) -> HttpResponseBase:
    """The newest board; `full=true` gives organisers the one with hidden runs and names."""
    viewer = caller(request).viewer
    found = find_task(viewer, slug, Thing.BOARD)
    if full and not sees(viewer, Thing.FULL_BOARD, found):
        raise forbidden("the full board is for its organisers", "ask without full=true")
    shown = (newest_of(found, Snapshot.FULL) if full else None) or newest_of(found)
    return _document(request, shown, age=0)


@router.get("/tasks/{slug}/boards/{n}", response={200: Board, **NOT_CHANGED, **FAULTS}, openapi_extra=OPEN)
def old_board(request: HttpRequest, slug: Slug, n: Number) -> HttpResponseBase:
    """A board as it stood; it never changes."""
    found = find_task(caller(request).viewer, slug, Thing.BOARD)
    shown = Snapshot.objects.filter(task=found, kind=Snapshot.PUBLIC, number=n).first()
    return _document(request, shown, age=86_400)


def _document(request: HttpRequest, shown: Snapshot | None, *, age: int) -> HttpResponseBase:
    """The bytes of a board that the caller may see; nothing where the caller has them already."""
    if shown is None:
        raise unknown()
    tag = f'"{shown.document_id}"'
    known = [one.removeprefix("W/") for one in parse_etags(request.headers.get("If-None-Match", ""))]
    same = tag in known or "*" in known
    answer = HttpResponse(status=304) if same else HttpResponse(blob_store.read(shown.document_id))
    if same:
        del answer["Content-Type"]
    else:
        answer["Content-Type"] = "application/json"
    answer["ETag"], answer["Cache-Control"] = tag, f"private, max-age={age}"
    answer["X-Cranfield-Board"] = str(shown.number)
    return answer


@router.get("/tasks/{slug}/left", auth=Bearer(), response={200: LeftOut, **FAULTS})
def left(request: HttpRequest, slug: Slug, team: Query[Slug | None] = None) -> dict[str, Any]:
    """How many submissions your team has left, and when there is one more."""
    viewer = caller(request).viewer
    found = find_task(viewer, slug)
    mine = find_team(request, found, team or "")
    return {"team": mine.slug, "takes_runs": found.is_open, **vars(left_of(found, mine))}
