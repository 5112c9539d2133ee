"""Register webhooks, and sign, deliver and retry their messages."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from datetime import UTC, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from cranfield.core import ParameterError
from cranfield.server.jobs import job_queue
from cranfield.server.jobs.outbound_http import NotSent, post
from cranfield.server.models import Delivery, Participant, Submission, Webhook
from cranfield.server.operations import audit_log

if TYPE_CHECKING:
    from cranfield.server.models import Task, Team, User

EVENTS = [name for name, _ in Webhook.EVENTS]
PING = "ping"  # a message that its owner asked for
TIMES = 6  # a message is tried
WAITS = [timedelta(seconds=seconds) for seconds in (10, 60, 600, 3600, 6 * 3600)]  # between the tries
MOST = 5  # webhooks of one team or task
EXAMPLE = "https://example.org/heard"


def make(url: str, events: list[str], by: User, *, team: Team | None = None, task: Task | None = None) -> Webhook:
    """An address of a team or a task that wants to be told; its secret is made here."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or len(url) > 500:
        raise ParameterError(f"{url!r} is no address for messages", hint=f"write it as {EXAMPLE}")
    chosen = [name for name in EVENTS if name in events]
    if not chosen or len(chosen) != len(set(events)):
        raise ParameterError("a webhook needs something to be told of", hint=f"choose from: {', '.join(EVENTS)}")
    with audit_log.acting():
        if Webhook.objects.filter(team=team, task=task).count() >= MOST:
            raise ParameterError(f"there are {MOST} webhooks already", hint="remove one first")
        made = Webhook.objects.create(
            url=url, events=chosen, team=team, task=task, made_by=by, secret=secrets.token_urlsafe(32)
        )
        audit_log.record(by, "webhook", task=task, host=parts.hostname, events=chosen, team=team.slug if team else "")
    return made


def remove(hook: Webhook, by: User) -> None:
    """No more messages to that address; what waits for it is forgotten too."""
    with audit_log.acting():
        team = hook.team.slug if hook.team else ""
        audit_log.record(by, "webhook removed", task=hook.task, host=urlsplit(hook.url).hostname, team=team)
        hook.delete()


def tell(event: str, task: Task, *, team: Team | None = None, run: Submission | None = None) -> None:
    """Ask for a message to everybody who wants to hear of this, in the caller's transaction.

    Of a run, its own team and the organisers hear; of the end of a task, every team that takes part in it.
    """
    teams = [team.pk] if team else list(Participant.objects.filter(task=task).values_list("team_id", flat=True))
    hooks = Webhook.objects.filter(task=task) | Webhook.objects.filter(team__in=teams)
    for hook in hooks.order_by("id"):
        if event in hook.events:
            send(hook, event, task=task, run=run)


def send(hook: Webhook, event: str, *, task: Task | None = None, run: Submission | None = None) -> Delivery:
    """Ask for one message to one address, in the caller's transaction."""
    with transaction.atomic():
        made = Delivery.objects.create(webhook=hook, event=event, body=_body(event, task, run))
        job_queue.put("deliver", task=task, urgency=-5, key=f"deliver {made.pk} 1", delivery=made.pk)
    return made


def _body(event: str, task: Task | None, run: Submission | None) -> str:
    """What is said: nothing but what the team of the run, and everybody at a task, may see at that moment."""
    said: dict[str, Any] = {"event": event, "at": timezone.now().astimezone(UTC).isoformat(timespec="seconds")}
    if task is not None:
        said["task"] = {
            "slug": task.slug,
            "title": task.title,
            "state": task.state,
            "url": settings.OPTIONS.link(f"tasks/{task.slug}/"),
        }
    if run is not None:
        found = run.result
        said["run"] = {
            "key": run.key,
            "name": run.name,
            "state": run.state,
            "url": settings.OPTIONS.link(f"runs/{run.key}/"),
            "values": found.public if found else {},  # over public topics; everything else is asked for
            "version": found.version.number if found else None,
        }
    return json.dumps(said, ensure_ascii=False, allow_nan=False, sort_keys=True)


def signature(secret: str, body: str, at: int) -> str:
    """What shows that a message is ours and new: its time, and a keyed hash of both."""
    seal = hmac.new(secret.encode(), f"{at}.{body}".encode(), hashlib.sha256).hexdigest()
    return f"t={at},v1={seal}"


@job_queue.kind("deliver")
def deliver(*, delivery: int) -> None:
    """Send a message, once more if need be. A receiver may get it twice, and knows it by its number."""
    message = Delivery.objects.select_related("webhook").filter(pk=delivery).first()
    if message is None or message.delivered or message.attempts >= TIMES:
        return
    hook = message.webhook
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "cranfield",
        "X-Cranfield-Event": message.event,
        "X-Cranfield-Delivery": str(message.pk),
        "X-Cranfield-Signature": signature(hook.secret, message.body, int(timezone.now().timestamp())),
    }
    try:
        status = post(hook.url, message.body.encode(), headers, local=settings.OPTIONS.local_webhooks)
        good, answer = 200 <= status < 300, f"answered {status}"
    except NotSent as error:
        good, answer = False, error.problem
    _note(message.pk, answer, good=good)


def _note(delivery: int, answer: str, *, good: bool) -> None:
    """Write down how it went, and ask for the next try."""
    with transaction.atomic():
        message = Delivery.objects.select_for_update().filter(pk=delivery).first()
        if message is None or message.delivered:  # removed, or done by another worker
            return
        message.attempts += 1
        message.answer = answer[:200]
        message.delivered = timezone.now() if good else None
        message.save(update_fields=["attempts", "answer", "delivered"])
        if not good and message.attempts < TIMES:
            after = timezone.now() + WAITS[message.attempts - 1]
            key = f"deliver {message.pk} {message.attempts + 1}"
            job_queue.put("deliver", after=after, urgency=-5, key=key, delivery=message.pk)
