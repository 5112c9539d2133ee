"""Database models of webhooks and their deliveries."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from cranfield.server.accounts.models import Team
from cranfield.server.tasks.models import Task


class Webhook(models.Model):
    """An address that is told when something happens, with a signature it can check."""

    EVENTS = [("scored", "a run was evaluated"), ("closed", "a task was closed")]

    url = models.URLField(max_length=500)
    secret = models.CharField(max_length=64)
    events = models.JSONField(default=list)
    team = models.ForeignKey(Team, null=True, blank=True, on_delete=models.CASCADE, related_name="webhooks")
    task = models.ForeignKey(Task, null=True, blank=True, on_delete=models.CASCADE, related_name="webhooks")
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    made = models.DateTimeField(auto_now_add=True)


class Delivery(models.Model):
    """One message to one address."""

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    event = models.CharField(max_length=20)
    body = models.TextField()
    made = models.DateTimeField(default=timezone.now)
    delivered = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    answer = models.CharField(max_length=200, blank=True)
