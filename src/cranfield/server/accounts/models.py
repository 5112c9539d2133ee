"""Database models of users, teams, memberships, invitations, API tokens and rate-limited attempts."""

import hashlib
import secrets
from datetime import datetime

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone


class User(AbstractUser):
    """A person with an account; an operator (``is_superuser``) may do everything."""

    first_name = None  # type: ignore[assignment]  # one name is enough
    last_name = None  # type: ignore[assignment]
    name = models.CharField(max_length=150, blank=True)
    may_organise = models.BooleanField(default=False)  # make tasks

    class Meta(AbstractUser.Meta):
        constraints = [models.UniqueConstraint(Lower("username"), name="username_any_case")]

    @property
    def shown(self) -> str:
        """What others read."""
        return self.name or self.username


class Team(models.Model):
    """People who submit together; in tables this is the group of a run."""

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=100, unique=True)
    about = models.TextField(blank=True, max_length=4000)
    link = models.URLField(blank=True)
    made = models.DateTimeField(auto_now_add=True)
    people = models.ManyToManyField(User, through="Membership", related_name="teams")

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """That a person is in a team; leaders may invite and remove others."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE)
    user = models.ForeignKey(User, on_delete=models.CASCADE)
    leader = models.BooleanField(default=False)
    made = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "user"], name="member_once")]


def digest_of(secret: str) -> str:
    """What is kept of a secret that is long and random: enough to know it again."""
    return hashlib.sha256(secret.encode()).hexdigest()


class Invite(models.Model):
    """A link that lets somebody in: to an account, a team, or a role in a task."""

    digest = models.CharField(max_length=64, unique=True)
    # The server itself makes the one for the first account.
    made_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    made = models.DateTimeField(auto_now_add=True)
    expires = models.DateTimeField()
    uses_left = models.PositiveIntegerField(default=1)
    team = models.ForeignKey(Team, null=True, blank=True, on_delete=models.CASCADE)
    task = models.ForeignKey("Task", null=True, blank=True, on_delete=models.CASCADE)
    role = models.CharField(max_length=12, blank=True)  # in the task; nothing: its team takes part
    note = models.CharField(max_length=200, blank=True)

    @property
    def good(self) -> bool:
        """Whether it still lets somebody in."""
        return self.uses_left > 0 and self.expires > timezone.now()


class Token(models.Model):
    """What a program shows instead of a password: named, scoped, expiring."""

    READ, SUBMIT, ORGANISE = "read", "submit", "organise"
    SCOPES = [(READ, "read what I may read"), (SUBMIT, "submit runs too"), (ORGANISE, "organise my tasks too")]

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=60)
    digest = models.CharField(max_length=64, unique=True)
    start = models.CharField(max_length=12)  # to tell tokens apart in a list
    scope = models.CharField(max_length=10, choices=SCOPES, default=SUBMIT)
    made = models.DateTimeField(auto_now_add=True)
    expires = models.DateTimeField()
    used = models.DateTimeField(null=True, blank=True)

    @classmethod
    def make(cls, user: User, name: str, scope: str, expires: datetime) -> tuple["Token", str]:
        """A token and its text, which is told once."""
        text = f"cf_{secrets.token_urlsafe(32)}"
        token = cls.objects.create(
            user=user, name=name, scope=scope, expires=expires, digest=digest_of(text), start=text[:9]
        )
        return token, text

    def allows(self, scope: str) -> bool:
        """Whether it is good for such a request now."""
        order = [name for name, _ in self.SCOPES]
        return self.expires > timezone.now() and order.index(self.scope) >= order.index(scope)


class Try(models.Model):
    """An attempt at something that is limited: a log-in, a redeemed link, a dry run."""

    what = models.CharField(max_length=20)
    key = models.CharField(max_length=64)  # a digest: neither names nor addresses are kept
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["what", "key", "at"])]
