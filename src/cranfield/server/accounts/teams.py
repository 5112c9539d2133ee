"""Create teams, change their members and leaders, and enter them in tasks."""

from __future__ import annotations

from datetime import timedelta

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.text import slugify

from cranfield.server.boards.snapshots import ask_for_board
from cranfield.server.models import Membership, Participant, Submission, Task, Team, User
from cranfield.server.operations import audit_log
from cranfield.server.submissions.intake import Refused

MOST_TEAMS = 20  # that one person leads


def leads(user: User, team: Team) -> bool:
    """Whether they may change it."""
    return Membership.objects.filter(team=team, user=user, leader=True).exists()


def _must_lead(user: User, team: Team) -> None:
    if not (user.is_superuser or leads(user, team)):
        raise Refused(f"you do not lead {team.name}", hint="ask one of its leaders", code="E-RIGHT")


def make_team(by: User, name: str, *, about: str = "", link: str = "") -> Team:
    """A new team, led by who made it."""
    name = " ".join(name.split())
    if not name or len(name) > 100:
        raise Refused("a team needs a name", hint="at most 100 letters", code="E-NAMES")
    with audit_log.acting():
        if Membership.objects.filter(user=by, leader=True).count() >= MOST_TEAMS:
            raise Refused(f"you lead {MOST_TEAMS} teams already", hint="leave one of them first", code="E-LIMIT")
        _free(name)
        try:
            with transaction.atomic():
                made = Team.objects.create(name=name, slug=slug_for(name), about=about, link=link)
        except IntegrityError:  # somebody was quicker
            raise _taken(name) from None
        Membership.objects.create(team=made, user=by, leader=True)
        audit_log.record(by, "team", team=made.slug, name=name)
    return made


def _free(name: str, but: Team | None = None) -> None:
    if any(other != but for other in Team.objects.filter(name__iexact=name)):
        raise _taken(name)


def _taken(name: str) -> Refused:
    return Refused(f"there is a team {name} already", hint="choose another name, or ask it for a link", code="E-NAMES")


def slug_for(name: str) -> str:
    """An address for a team that no other team has."""
    start = slugify(name)[:52].strip("-") or "team"
    found, number = start, 2
    while Team.objects.filter(slug=found).exists():
        found, number = f"{start}-{number}", number + 1
    return found


def describe(team: Team, by: User, *, name: str, about: str, link: str) -> None:
    """Change what a team says of itself; boards that name it are made again."""
    _must_lead(by, team)
    name = " ".join(name.split())
    with audit_log.acting():
        held = Team.objects.select_for_update(no_key=True).get(pk=team.pk)
        _free(name, held)
        before, held.name, held.about, held.link = held.name, name, about, link
        try:
            with transaction.atomic():
                held.save(update_fields=["name", "about", "link"])
        except IntegrityError:
            raise _taken(name) from None
        audit_log.record(by, "team described", team=held.slug, name=name, before=before)
        if name != before:
            for task in Task.objects.filter(submissions__team=held).distinct().order_by("pk"):
                ask_for_board(task)


def add(team: Team, user: User) -> bool:
    """Put somebody into a team; whether they are new there."""
    with audit_log.acting():
        for task in Task.objects.select_for_update(no_key=True).filter(participant__team=team).order_by("pk"):
            check_one_team(task, team, user)
        _, new = Membership.objects.get_or_create(team=team, user=user)
        if new:
            audit_log.record(user, "joined", team=team.slug)
        return new


def leave(team: Team, user: User, *, by: User | None = None) -> None:
    """Take somebody out of a team: themselves, or by a leader. Somebody must lead it, always."""
    by = by or user
    if by != user:
        _must_lead(by, team)
    with audit_log.acting():
        mine = _held(team, user)
        _not_the_last(team, mine)
        mine.delete()
        audit_log.record(by, "left" if by == user else "removed", team=team.slug, account=user.username)


def set_leader(team: Team, user: User, *, leader: bool, by: User) -> None:
    """Let a member lead, or no longer."""
    _must_lead(by, team)
    with audit_log.acting():
        mine = _held(team, user)
        if not leader:
            _not_the_last(team, mine)
        mine.leader = leader
        mine.save(update_fields=["leader"])
        audit_log.record(by, "leads" if leader else "leads no longer", team=team.slug, account=user.username)


def _held(team: Team, user: User) -> Membership:
    """The membership, with the team locked: of two leaders who leave at once, one stays."""
    Team.objects.select_for_update(no_key=True).get(pk=team.pk)
    mine = Membership.objects.filter(team=team, user=user).first()
    if mine is None:
        raise Refused(f"{user.shown} is not in {team.name}", hint="look at the page again", code="E-TEAM")
    return mine


def _not_the_last(team: Team, mine: Membership) -> None:
    if mine.leader and not Membership.objects.filter(team=team, leader=True).exclude(pk=mine.pk).exists():
        hint = "let somebody else lead it first"
        raise Refused(f"{mine.user.shown} is the last leader of {team.name}", hint=hint, code="E-LEADER")


def take_part(task: Task, team: Team, by: User, *, invited: bool = False) -> bool:
    """Let a team take part in a task; whether it is new there.

    To a task that is for invited teams, it must be ``invited``.
    """
    _must_lead(by, team)
    with audit_log.acting():
        held = Task.objects.select_for_update(no_key=True).get(pk=task.pk)  # two teams of one person never join at once
        if held.is_closed or (held.state == Task.DRAFT and not invited):
            raise Refused("the task takes no teams now", hint="see its dates", code="E-CLOSED")
        if held.invited_only and not invited:
            raise Refused("the task is for invited teams", hint="ask its organisers for a link", code="E-TEAM")
        for person in team.people.all():
            check_one_team(held, team, person)
        _, new = Participant.objects.get_or_create(task=held, team=team)
        if new:
            audit_log.record(by, "takes part", task=held, team=team.slug)
        return new


def check_one_team(task: Task, team: Team, person: User) -> None:
    """Refuse a second team of one person in a task: its limit is a limit for people, and teams are made quickly."""
    others = Participant.objects.filter(task=task).exclude(team=team)
    if others.filter(team__people=person).exists():
        said = f"{person.shown} takes part in {task.title} with another team already"
        raise Refused(said, hint="one person is in one team of a task", code="E-TEAM")
    since = timezone.now() - timedelta(days=task.days)
    if Submission.objects.filter(task=task, by=person, received__gt=since).exclude(team=team).exists():
        said = f"{person.shown} has submitted to {task.title} for another team"
        raise Refused(said, hint=f"wait until that is {task.days} days ago", code="E-TEAM")
