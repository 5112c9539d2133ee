"""Database models of leaderboard snapshots, panel pictures and announcements."""

from django.conf import settings
from django.db import models

from cranfield.server.site.models import Blob
from cranfield.server.tasks.models import LabelVersion, Task


class Snapshot(models.Model):
    """A board as it stood: tied to one version of the labels, never changed."""

    PUBLIC, FULL = "public", "full"
    KINDS = [(PUBLIC, "for everybody"), (FULL, "for organisers")]

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="snapshots")
    version = models.ForeignKey(LabelVersion, on_delete=models.PROTECT, related_name="snapshots")
    kind = models.CharField(max_length=6, choices=KINDS, default=PUBLIC)
    number = models.PositiveIntegerField()
    document = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")  # JSON, all that the pages show
    runs = models.PositiveIntegerField(default=0)
    why = models.CharField(max_length=200, blank=True)  # what made it differ from the one before
    made = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["task", "kind", "number"], name="snapshot_once")]


class Picture(models.Model):
    """The picture of a panel: drawn after the snapshot is there, from the same studies."""

    snapshot = models.ForeignKey(Snapshot, on_delete=models.CASCADE, related_name="pictures")
    panel = models.CharField(max_length=20)
    blob = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")
    media = models.CharField(max_length=20)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["snapshot", "panel"], name="picture_once")]


class Announcement(models.Model):
    """A word of the organisers to everybody."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="announcements")
    text = models.TextField(max_length=4000)  # Markdown
    made = models.DateTimeField(auto_now_add=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
