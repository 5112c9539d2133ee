"""Database models of submissions and their results."""

import secrets

from django.conf import settings
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone

from cranfield.server.accounts.models import Team
from cranfield.server.site.models import Blob
from cranfield.server.tasks.models import LabelVersion, Task


def new_key() -> str:
    """A name for addresses that nobody can guess, and that says nothing."""
    return secrets.token_hex(6)


class Submission(models.Model):
    """A run that a team handed in. It is never deleted; it may be withdrawn."""

    RECEIVED, SCORED, FAILED, WITHDRAWN = "received", "scored", "failed", "withdrawn"
    STATES = [(RECEIVED, "waiting"), (SCORED, "evaluated"), (FAILED, "failed"), (WITHDRAWN, "withdrawn")]

    key = models.CharField(max_length=12, unique=True, default=new_key)
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="submissions")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="submissions")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    name = models.CharField(max_length=100)
    state = models.CharField(max_length=9, choices=STATES, default=RECEIVED)
    received = models.DateTimeField(default=timezone.now, db_index=True)
    blob = models.ForeignKey(Blob, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    file_name = models.CharField(max_length=200, blank=True)

    description = models.TextField(blank=True, max_length=4000)
    kind = models.CharField(max_length=60, blank=True)  # automatic, manual, …
    link = models.URLField(blank=True)  # paper or code
    metadata = models.JSONField(default=dict)  # ir_metadata of its header
    baseline = models.BooleanField(default=False)

    problems = models.JSONField(default=list)  # rows as lint gives them
    failure = models.CharField(max_length=400, blank=True)
    report = models.JSONField(default=list)  # runs of other teams that are the same or nearly, for organisers
    embargo = models.DateField(null=True, blank=True)  # not shown before
    anonymous = models.DateField(null=True, blank=True)  # not named before
    withdrawn = models.DateTimeField(null=True, blank=True)
    stated = models.FloatField(null=True, blank=True)  # a value from elsewhere: history, without a run

    class Meta:
        constraints = [models.UniqueConstraint("task", Lower("name"), name="run_name_once")]
        indexes = [models.Index(fields=["task", "team", "received"])]

    def __str__(self) -> str:
        return self.name

    @property
    def is_hidden(self) -> bool:
        """Whether it is under embargo today."""
        return self.embargo is not None and timezone.now().date() < self.embargo

    @property
    def is_anonymous(self) -> bool:
        """Whether its team is not named today."""
        return self.anonymous is not None and timezone.now().date() < self.anonymous

    @property
    def result(self) -> "Result | None":
        """Its values under the newest labels under which there are any."""
        return self.results.select_related("version__task").order_by("-version__number").first()


class Result(models.Model):
    """The values of a submission under one version of the labels."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="results")
    version = models.ForeignKey(LabelVersion, on_delete=models.CASCADE, related_name="results")
    values = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")  # every measure and topic
    public = models.JSONField(default=dict)  # means by measure over public topics
    private = models.JSONField(default=dict)  # … over private topics
    released = models.FloatField(null=True, blank=True)  # what the Ladder tells of the private value
    made = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["submission", "version"], name="result_once")]
