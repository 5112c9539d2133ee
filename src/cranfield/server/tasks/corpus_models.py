"""Database models of a task's corpus and its documents."""

from django.conf import settings
from django.db import models

from cranfield.server.site.models import Blob

from .models import Task


class Corpus(models.Model):
    """The documents of a task, from a file or a dataset. Their rows can be made again from it: no backup has them."""

    WAITING, READY, FAILED = "waiting", "ready", "failed"
    STATES = [(WAITING, "being read"), (READY, "ready"), (FAILED, "failed")]

    task = models.OneToOneField(Task, on_delete=models.CASCADE, related_name="corpus")
    file = models.ForeignKey(Blob, null=True, on_delete=models.PROTECT, related_name="+")  # None: a dataset
    name = models.CharField(max_length=200)  # of the file, whose ending says what it is; or of the dataset
    state = models.CharField(max_length=7, choices=STATES, default=WAITING)
    coming = models.ForeignKey(Blob, null=True, on_delete=models.PROTECT, related_name="+")  # takes its place if good
    coming_name = models.CharField(max_length=200, blank=True)
    size = models.PositiveIntegerField(default=0)  # documents
    failure = models.CharField(max_length=400, blank=True)
    made = models.DateTimeField(auto_now_add=True)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")


class Document(models.Model):
    """A document of a corpus."""

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="documents")
    name = models.CharField(max_length=400)
    title = models.TextField(blank=True)
    text = models.TextField(blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["corpus", "name"], name="document_once")]
