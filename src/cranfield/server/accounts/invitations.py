"""Invitation links to an account, a team or a task, with expiry and a limited number of uses."""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F
from django.urls import reverse
from django.utils import timezone

from cranfield.core import ParameterError
from cranfield.server.models import Invite, Membership, Role, User
from cranfield.server.operations import audit_log
from cranfield.server.submissions.intake import Refused

from . import teams
from .models import digest_of
from .visibility import Viewer

if TYPE_CHECKING:
    from cranfield.server.models import Task, Team

OPERATOR = "operator"  # a role in no task: runs the server
LONGEST, MOST = 90, 500  # days, uses


def may_invite(by: User, *, team: Team | None = None, task: Task | None = None, role: str = "") -> bool:
    """Who lets whom in: a leader into the team, an organiser into the task, an operator everywhere."""
    if not by.is_active:
        return False
    if by.is_superuser:
        return True
    if role == OPERATOR or (team is None and task is None):
        return False
    leads = team is None or Membership.objects.filter(team=team, user=by, leader=True).exists()
    return leads and (task is None or Viewer.of(by).organises(task))


def make_invite(
    by: User,
    *,
    team: Team | None = None,
    task: Task | None = None,
    role: str = "",
    days: int = 14,
    uses: int = 1,
    note: str = "",
) -> tuple[Invite, str]:
    """An invite and its text, which is told once and stands in the link (see :func:`link_of`).

    With a ``team``: into it. With a ``task`` and a ``role``: that role; without one: to take part, with a team of one's
    own. With neither: an account.
    """
    if role not in ({name for name, _ in Role.ROLES} | {""} if task else {OPERATOR, ""}):
        raise ParameterError(f"there is no role {role!r} here", hint="organiser and assessor are roles in a task")
    if not 1 <= days <= LONGEST or not 1 <= uses <= MOST:
        raise ParameterError(
            f"an invite cannot be for {days} days and {uses} people", hint=f"at most {LONGEST} days and {MOST} people"
        )
    if not may_invite(by, team=team, task=task, role=role):
        raise Refused("you may not invite people to this", hint="ask a leader or an organiser", code="E-RIGHT")
    return _make(by, team=team, task=task, role=role, days=days, uses=uses, note=note)


def _make(
    by: User | None, *, team: Team | None, task: Task | None, role: str, days: int, uses: int, note: str
) -> tuple[Invite, str]:
    text = secrets.token_urlsafe(32)
    with audit_log.acting():
        made = Invite.objects.create(
            digest=digest_of(text),
            made_by=by,
            team=team,
            task=task,
            role=role,
            note=note[:200],
            uses_left=uses,
            expires=timezone.now() + timedelta(days=days),
        )
        what = {"team": team.slug if team else "", "role": role, "uses": uses, "days": days}
        audit_log.record(by, "invite", task=task, number=made.pk, **what)
    return made, text


def path_of(text: str) -> str:
    """The page on which an invite is used."""
    return reverse("redeem", args=[text])


def link_of(text: str) -> str:
    """Its whole address, for where there is no request."""
    return str(settings.OPTIONS.link(path_of(text)))


def first_operator_link() -> str:
    """The link that makes the first account, an operator's; an earlier one is void. Empty where there is an account."""
    with transaction.atomic():
        if User.objects.exists():
            return ""
        Invite.objects.filter(made_by=None).delete()
        _, text = _make(None, team=None, task=None, role=OPERATOR, days=14, uses=1, note="the first account")
    return link_of(text)


def find_invite(text: str) -> Invite | None:
    """The invite behind a link, if it still lets somebody in, and who made it may still do so."""
    found = Invite.objects.select_related("made_by", "team", "task").filter(digest=digest_of(text)).first()
    if found is None or not found.good:
        return None
    if found.made_by is None:  # for the first account, and only for it
        return None if User.objects.exists() else found
    return found if may_invite(found.made_by, team=found.team, task=found.task, role=found.role) else None


def void(invite: Invite, by: User) -> None:
    """Make a link good for nothing."""
    with audit_log.acting():
        if not may_invite(by, team=invite.team, task=invite.task, role=invite.role):
            raise Refused("you may not take back this invite", hint="ask who made it", code="E-RIGHT")
        Invite.objects.filter(pk=invite.pk).update(uses_left=0)
        audit_log.record(by, "invite void", task=invite.task, number=invite.pk)


def sign_up(username: str, password: str, *, name: str = "", email: str = "") -> User:
    """Make an account."""
    try:
        with audit_log.acting():
            made = User.objects.create_user(username, email, password, name=name)
            audit_log.record(made, "account")
            return made
    except IntegrityError:
        raise Refused(f"there is an account {username} already", hint="choose another name", code="E-NAMES") from None


def join(
    text: str, *, user: User | None, account: dict[str, str] | None = None, team: Team | None = None, new_team: str = ""
) -> User:
    """Use a link, as somebody who is logged in or with a new account: all of it or nothing; two at once use it once.

    ``team`` (or a team of that name, made for it) takes part, where the invite is to a task and names neither team nor
    role. Who is in already uses nothing up.
    """
    with audit_log.acting():
        invite = find_invite(text)
        if invite is None or not _count(invite, -1):
            raise Refused("this link was used already, or is too old", hint="ask for a new one", code="E-INVITE")
        person = user or sign_up(**account or {})
        if _let_in(invite, person, team, new_team) or user is None:
            audit_log.record(person, "invite used", task=invite.task, number=invite.pk)
        else:
            _count(invite, +1)
        return person


def _count(invite: Invite, by: int) -> bool:
    """Change what is left of it, in the database itself: who comes second waits, and finds nothing left."""
    left = Invite.objects.filter(pk=invite.pk, expires__gt=timezone.now(), uses_left__gte=-min(by, 0))
    return bool(left.update(uses_left=F("uses_left") + by))


def _let_in(invite: Invite, person: User, team: Team | None, new_team: str) -> bool:
    """Whether anything changed."""
    if invite.role == OPERATOR:
        return bool(User.objects.filter(pk=person.pk, is_superuser=False).update(is_superuser=True))
    if invite.task and invite.role:
        return Role.objects.get_or_create(task=invite.task, user=person, role=invite.role)[1]
    changed = False
    if invite.team:
        team, changed = invite.team, teams.add(invite.team, person)
    if invite.task:
        taking = team or teams.make_team(person, new_team)
        changed |= teams.take_part(invite.task, taking, person, invited=True)
    return changed
