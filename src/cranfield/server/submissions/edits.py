"""Edit the description, type, link, embargo and anonymity of a submission."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils import timezone

from cranfield.server.boards.snapshots import ask_for_board
from cranfield.server.models import Submission
from cranfield.server.operations import audit_log

from .intake import Refused

if TYPE_CHECKING:
    from datetime import date

    from cranfield.server.models import User


def edit(run: Submission, by: User, **changed: Any) -> bool:
    """Change what is said of a run; whether anything is different. The board is made again.

    That is ``description``, ``kind``, ``link`` and, to an earlier day or none, ``embargo`` and ``anonymous``.
    """
    with audit_log.acting():
        held = Submission.objects.select_for_update(no_key=True).get(pk=run.pk)
        if held.state == Submission.WITHDRAWN:
            raise Refused("the run was withdrawn", hint="hand in another one", code="E-CLOSED")
        for name in ("embargo", "anonymous"):
            if name in changed:
                _not_later(getattr(held, name), changed[name])
        different = {name: value for name, value in changed.items() if getattr(held, name) != value}
        if not different:
            return False
        before = {name: str(getattr(held, name) or "") for name in different}
        for name, value in different.items():
            setattr(held, name, value)
        held.save(update_fields=sorted(different))
        said = {name: str(value or "") for name, value in different.items()}
        audit_log.record(by, "edit", task=held.task, run=held.key, before=before, after=said)
        ask_for_board(held.task)
        return True


def _not_later(before: date | None, after: date | None) -> None:
    today = timezone.now().date()
    if after == before or after is None:
        return
    if before is None or before <= today or not today <= after < before:
        hint = "it can be shown and named earlier, never later"
        raise Refused(f"the day cannot be {after}", hint=hint, code="E-DATE")
