"""Database model of the audit log."""

from django.db import models


class Audit(models.Model):
    """One act. Its digest covers the one before it, so no row can change, go or come in between unseen."""

    at = models.DateTimeField()
    who = models.CharField(max_length=150)  # names, not references: an act outlives accounts and tasks
    what = models.CharField(max_length=60)
    task = models.CharField(max_length=60, blank=True, db_index=True)
    about = models.JSONField(default=dict)
    previous = models.CharField(max_length=64, unique=True)
    digest = models.CharField(max_length=64, unique=True)
