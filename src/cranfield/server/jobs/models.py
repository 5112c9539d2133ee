"""Database models of jobs and workers."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from cranfield.server.tasks.models import Task


class Job(models.Model):
    """A piece of work: a row with a lease, so that a worker may die at any point."""

    WAITING, RUNNING, DONE, FAILED = "waiting", "running", "done", "failed"
    STATES = [(WAITING, "waiting"), (RUNNING, "running"), (DONE, "done"), (FAILED, "failed")]
    LIVE = (WAITING, RUNNING)  # there is more to come

    kind = models.CharField(max_length=20)  # a name of jobs.KINDS
    about = models.JSONField(default=dict)  # what the work is told
    key = models.CharField(max_length=100)  # two waiting jobs never have the same
    task = models.ForeignKey(Task, null=True, blank=True, on_delete=models.CASCADE, related_name="jobs")
    state = models.CharField(max_length=8, choices=STATES, default=WAITING)
    urgency = models.SmallIntegerField(default=0)  # larger first
    after = models.DateTimeField(default=timezone.now)  # not before
    lease = models.DateTimeField(null=True, blank=True)  # until then its worker has it
    worker = models.CharField(max_length=80, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    error = models.TextField(blank=True)
    made = models.DateTimeField(auto_now_add=True)
    started = models.DateTimeField(null=True, blank=True)
    finished = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["key"], condition=Q(state="waiting"), name="job_waits_once")]
        indexes = [models.Index(fields=["state", "after"])]

    def __str__(self) -> str:
        return self.key or self.kind


class Worker(models.Model):
    """A process that works, and when it was last seen."""

    name = models.CharField(max_length=80, unique=True)
    started = models.DateTimeField(default=timezone.now)
    seen = models.DateTimeField(default=timezone.now)
    doing = models.CharField(max_length=120, blank=True)
