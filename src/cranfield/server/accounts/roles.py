"""Grant and revoke roles in tasks and rights of accounts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.auth.tokens import default_token_generator
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from cranfield.core import ParameterError
from cranfield.server.models import Participant, Role, Task, Team, User
from cranfield.server.operations import audit_log

from .teams import check_one_team

if TYPE_CHECKING:
    from django.db.models import QuerySet


def may_organise(user: User | None) -> bool:
    """Whether they may make tasks."""
    return user is not None and user.is_active and (user.is_superuser or user.may_organise)


def find_user(name: str) -> User:
    """The account of that name, whatever the case."""
    found = User.objects.filter(username__iexact=name.strip(), is_active=True).first()
    if found is None:
        raise ParameterError(f"there is no account {name}", hint="check the name, or make an invite link")
    return found


def add_role(task: Task, user: User, role: str, by: User) -> bool:
    """Give somebody a part in a task; whether that is new."""
    with audit_log.acting():
        _, new = Role.objects.get_or_create(task=task, user=user, role=role)
        if new:
            audit_log.record(by, "role", task=task, user=user.username, role=role)
    return new


def remove_role(role: Role, by: User) -> None:
    """Take a part away; a task keeps one organiser."""
    with audit_log.acting():
        task = Task.objects.select_for_update(no_key=True).get(pk=role.task_id)
        others = Role.objects.filter(task=task, role=Role.ORGANISER).exclude(pk=role.pk)
        if role.role == Role.ORGANISER and not others.exists():
            raise ParameterError("this is the last organiser of the task", hint="name another one first")
        role.delete()
        audit_log.record(by, "role taken", task=task, user=role.user.username, role=role.role)


def add_team(task: Task, name: str, by: User) -> Team:
    """Let a team take part. Nobody is in two teams of a task."""
    found = Team.objects.filter(name__iexact=name.strip()).first() or Team.objects.filter(slug=name.strip()).first()
    if found is None:
        raise ParameterError(f"there is no team {name}", hint="check its name, or make an invite link")
    with audit_log.acting():
        held = Task.objects.select_for_update(no_key=True).get(pk=task.pk)
        if Participant.objects.filter(task=held, team=found).exists():
            raise ParameterError(f"the team {found.name} takes part already", hint="nothing was changed")
        for person in found.people.all():
            check_one_team(held, found, person)
        Participant.objects.create(task=held, team=found)
        audit_log.record(by, "team added", task=held, team=found.slug)
    return found


def set_blocked(part: Participant, by: User, *, blocked: bool) -> None:
    """Let a team submit, or not. Its runs stay."""
    with audit_log.acting():
        Participant.objects.filter(pk=part.pk).update(blocked=blocked)
        audit_log.record(by, "team blocked" if blocked else "team unblocked", task=part.task, team=part.team.slug)


def set_active(user: User, by: User, *, active: bool) -> None:
    """Let somebody log in, or not; their runs and acts stay."""
    if user.pk == by.pk and not active:
        raise ParameterError("you cannot lock yourself out", hint="let another operator do it")
    with audit_log.acting():
        User.objects.filter(pk=user.pk).update(is_active=active)
        audit_log.record(by, "account opened" if active else "account locked", user=user.username)


def set_operator(user: User, by: User, *, operator: bool) -> None:
    """Let somebody run the server, or not; one operator is always left."""
    with audit_log.acting():
        others = (
            User.objects.select_for_update(no_key=True).filter(is_superuser=True, is_active=True).exclude(pk=user.pk)
        )
        if not operator and not others.exists():
            raise ParameterError("this is the last operator", hint="make another one first")
        User.objects.filter(pk=user.pk).update(is_superuser=operator)
        audit_log.record(by, "operator" if operator else "operator taken", user=user.username)


def set_may_organise(user: User, by: User, *, may: bool) -> None:
    """Let somebody make tasks, or not; tasks that they organise stay theirs."""
    with audit_log.acting():
        User.objects.filter(pk=user.pk).update(may_organise=may)
        audit_log.record(by, "may organise" if may else "may not organise", user=user.username)


def organising() -> QuerySet[User]:
    """Who was let."""
    return User.objects.filter(may_organise=True)


def password_path(user: User, by: User) -> str:
    """Where somebody may set a new password, once, for some days; nobody learns the old one."""
    audit_log.record(by, "password link", user=user.username)
    text = urlsafe_base64_encode(force_bytes(user.pk))
    return reverse("new-password", args=[text, default_token_generator.make_token(user)])
