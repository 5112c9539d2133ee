"""Visibility rules: decide what a viewer may see of a task, a submission or a team."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from django.db.models import Q, QuerySet

from cranfield.server.models import Membership, Role, Submission, Task, Team, User

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser

Somebody: TypeAlias = "User | AnonymousUser | None"


class Thing(StrEnum):
    """What there is to see."""

    TASK = "that a task exists, and all that is said of it"
    BOARD = "its board, with everything computed on public topics"
    FULL_BOARD = "its board with hidden runs and names"
    PRIVATE_VALUES = "values on private topics, as they are"
    PRIVATE_TOPICS = "which topics are private"
    PUBLIC_LABELS = "judgments of public topics"
    ALL_LABELS = "all judgments"
    LOG = "what was done by whom; how much has leaked; who takes part"
    RUN = "that a submission exists, and its values on public topics"
    RUN_NAME = "its name, its team, what they say of it"
    RUN_FILE = "the run itself"
    RUN_STATE = "its problems, its place in the queue, why it failed"
    QUESTIONS = "what a pool asks, and the documents"
    JUDGMENTS = "what assessors said, and who"
    RELEASED = "what is told of its private value while the task is open"


@dataclass(frozen=True)
class Viewer:
    """Somebody who looks: an account, or nobody we know."""

    user: User | None

    @classmethod
    def of(cls, user: Somebody) -> Viewer:
        """The viewer behind a request."""
        return cls(user if isinstance(user, User) and user.is_active else None)

    @cached_property
    def teams(self) -> frozenset[int]:
        """The teams they are in."""
        if self.user is None:
            return frozenset()
        return frozenset(Membership.objects.filter(user=self.user).values_list("team_id", flat=True))

    @cached_property
    def roles(self) -> frozenset[tuple[int, str]]:
        """What they are in which task."""
        if self.user is None:
            return frozenset()
        return frozenset(Role.objects.filter(user=self.user).values_list("task_id", "role"))

    @property
    def is_operator(self) -> bool:
        """Whether they run this server."""
        return self.user is not None and self.user.is_superuser

    def organises(self, task: Task) -> bool:
        """Whether the task is theirs."""
        return self.is_operator or (task.pk, Role.ORGANISER) in self.roles

    @property
    def is_organiser(self) -> bool:
        """Whether a task is theirs, or may become theirs: who else has nothing to organise."""
        may = self.user is not None and (self.user.is_superuser or self.user.may_organise)
        return may or any(role == Role.ORGANISER for _, role in self.roles)

    def assesses(self, task: Task) -> bool:
        """Whether they judge documents for it; whoever organises it may."""
        return self.organises(task) or (task.pk, Role.ASSESSOR) in self.roles

    @property
    def is_assessor(self) -> bool:
        """Whether they judge for any task."""
        return any(role == Role.ASSESSOR for _, role in self.roles)

    def has_part_in(self, task: Task) -> bool:
        """Whether they are invited to it in any way."""
        part = {(task.pk, role) for role, _ in Role.ROLES}
        return (
            self.organises(task) or bool(part & self.roles) or task.participant_set.filter(team__in=self.teams).exists()
        )


def sees(viewer: Viewer, thing: Thing, of: Task | Submission) -> bool:
    """Whether the viewer may see that of a task or a submission. Nothing else decides."""
    task = of if isinstance(of, Task) else of.task
    if viewer.organises(task):
        return True
    if thing is Thing.QUESTIONS:
        return viewer.assesses(task)
    if task.state == Task.DRAFT or (task.invited_only and not viewer.has_part_in(task)):
        return False
    if isinstance(of, Submission):
        return _sees_run(viewer, thing, of, task)
    if thing in (Thing.TASK, Thing.BOARD):
        return True
    if thing in (Thing.PRIVATE_VALUES, Thing.PRIVATE_TOPICS):
        return task.is_closed
    if thing is Thing.PUBLIC_LABELS:
        return task.labels_public
    if thing is Thing.ALL_LABELS:
        return task.labels_public and task.is_closed
    return False  # FULL_BOARD, LOG, JUDGMENTS


def _sees_run(viewer: Viewer, thing: Thing, run: Submission, task: Task) -> bool:
    own = run.team_id in viewer.teams
    shown = run.state == Submission.SCORED and not run.is_hidden
    if thing is Thing.RUN:
        return own or shown
    if thing is Thing.RUN_NAME:
        return own or (shown and not run.is_anonymous)
    if thing is Thing.RUN_STATE:
        return own
    if thing is Thing.RUN_FILE:
        return own or (shown and not run.is_anonymous and task.runs_public and task.is_closed)
    if thing is Thing.RELEASED:
        return (own or shown) and task.tells_private
    if thing is Thing.PRIVATE_VALUES:
        return (own or shown) and task.is_closed
    return False


def sees_team(viewer: Viewer, team: Team) -> bool:
    """Whether the viewer may see who is in a team and what it takes part in: its people, and organisers it comes to."""
    if viewer.is_operator or team.pk in viewer.teams:
        return True
    mine = [task for task, role in viewer.roles if role == Role.ORGANISER]
    return team.participant_set.filter(task__in=mine).exists()


def visible_tasks(viewer: Viewer) -> QuerySet[Task]:
    """The tasks a list may show: those of which :func:`sees` says TASK."""
    if viewer.is_operator:
        return Task.objects.all()
    mine = Q(pk__in=[task for task, role in viewer.roles if role == Role.ORGANISER])
    part = Q(pk__in=[task for task, _ in viewer.roles]) | Q(participant__team__in=viewer.teams)
    return Task.objects.filter(mine | (~Q(state=Task.DRAFT) & (Q(invited_only=False) | part))).distinct()
