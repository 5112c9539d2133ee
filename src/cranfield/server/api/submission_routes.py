"""API routes that check, submit, read and withdraw runs."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.utils.http import content_disposition_header
from ninja import File, Form, Query, Router, Status, UploadedFile

from cranfield.server.accounts.visibility import Thing, Viewer, sees
from cranfield.server.models import Submission, Task, Token
from cranfield.server.site import blob_store
from cranfield.server.site.rate_limits import CHECK
from cranfield.server.site.uploads import Arrived
from cranfield.server.submissions import intake
from cranfield.server.submissions.evaluation import values_of

from .authentication import ANYBODY, OPEN, Bearer, caller, count
from .errors import FAULTS, Fault, forbidden, unknown
from .schemas import Checked, Handed, Key, Run, Slug, Values
from .submission_fields import Shown
from .task_routes import find_task, find_team, teams_in

router = Router(tags=["submissions"])
BYTES = {"responses": {200: {"content": {"application/octet-stream": {"schema": {"type": "string"}}}}}}


@router.post("/tasks/{slug}/check", auth=Bearer(Token.SUBMIT), response={200: Checked, **FAULTS})
def check(request: HttpRequest, slug: Slug, run: File[UploadedFile]) -> dict[str, Any]:
    """Look at a run without handing it in: what `cranfield lint` would say. It uses no attempt."""
    who = caller(request)
    viewer, task = who.viewer, find_task(who.viewer, slug)
    if not viewer.organises(task) and not teams_in(viewer, task):
        raise Fault(403, "your team takes no part in this task", hint="join it on its page", code="E-TEAM")
    if task.state != Task.OPEN:
        raise intake.Refused("the task takes no submissions now", hint="see its dates", code="E-CLOSED")
    count(CHECK, f"account {who.user.pk}")
    file = _arrived(run)
    found = intake.check(task, file.path, file.name or "run")
    return {"good": found.good, "problems": found.problems, "kind": found.kind, "metadata": found.metadata}


@router.post("/tasks/{slug}/submissions", auth=Bearer(Token.SUBMIT), response={201: Run, **FAULTS})
def submit(request: HttpRequest, slug: Slug, run: File[UploadedFile], said: Form[Handed]) -> Status[dict[str, Any]]:
    """Hand in a run. With this answer it is on the disk, and will be evaluated whatever happens."""
    who = caller(request)
    task = find_task(who.viewer, slug)
    team = find_team(request, task, said.team)
    more = said.dict(exclude={"team"})
    made = intake.receive(task, team, who.user, _arrived(run), **more)
    return Status(201, Shown(request).of(made))


def _arrived(file: UploadedFile) -> Arrived:
    assert isinstance(file, Arrived)  # by the upload handler of the settings
    return file


@router.get("/submissions", auth=Bearer(), response={200: list[Run], **FAULTS})
def my_runs(request: HttpRequest, task: Query[Slug | None] = None) -> list[dict[str, Any]]:
    """The runs of your teams, the newest first; of one task, if you say which."""
    viewer = caller(request).viewer
    mine = Submission.objects.filter(team__in=viewer.teams).select_related("task", "team")
    if task:
        mine = mine.filter(task__slug=task)
    shown = Shown(request)
    return [shown.of(run) for run in mine.order_by("-received", "-id") if sees(viewer, Thing.RUN, run)]


def find_run(viewer: Viewer, key: str, thing: Thing = Thing.RUN) -> Submission:
    """A submission of which the viewer may see something; otherwise there is none."""
    run = Submission.objects.select_related("task", "team").filter(key=key).first()
    if run is None or not sees(viewer, thing, run):
        raise unknown()
    return run


@router.get("/submissions/{key}", auth=ANYBODY, response={200: Run, **FAULTS}, openapi_extra=OPEN)
def run(request: HttpRequest, key: Key) -> dict[str, Any]:
    """A run: its state, its place in the queue, its values on public topics, what is wrong with it."""
    viewer = caller(request).viewer
    return Shown(request).of(find_run(viewer, key))


@router.get("/submissions/{key}/values", auth=ANYBODY, response={200: Values, **FAULTS}, openapi_extra=OPEN)
def values(request: HttpRequest, key: Key) -> dict[str, Any]:
    """What a run reaches on each topic; private topics are left out until the task is closed."""
    viewer = caller(request).viewer
    found = find_run(viewer, key)
    result = found.result
    if result is None:
        raise Fault(404, "the run has not been evaluated yet", hint="ask again later", code="E-NOTFOUND")
    version = result.version
    topics = version.judged if sees(viewer, Thing.PRIVATE_VALUES, found) else version.public_topics
    wanted = set(topics)
    told = {
        measure: {topic: value for topic, value in by_topic.items() if topic in wanted}
        for measure, by_topic in values_of(result).items()
    }
    return {"version": version.number, "topics": len(topics), "values": told}


@router.post("/submissions/{key}/withdraw", auth=Bearer(Token.SUBMIT), response={200: Run, **FAULTS})
def withdraw(request: HttpRequest, key: Key) -> dict[str, Any]:
    """Take a run off the board. It still counts against the limit, and stays in your list."""
    who = caller(request)
    found = find_run(who.viewer, key)
    if not sees(who.viewer, Thing.RUN_STATE, found):
        raise forbidden("this run is not yours", "its own team may withdraw it")
    intake.withdraw(found, who.user)
    found.refresh_from_db()
    return Shown(request).of(found)


@router.get("/submissions/{key}/file", auth=ANYBODY, response={**FAULTS, 200: None}, openapi_extra={**OPEN, **BYTES})
def file(request: HttpRequest, key: Key) -> HttpResponseBase:
    """The run itself, byte for byte as it was handed in."""
    viewer = caller(request).viewer
    found = find_run(viewer, key)
    if not sees(viewer, Thing.RUN_FILE, found) or not found.blob_id:
        raise unknown()
    answer = StreamingHttpResponse(_pieces(blob_store.path_of(found.blob_id)), content_type="application/octet-stream")
    shown = content_disposition_header(as_attachment=True, filename=found.file_name or f"{found.key}.run")
    answer.headers["Content-Disposition"] = str(shown)
    return answer


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(blob_store.PIECE):
            yield piece
