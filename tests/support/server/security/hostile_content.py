"""Attack strings in every text column of a test site."""

from __future__ import annotations

from django.apps import apps
from django.db import models

from cranfield.server.boards import snapshots
from cranfield.server.models import Job, Pool, Submission, Team
from tests.support.server.security.planted_secrets import Planted, forget

HOSTILE = "=1+1\"><script>alert(1)</script><img src=x onerror=alert(1)>'{{7331*3}}\u202e"

# Columns that hold no words of people: names for machines, states, digests, numbers as text.
MACHINE = {
    "slug", "key", "digest", "password", "state", "measures", "test", "role", "scope", "start", "event", "media",
    "panel", "ranking", "previous", "session_key", "session_data", "codename", "app_label", "model", "worker",
    "username", "url", "secret", "what", "strategy",
}  # fmt: skip

KIND = {"Snapshot", "Job"}  # whose kind is one of ours


def poison(planted: Planted) -> Planted:
    """Write an attack into every column that holds words, whatever forms would have refused."""
    for model in apps.get_models():
        names = [
            (one.name, one.max_length, one.unique)
            for one in model._meta.concrete_fields
            if isinstance(one, models.CharField | models.TextField)
            and not one.choices
            and one.name not in MACHINE
            and not (one.name == "kind" and model.__name__ in KIND)
            and model.__module__.startswith("cranfield.server")
            and model.__name__ not in ("Audit", "Event")  # in which every change shows
            and not (model.__name__ == "Job" and one.name == "key")
        ]
        for row in model._default_manager.all():
            for name, most, unique in names:
                room = (most or 5000) - len(HOSTILE)
                text = (
                    (f"{row.pk}{HOSTILE}" if unique or name in ("name", "document") else HOSTILE)
                    if room > 3
                    else HOSTILE[5:][:most]
                )
                setattr(row, name, text)
            row.save()
    bad = {"line": 1, "code": HOSTILE, "message": HOSTILE, "hint": HOSTILE, "file": HOSTILE, "severity": "warning"}
    for run in Submission.objects.all():
        run.metadata, run.problems, run.link = {HOSTILE: [HOSTILE]}, [bad], "javascript:alert(1)"
        run.report = [{"run": run.key, "name": HOSTILE, "team": HOSTILE, "rbo": 1.0, "equal": False}]
        run.save()
    Pool.objects.update(grades=[["0", HOSTILE], ["1", HOSTILE]])
    Team.objects.update(link="javascript:alert(1)")
    Job.objects.filter(state=Job.WAITING, kind="score").delete()
    snapshots.board(task_id=planted.task.pk)
    planted.world.work()
    forget()
    return planted
